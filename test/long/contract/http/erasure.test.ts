import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainFact, Fact } from '../../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../../core/vocabulary/state/state.ts';
import { aPlayer } from '../../../../actors/testing-players.ts';
import { isPlayerTable, TABLE_NAMES } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { createSnapshotSource } from '../../../../clickhouse-schema/queries/snapshot-source.ts';
import { PLAYER_API_LIMITS } from '../../../../src/api/players/limits.ts';
import { encodeScores } from '../../../../core/codec/codec.ts';
import { decodeState } from '../../../../core/codec/state/state-codec.ts';
import type { ScoreRecord } from '../../../../core/vocabulary/records/score-record.ts';
import { aScore } from '../../../../streams/records/testing-scores.ts';
import { createErasureTarget } from '../../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { aTrackedEvent, commit } from '../../../../streams/sinks/testing-commits.ts';
import { SAMPLES } from '../../../fixtures/codec/samples.ts';
import { bodyOf } from '../../../support/wire/api-body.ts';
import { rowsOf, execSql, runSql } from '../../../support/servers/clickhouse.ts';
import { startGateway } from '../../../support/in-memory/http-gateway.ts';
import { startStoredGateway, type StoredGateway } from '../../../support/in-memory/stored-gateway.ts';
import { until } from '../../../support/until.ts';

let stored: StoredGateway;
let clickhouse: StoredGateway['clickhouse'];
let analytics: StoredGateway['analytics'];
let log: StoredGateway['log'];
let backend: StoredGateway['backend'];
let gateway: StoredGateway['gateway'];
let key: string;

beforeAll(async () => {
  stored = await startStoredGateway();
  ({ clickhouse, analytics, log, backend, gateway } = stored);
  key = await gateway.key();
});
afterAll(() => stored.close());
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

const PLAYERS = '/v1/players/players';
const PLAYER_TABLES: readonly string[] = TABLE_NAMES.filter((table) => isPlayerTable(table));
/** Without the log of deliveries, which facts do not fill, and merges; deliveries and merged-sink tests cover them. */
const PLAYER_TABLE_NAMES = PLAYER_TABLES.filter((table) => !['webhook_deliveries', 'player_merges'].includes(table));

