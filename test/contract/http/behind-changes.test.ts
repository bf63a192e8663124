import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { PendingErasure } from '../../../clickhouse-schema/rows/erased-rows.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { APPROVAL_LIMITS } from '../../../src/api/approvals/limits.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createErasureTarget } from '../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import type { TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startOfToday } from '../../support/whole-day.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { nextVersion } from '../../support/wire/built-days.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { insertWorld } from './inserted-world.ts';
import { madeWorld } from './metric-world.ts';

/* The players behind a figure while players are erased, and a list of them that waits for a second person. */

const DAY_MS = 86_400_000;
const TODAY = (await startOfToday(240_000)) / DAY_MS;
const FROM = TODAY - 20;
const range = { from: new Date(FROM * DAY_MS).toISOString(), to: new Date((TODAY - 1) * DAY_MS).toISOString() };
const query = { ...range, kind: 'trend', metric: 'active_players', interval: 'month' };
const LOG = Date.UTC(2020, 0, 1);
const PLAYERS = 40;

let clickhouse: TestClickhouse;
let analytics: Analytics;
let owners: DecidingBackend;
let gateway: Gateway;
let key: string;
let at: string;
/** Runs before an owner gets a list. */
let beforeList: () => Promise<void>;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({
    analytics,
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
    backend: {
      async send(origin, entityId, body) {
        if (body.kind === 'ListPlayers') await beforeList();
        return owners.send(origin, entityId, body);
      },
      query: (origin, entityId, body) => owners.query(origin, entityId, body),
      partitionOf: (entityId) => owners.partitionOf(entityId),
    },
  });
  owners = createDecidingBackend(systemClock, createLiveDefinitions(gateway.config, silentLogger));
  key = await gateway.key();
  await insertWorld(clickhouse, madeWorld(FROM, TODAY - 1, 21), idOf);
  for (let n = 0; n < PLAYERS; n += 1) await call('POST', '/v1/players/players', { external_id: `p${n}` });
  const { data } = await call('POST', '/v1/analytics/queries', query);
  const [series]: { points: { at: string; value: number }[] }[] = JSON.parse(JSON.stringify(data['series']));
  at = series?.points.toSorted((one, other) => other.value - one.value)[0]?.at ?? '';
}, 240_000);
beforeEach(() => {
  beforeList = () => Promise.resolve();
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

const idOf = (n: number): string => playerIdOf({ namespace: gateway.namespace('demo'), environment: 'live' }, `p${n}`);

async function call(method: string, path: string, body?: object) {
  const response = await gateway.call(key, method, path, body);
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, error };
}

interface Page {
  total: number;
  players: { player_id: string; external_id: string | null }[];
  next_cursor: string | null;
}

async function page(cursor: string | null, limit = 7): Promise<Page> {
  const body = { query, point: { at }, limit, ...(cursor === null ? {} : { cursor }) };
  const { status, data } = await call('POST', '/v1/analytics/queries/players', body);
  expect(status).toBe(200);
  return JSON.parse(JSON.stringify(data));
}

/** Erases a player from its owner, and its rows as the sink does. */
async function erase(playerId: string): Promise<void> {
  expect((await call('DELETE', `/v1/players/players/${playerId}`)).status).toBeLessThan(300);
  const place = { createdMs: LOG, sequence: 100_000, index: 0, erasedAt: Date.now(), rows: undefined, deviceId: '' };
  const erasures: PendingErasure[] = [{ game: 'demo', environment: 'live', playerId, ...place }];
  const rows = createErasureTarget(clickhouse.address);
  const days = createPlayerDaysTarget(clickhouse.address);
  const players = { game: 'demo', environment: 'live', ids: [playerId] };
  while ((await rows.remove(erasures, undefined)) === 'later');
  while ((await days.rebuild(players, { zone: 'UTC', version: nextVersion() })) === 'later');
  await rows.close();
  await days.close();
}

async function staticSegment(name: string): Promise<string> {
  const { status, data } = await call('POST', '/v1/segments/segments', { key: name, name, kind: 'static' });
  expect(status).toBe(201);
  return String(data['segment_id']);
}

const listOf = (segmentId: string) =>
  gateway.config.list('segment').find(({ document }) => document.id === segmentId)?.document;

/** The players whose state says that they are in the current list. */
function listed(segmentId: string): string[] {
  const load = listOf(segmentId)?.list?.load ?? '';
  return Array.from({ length: PLAYERS }, (_, n) => idOf(n)).filter((id) => {
    const state = owners.state(id);
    return state?.kind === 'player' && state.lists?.some(({ loads }) => loads.includes(load)) === true;
  });
}

describe('an erasure', () => {
  it('between pages: the next ones go on behind the last, without the erased', async () => {
    const all = await page(null, 100);
    const first = await page(null);
    const ids = all.players.map(({ player_id: id }) => id);
    expect(ids.length).toBeGreaterThan(20);
    // The last of the page, behind which the next one begins, and one that is still to come.
    const erased = [ids[6] ?? '', ids[9] ?? ''];
    for (const id of erased) await erase(id);
    const found: string[] = [];
    for (let { next_cursor: cursor } = first; cursor !== null;) {
      const next: Page = await page(cursor);
      expect(next.total).toBe(all.total - erased.length);
      found.push(...next.players.map(({ player_id: id }) => id));
      cursor = next.next_cursor;
    }
    expect(found).toEqual(ids.slice(7).filter((id) => !erased.includes(id)));
  });

  it('while a list is made of them: the list has all others, and nothing of the erased', async () => {
    const ids = (await page(null, 100)).players.map(({ player_id: id }) => id);
    const [gone = ''] = ids;
    const segmentId = await staticSegment('made_meanwhile');
    beforeList = async () => {
      beforeList = () => Promise.resolve();
      await erase(gone);
    };
    const loaded = await call('PUT', `/v1/segments/segments/${segmentId}/members/query`, { query, point: { at } });
    const members = ids.length - 1;
    expect(loaded).toMatchObject({ status: 200, data: { received: ids.length, members, unknown: 1 } });
    expect(listed(segmentId).toSorted()).toEqual(ids.slice(1).toSorted());
    expect(owners.state(gone)).toMatchObject({ kind: 'erased' });
  });
});

describe('a list of the players behind a figure that a live flag uses', () => {
  const grant = (role: Role): Grant => ({ game: 'demo', environment: '*', role });
  let ann: SignedInPerson;
  let bob: SignedInPerson;
  let segmentId: string;
  let sent: CommandBody['kind'][];

  beforeAll(async () => {
    const people = createPeople(gateway);
    [ann, bob] = [await people.signedIn(grant('editor')), await people.signedIn(grant('editor'))];
    const held = gateway.config.get(gameAddress('demo'));
    if (held === undefined) throw new Error('there is no game');
    await gateway.config.put(gameAddress('demo'), { ...held.document, approval: true });
  });
  let made = 0;
  beforeEach(async () => {
    made += 1;
    segmentId = await staticSegment(`list_${made}`);
    const rule = { segment_id: segmentId, percentage: 100 };
    const flag = { key: `flag_${made}`, name: 'F', flag_type: 'boolean', enabled: true, targeting_rules: [rule] };
    expect((await call('POST', '/v1/flags/flags', flag)).status).toBe(201);
    sent = [];
    beforeList = async () => void sent.push('ListPlayers');
  });

  const put = (person: SignedInPerson) =>
    person.call('PUT', `/v1/segments/segments/${segmentId}/members/query`, { query, point: { at } });
  const approve = (id: string) => bob.call('POST', `/v1/console/approvals/${id}/approve`);
  const addressOf = (id: string) => ({ game: 'demo', environment: 'live', kind: 'proposal', key: id }) as const;

  async function proposed(): Promise<string> {
    const response = await put(ann);
    const { error }: { error: { code: string; details: { approval_id: string } } } = JSON.parse(await response.text());
    expect([response.status, error.code]).toEqual([409, 'CONFLICT']);
    return error.details.approval_id;
  }

  /** Leaves the proposal as a process leaves it that ended after the change, a minute ago. */
  async function approvedAndLeft(): Promise<string> {
    const id = await proposed();
    const held = gateway.config.get(addressOf(id));
    if (held === undefined) throw new Error('the proposal does not wait');
    expect((await approve(id)).status).toBe(200);
    const approving = { by: 'somebody', at: systemClock.wallMs() - APPROVAL_LIMITS.proposalClaimMs };
    await gateway.config.put(addressOf(id), { ...held.document, approving });
    return id;
  }

  it('waits, is shown as it was sent, and is made of the players at its approval', async () => {
    const id = await proposed();
    expect([sent, listOf(segmentId)?.version]).toEqual([[], 1]);
    const shown = await (await bob.call('GET', '/v1/console/approvals')).text();
    expect(JSON.parse(shown)).toMatchObject({
      data: {
        approvals: [
          { id, method: 'PUT', kind: 'segment', params: { id: segmentId }, body: { query, point: { at } }, version: 1 },
        ],
      },
    });
    const before = (await page(null, 100)).players.map(({ player_id: each }) => each);
    await erase(before[0] ?? '');
    expect((await approve(id)).status).toBe(200);
    expect(listed(segmentId).toSorted()).toEqual(before.slice(1).toSorted());
    expect([listOf(segmentId)?.version, gateway.config.list('proposal')]).toEqual([2, []]);
  });

  it('waits on if the list changed meanwhile', async () => {
    const id = await proposed();
    expect(
      (await call('PUT', `/v1/segments/segments/${segmentId}/members/query`, { query, point: { at } })).status,
    ).toBe(200);
    const load = listOf(segmentId)?.list?.load;
    expect((await approve(id)).status).toBe(409);
    expect(listOf(segmentId)?.list?.load).toBe(load);
    expect((await bob.call('DELETE', `/v1/console/approvals/${id}`)).status).toBe(200);
  });

  it('is not made again if the process ended behind it, nor rejected', async () => {
    const id = await approvedAndLeft();
    const load = listOf(segmentId)?.list?.load;
    expect((await approve(id)).status).toBe(200);
    expect([listOf(segmentId)?.list?.load, gateway.config.list('proposal')]).toEqual([load, []]);
  });

  it('is not rejected if the process ended behind it', async () => {
    const id = await approvedAndLeft();
    const rejected = await ann.call('DELETE', `/v1/console/approvals/${id}`);
    expect([rejected.status, await rejected.text()]).toEqual([409, expect.stringContaining('made before')]);
  });
});