async function call(method: string, path: string, body?: unknown, asKey = key, headers: Record<string, string> = {}) {
  const response = await gateway.call(asKey, method, path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
}

async function register(externalId: string, device: { device_id?: string } = {}): Promise<string> {
  const { body } = await call('POST', PLAYERS, { external_id: externalId, email: 'player@example.com', ...device });
  return String(body.data['id']);
}

let written = 0;
/** Appends the facts decided since the last call to FACTS as one record. @returns its sequence */
async function commitDecided(before: Fact[] = []): Promise<number> {
  const facts = [...before, ...backend.facts.slice(written)];
  written = backend.facts.length;
  return commit(log, facts);
}

/** One fact of every kind that has rows, and a snapshot, of a player. */
function everyFact(playerId: string): Fact[] {
  const all: Fact[] = Object.values(SAMPLES.facts);
  return all
    .filter((fact) => !['PlayerErased', 'SnapshotMark', 'IdempotencyKeyUsed'].includes(fact.kind))
    .map((fact): Fact => {
      if (fact.kind === 'SnapshotMark') return fact;
      const mine = { ...fact, entityId: playerId };
      return mine.kind === 'EntitySnapshot' ? { ...mine, state: aPlayer({ id: playerId, lastSeq: 1 }) } : mine;
    });
}

/** Rows of a player by table, without snapshots that only record its erasure. */
async function rowsBy(playerId: string): Promise<Record<string, number>> {
  const counts = await Promise.all(
    PLAYER_TABLE_NAMES.map(async (table) => {
      const more = table === 'player_snapshots' ? " AND kind != 'erased'" : '';
      const sql = `SELECT toUInt32(count()) AS n FROM ${table} WHERE player_id = '${playerId}'${more}`;
      return [table, (await rowsOf<{ n: number }>(clickhouse, sql))[0]?.n ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts);
}
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, n) => total + n, 0);
const NONE = Object.fromEntries(PLAYER_TABLE_NAMES.map((table) => [table, 0]));

/** Waits until the rows of the last event, and so all earlier ones, are in ClickHouse. */
async function isIn(sequence: number): Promise<void> {
  await until('the record is in ClickHouse', async () => {
    const entry = await log.bucket('POSITIONS').get('clickhouse');
    const position: { sequence: number } = JSON.parse(Buffer.from(entry?.value ?? '{}').toString());
    return position.sequence >= sequence;
  });
}

/** Undefined while the erasure of a player that was registered again has not reached ClickHouse. */
async function receiptOf(playerId: string): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await call('GET', `${PLAYERS}/${playerId}/erasure`);
  return status === 404 ? undefined : body.data;
}
const done = (playerId: string) =>
  until('the erasure is done', async () => {
    const receipt = await receiptOf(playerId);
    return receipt?.['status'] === 'done' ? receipt : undefined;
  });

describe('DELETE /v1/players/players/{id}', () => {
  it('deletes every row of the player from every table, and no row of others', async () => {
    const [player, other] = [await register('erased'), await register('kept')];
    await commitDecided([...everyFact(player), ...everyFact(other)]);
    await isIn(await commit(log, [...everyFact(player)]));
    const before = await rowsBy(player);
    for (const table of PLAYER_TABLE_NAMES) expect(before[table], table).toBeGreaterThan(0);
    const kept = await rowsBy(other);
    // The days of the others are built anew, because a guest was merged into them.
    const bystander = await register('bystander');
    const days = [player, bystander].map((id) => `('demo', 'live', '${id}', '2026-01-01', 'MT')`);
    const insertDays = 'INSERT INTO player_days (game_id, environment, player_id, day, country) VALUES';
    expect(await runSql(clickhouse, `${insertDays} ${days.join(', ')}`)).toMatchObject({ status: 200 });
    const levels = [player, bystander].map((id) => `('demo', 'live', 'made up', '${id}')`);
    const insertLevels = 'INSERT INTO player_levels (game_id, environment, level, player_id) VALUES';
    expect(await runSql(clickhouse, `${insertLevels} ${levels.join(', ')}`)).toMatchObject({ status: 200 });

    const { status, body } = await call('DELETE', `${PLAYERS}/${player}`);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      player_id: player,
      status: 'pending',
      erased_at: expect.any(String),
      rows_deleted: null,
      log_retention_days: 30,
    });
    await commitDecided();
    const receipt = await done(player);
    expect(receipt).toEqual({ ...body.data, status: 'done', rows_deleted: sum(before) });
    expect(await rowsBy(player)).toEqual(NONE);
    expect(await rowsBy(other)).toEqual(kept);
    const withDays = "SELECT DISTINCT player_id FROM player_days WHERE country = 'MT'";
    expect(await rowsOf(clickhouse, withDays)).toEqual([{ player_id: bystander }]);
    const withLevels = "SELECT player_id FROM player_levels WHERE level = 'made up'";
    expect(await rowsOf(clickhouse, withLevels)).toEqual([{ player_id: bystander }]);
    expect(await rowsOf(clickhouse, `SELECT id FROM players WHERE id = '${player}'`)).toEqual([]);
    // No text about the player is left in any column.
    for (const table of PLAYER_TABLE_NAMES) {
      const sql = `SELECT * FROM ${table} WHERE player_id = '${player}'`;
      expect(JSON.stringify(await rowsOf(clickhouse, sql))).not.toContain('ext-1');
    }

    const again = await call('DELETE', `${PLAYERS}/${player}`);
    expect([again.status, again.body.data]).toEqual([200, receipt]);
  });

  describe('a player with a device', () => {
    let scores = 0;
    /** Inserts scores into ClickHouse. @returns the last sequence of RECORDS */
    async function scored(...some: readonly Partial<ScoreRecord>[]): Promise<number> {
      const records = some.map((one) => aScore((scores += 1), { scoredAt: Date.now() - 60_000, ...one }));
      const outcome = await log.append('records.scores.n-1', encodeScores(records));
      if (outcome.kind !== 'acked') throw new Error(JSON.stringify(outcome));
      const { sequence } = outcome;
      await until('the scores are in', async () => {
        const entry = await log.bucket('POSITIONS').get('clickhouse-records');
        const position: { sequence: number } = JSON.parse(Buffer.from(entry?.value ?? '{}').toString());
        return position.sequence >= sequence;
      });
      return sequence;
    }
    const scoresOf = async (deviceId: string): Promise<number[]> =>
      Promise.all(
        ['scores', 'challenger_scores'].map(async (table) => {
          const sql = `SELECT toUInt32(count()) AS n FROM ${table} WHERE device_id = '${deviceId}'`;
          return (await rowsOf<{ n: number }>(clickhouse, sql))[0]?.n ?? 0;
        }),
      );
    const snapshot = (playerId: string, deviceId: string): Fact => ({
      kind: 'EntitySnapshot',
      entityId: playerId,
      game: 'demo',
      environment: 'live',
      at: 1,
      state: aPlayer({ id: playerId, deviceId, lastSeq: 1 }),
    });

    it('loses the scores of the device in its game and environment up to the erasure, and the receipt counts them', async () => {
      const player = await register('scored', { device_id: 'own' });
      await isIn(await commitDecided([snapshot(player, 'own')]));
      const before = sum(await rowsBy(player));
      await scored(
        { deviceId: 'own' },
        { deviceId: 'own' },
        { deviceId: 'own', challenger: true },
        { deviceId: 'own', scoredAt: Date.now() + 60_000 },
        { deviceId: 'own', game: 'another' },
        { deviceId: 'own', environment: 'test' },
        { deviceId: 'other' },
      );
      await call('DELETE', `${PLAYERS}/${player}`);
      await commitDecided();
      const receipt = await done(player);
      expect(receipt?.['rows_deleted']).toBe(before + 3);
      expect(await scoresOf('own')).toEqual([3, 0]);
      expect(await scoresOf('other')).toEqual([1, 0]);
    });

    it('keeps the scores of a shared device until the other player is erased too', async () => {
      const [one, other] = [
        await register('one', { device_id: 'both' }),
        await register('other', { device_id: 'both' }),
      ];
      await isIn(await commitDecided([snapshot(one, 'both'), snapshot(other, 'both')]));
      await scored({ deviceId: 'both' });
      await call('DELETE', `${PLAYERS}/${one}`);
      await commitDecided();
      await done(one);
      expect(await scoresOf('both')).toEqual([1, 0]);
      await call('DELETE', `${PLAYERS}/${other}`);
      await commitDecided();
      await done(other);
      expect(await scoresOf('both')).toEqual([0, 0]);
    });

    it('keeps scores that a retry of the sink may look for, and loses them and the device once the retry is done', async () => {
      const player = await register('late', { device_id: "it's \\ late" });
      await isIn(await commitDecided([snapshot(player, "it's \\ late")]));
      const first = await scored({ deviceId: "it's \\ late" });
      const last = await scored({ deviceId: "it's \\ late" });
      await call('DELETE', `${PLAYERS}/${player}`);
      const { body } = await call('GET', `${PLAYERS}/${player}/erasure`);
      const erasure = { game: 'demo', environment: 'live', playerId: player, rows: 0, index: 0 };
      const place = { createdMs: 1, sequence: 1, deviceId: "it's \\ late", erasedAt: Date.now() };
      const { created } = await log.info('RECORDS');
      const target = createErasureTarget(clickhouse.address);
      const pending = [{ ...erasure, ...place }];
      const left = async (): Promise<number[]> => {
        const sql = "SELECT toUInt32(records_sequence) AS n FROM scores WHERE device_id LIKE 'it%' ORDER BY n";
        return (await rowsOf<{ n: number }>(clickhouse, sql)).map(({ n }) => n);
      };
      expect(body.data['status']).toBe('pending');
      await target.remove(pending, undefined);
      expect(await left()).toEqual([first, last]);
      await target.remove(pending, { createdMs: Date.parse(created), sequence: first });
      expect(await left()).toEqual([last]);
      await target.remove(pending, { createdMs: Date.parse(created), sequence: last });
      expect(await left()).toEqual([]);

      await commitDecided();
      await done(player);
      await target.note('settled', pending);
      await target.forgetDevices();
      const named = "SELECT player_id, facts_sequence FROM erasures WHERE facts_sequence = 1 AND device_id != ''";
      expect(await rowsOf(clickhouse, named)).toEqual([]);
      await target.close();
    });
  });

  it('spares a new player with the same id, even in the same record', async () => {
    const player = await register('phoenix');
    await commitDecided(everyFact(player));
    const track = (name: string) =>
      call('POST', '/v1/events/events', { player_id: player, event_name: name, properties: {} });
    await track('last_words');
    await call('DELETE', `${PLAYERS}/${player}`);
    expect((await call('POST', PLAYERS, { external_id: 'phoenix' }, key, { 'If-None-Match': '*' })).status).toBe(201);
    await track('first_words');
    const sequence = await commitDecided();
    await done(player);
    await isIn(sequence);
    const events = await rowsOf(clickhouse, `SELECT event_name FROM events WHERE player_id = '${player}'`);
    expect(events).toEqual([{ event_name: 'first_words' }]);
    expect(await rowsBy(player)).toEqual({ ...NONE, events: 1 });
    // The first receipt is still available while the player exists again.
    expect(await receiptOf(player)).toMatchObject({ status: 'done' });
    const { body } = await call('GET', `${PLAYERS}/${player}`);
    expect(body.data).toMatchObject({ external_id: 'phoenix', email: null, attributes: {} });
  });

  it('spares what is imported for a new player with the same id, though it is older than the log', async () => {
    const old = Date.UTC(2020, 0, 1);
    const player = await register('imported');
    const { EventsImported, SessionImported, PurchaseImported } = SAMPLES.facts;
    const imported: Fact[] = [
      { ...EventsImported, entityId: player },
      { ...SessionImported, entityId: player, at: old },
      { ...PurchaseImported, entityId: player, at: old },
    ];
    await commitDecided();
    await isIn(await commit(log, imported));
    await call('DELETE', `${PLAYERS}/${player}`);
    await register('imported');
    const decided = backend.facts.slice(written);
    written = backend.facts.length;
    const erased = decided.findIndex(({ kind }) => kind === 'PlayerErased') + 1;
    // Of the same record, some before the erasure and some behind it.
    await commit(log, [...imported, ...decided.slice(0, erased), ...imported, ...decided.slice(erased)]);
    await isIn(await commit(log, imported));
    const kept = { ...NONE, events: 4, sessions: 2, purchases: 2 };
    await done(player);
    expect({ ...(await rowsBy(player)), player_snapshots: 0 }).toEqual(kept);
  });

  it('leaves what a rebuild needs: no data of the player before the record, which the rebuild then applies', async () => {
    const player = await register('rebuilt');
    await isIn(await commitDecided(everyFact(player)));
    await call('DELETE', `${PLAYERS}/${player}`);
    const sequence = await commitDecided();
    await done(player);
    const loaded: EntityState[] = [];
    for await (const rows of createSnapshotSource(clickhouse.address).load(0, 0)) loaded.push(...rows.map(decodeState));
    expect(loaded.filter(({ id }) => id === player)).toEqual([
      expect.objectContaining({ kind: 'erased', id: player, lastSeq: sequence - 1 }),
    ]);
  });

  it('erases many players concurrently, each with its own count', async () => {
    const players = await Promise.all([1, 2, 3].map((n) => register(`crowd-${n}`)));
    await isIn(await commitDecided(players.flatMap((id, n) => Array.from({ length: n + 1 }, () => anEvent(id)))));
    for (const player of players) await call('DELETE', `${PLAYERS}/${player}`);
    await commitDecided();
    const receipts = await Promise.all(players.map((player) => done(player)));
    expect(receipts.map((receipt) => receipt['rows_deleted'])).toEqual([1, 2, 3]);
  });

  it('makes every endpoint return 404 for the id', async () => {
    const player = await register('gone');
    await call('DELETE', `${PLAYERS}/${player}`);
    for (const [method, path, body] of [
      ['GET', `${PLAYERS}/${player}`, undefined],
      ['GET', `${PLAYERS}/external/gone`, undefined],
      ['GET', `${PLAYERS}/${player}/export`, undefined],
      ['PATCH', `${PLAYERS}/${player}`, { email: 'b@example.com' }],
      ['POST', '/v1/events/events', { player_id: player, event_name: 'x', properties: {} }],
    ] as const) {
      const { status, body: answer } = await call(method, path, body);
      expect([status, answer.error.code], `${method} ${path}`).toEqual([404, 'PLAYER_NOT_FOUND']);
    }
  });

  it('returns the first response to a repeat with the same Idempotency-Key, and 409 for a key of another request', async () => {
    const player = await register('keyed');
    const headers = { 'Idempotency-Key': 'erase-1' };
    await call('PATCH', `${PLAYERS}/${player}`, { device_id: 'd' }, key, { 'Idempotency-Key': 'patch-1' });
    const conflict = await call('DELETE', `${PLAYERS}/${player}`, undefined, key, { 'Idempotency-Key': 'patch-1' });
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'CONFLICT']);
    const first = await call('DELETE', `${PLAYERS}/${player}`, undefined, key, headers);
    const again = await call('DELETE', `${PLAYERS}/${player}`, undefined, key, headers);
    expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect(again.body.data['erased_at']).toBe(first.body.data['erased_at']);
  });

  it('is for server keys of the player’s own game and environment', async () => {
    const player = await register('mine');
    const codeOf = async (asKey: string, method = 'DELETE', path = '') => {
      const { status, body } = await call(method, `${PLAYERS}/${player}${path}`, undefined, asKey);
      return [status, body.error.code];
    };
    const client = await gateway.key({ kind: 'client' });
    const test = await gateway.key({ environment: 'test' });
    const foreign = await gateway.key({ game: 'other' });
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', '/erasure'],
      ['GET', '/export'],
    ] as const) {
      expect(await codeOf(client, method, path)).toEqual([403, 'FORBIDDEN']);
      expect(await codeOf(test, method, path)).toEqual([404, 'PLAYER_NOT_FOUND']);
      expect(await codeOf(foreign, method, path)).toEqual([404, 'PLAYER_NOT_FOUND']);
    }
    expect(await codeOf(key, 'GET', '/erasure')).toEqual([404, 'NOT_FOUND']);
  });
});

describe('GET /v1/players/players/{id}/export', () => {
  it('contains the player, the rest of its state, and its rows of every table page by page', async () => {
    const player = await register('exported');
    const facts = everyFact(player);
    await isIn(await commitDecided(facts));
    const seen = new Map<string, number>();
    let cursor: string | null = null;
    let pages = 0;
    do {
      const { status, body } = await call(
        'GET',
        `${PLAYERS}/${player}/export?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      expect(status).toBe(200);
      const page: Exported = JSON.parse(JSON.stringify(body.data));
      expect(page.player).toMatchObject({ id: player, external_id: 'exported', email: 'player@example.com' });
      expect(page.state).toMatchObject({
        purchase_count: 0,
        segments: [],
        sessions: [],
        keys: [],
      });
      for (const [table, rows] of Object.entries(page.rows)) {
        seen.set(table, (seen.get(table) ?? 0) + rows.length);
        for (const row of rows) expect(row['player_id']).toBe(player);
      }
      expect(Object.values(page.rows).flat().length).toBeLessThanOrEqual(2);
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor !== null && pages < 50);
    const states = ['player_snapshots', 'segment_membership_states', 'flag_override_states', 'test_players'];
    const history = Object.entries(await rowsBy(player)).filter(([table]) => !states.includes(table));
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(history));
  });

  it('ends a page at its maximum size; a larger row is alone on its page', async () => {
    const player = await register('large');
    const sizes = [...Array.from({ length: 40 }, () => 60_000), 1_500_000, 1_500_000, 10];
    const events = sizes.map((size, i) =>
      aTrackedEvent({
        entityId: player,
        eventId: `e${i}`,
        eventName: `n${i % 3}`,
        properties: `{"text":"${'x'.repeat(size)}"}`,
      }),
    );
    for (const event of events) await commit(log, [event]);
    await until('they are in', async () => (await rowsBy(player))['events'] === sizes.length, 20_000);
    const pages: unknown[][] = [];
    let cursor: string | null = null;
    do {
      const query = `limit=1000${cursor === null ? '' : `&cursor=${cursor}`}`;
      const { status, body } = await call('GET', `${PLAYERS}/${player}/export?${query}`);
      expect(status).toBe(200);
      const page: Exported = JSON.parse(JSON.stringify(body.data));
      const rows = Object.values(page.rows).flat();
      const before = rows.slice(0, -1);
      expect(JSON.stringify(before).length).toBeLessThanOrEqual(PLAYER_API_LIMITS.exportPageBytes * 1.1);
      pages.push(rows.map((row) => row['event_id']).filter((id) => id !== undefined));
      cursor = page.next_cursor;
    } while (cursor !== null && pages.length < 20);
    expect(pages.flat()).toEqual(events.map(({ eventId }) => eventId));
    expect(pages.map((ids) => ids.length)).toEqual([18, 18, 5, 1, 1]);
  });

  it('counts against the rate limit of its key', async () => {
    const player = await register('metered');
    const lonely = await startGateway({ backend, analytics });
    const metered = await lonely.key({ tier: 'growth' });
    const response = await lonely.call(metered, 'GET', `${PLAYERS}/${player}/export`);
    expect([response.status, response.headers.has('ratelimit-remaining')]).toEqual([200, true]);
    await lonely.close();
  });

  it('contains every field of the state, with times as ISO 8601 and money in units', async () => {
    const [id, state] = ['7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c', SAMPLES.states.player];
    const lonely = await startGateway({ analytics });
    lonely.backend.reply = () => ({ kind: 'exported', player: { ...state, keys: [{ key: 'key-1', at: 1_000 }] } });
    const response = await lonely.call(await lonely.key(), 'GET', `${PLAYERS}/${id}/export`);
    const { data } = await bodyOf(response);
    const page: Exported = JSON.parse(JSON.stringify(data));
    const names = Object.keys(state).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const shown = new Set([...Object.keys(page.state), ...Object.keys(page.player), 'kind', 'last_seq', 'born_seq']);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
    expect(page.state).toMatchObject({
      keys: [{ key: 'key-1', at: '1970-01-01T00:00:01.000Z' }],
      recorded_purchases: expect.arrayContaining([expect.objectContaining({ amount: 4.99, total_revenue: 9.99 })]),
      segments: [{ segment_key: 'whales', since: expect.stringMatching(/^2026-/) }],
    });
    await lonely.close();
  });

  it('refuses an invalid cursor, and is 503 while ClickHouse is unavailable', async () => {
    const player = await register('cursor');
    const { status, body } = await call('GET', `${PLAYERS}/${player}/export?cursor=nonsense`);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    const lonely = await startGateway();
    for (const path of ['export', 'erasure']) {
      const away = await lonely.call(await lonely.key(), 'GET', `${PLAYERS}/${player}/${path}`);
      expect(away.status).toBe(503);
    }
    await lonely.close();
  });
});

describe('the list of tables with rows of players', () => {
  it('contains every table of the schema that has a player column', async () => {
    const sql = `SELECT DISTINCT table FROM system.columns
      WHERE database = currentDatabase() AND name IN ('player_id', 'external_id')
        AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`;
    const found = (await rowsOf<{ table: string }>(clickhouse, sql)).map(({ table }) => table);
    // The days and levels of players are made of the rows of the others. Receipts and audit entries have the id
    // alone, and stay.
    const derived = ['player_days', 'player_days_staged', 'player_levels'];
    expect(found.toSorted()).toEqual([...PLAYER_TABLES, 'erasures', 'audit_entries', ...derived].toSorted());
  });
});

interface Exported {
  player: Record<string, unknown>;
  state: Record<string, unknown>;
  rows: Record<string, Record<string, unknown>[]>;
  next_cursor: string | null;
}

const anEvent = (entityId: string): DomainFact => aTrackedEvent({ entityId });
