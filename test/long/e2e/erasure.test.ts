import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HIDDEN_COLUMNS } from '../../../clickhouse-schema/hidden-columns.ts';
import { addressesOf } from '../../../src/cli/audit/read/addresses.ts';
import { audit } from '../../../src/cli/audit/audit.ts';
import { plantedFaults, writeRows } from '../../audit/plant-faults.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

const AUDIT = fileURLToPath(new URL('../../../src/cli/audit/main.ts', import.meta.url));
/** The player is erased well before. */
const RETRY_SECONDS = 8;

let service: RunningService;
let receiver: WebhookReceiver;
let receiverStatus = 500;
beforeAll(async () => {
  receiver = await startWebhookReceiver((_, response) => {
    response.statusCode = receiverStatus;
    response.end();
  });
  service = await startService({
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    WEBHOOK_RETRY_DELAYS_SECONDS: String(RETRY_SECONDS),
  });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const PLAYERS = '/v1/players/players';
const call = (method: string, path: string, body?: unknown) =>
  service.call(service.keys.live.server, method, path, body);

async function track(playerId: string, eventName: string): Promise<number> {
  const body = { player_id: playerId, event_name: eventName, properties: { n: 1 } };
  return (await call('POST', '/v1/events/events', body)).status;
}

const mark = (playerId: string, isTestPlayer: boolean) =>
  call('PATCH', `${PLAYERS}/${playerId}`, { is_test_player: isTestPlayer });

/** Rows of a player, by table, in all tables that exist. The records of the erasure itself do not count. */
async function rowsOf(playerId: string): Promise<Map<string, number>> {
  const tables = await service.sql<{ table: string }>(
    `SELECT DISTINCT table FROM system.columns WHERE database = currentDatabase() AND name = 'player_id'
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
      AND table NOT IN ('erasures', 'audit_entries')`,
  );
  const found = new Map<string, number>();
  for (const { table } of tables) {
    const more = table === 'player_snapshots' ? " AND kind != 'erased'" : '';
    const sql = `SELECT toUInt32(count()) AS n FROM ${table} WHERE player_id = '${playerId}'${more}`;
    const n = (await service.sql<{ n: number }>(sql))[0]?.n ?? 0;
    if (n > 0) found.set(table, n);
  }
  return found;
}

const receiptOf = (playerId: string) =>
  until('the erasure is done', async () => {
    const { body } = await call('GET', `${PLAYERS}/${playerId}/erasure`);
    return body.data?.['status'] === 'done' ? body.data : undefined;
  });

const dropped = async (): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^webhook_attempts_total\{outcome="dropped"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

/** Columns of text that readers without a password may read, by table. */
async function readableTexts(): Promise<Map<string, string[]>> {
  const columns = await service.sql<{ table: string; name: string }>(
    `SELECT table, name FROM system.columns WHERE database = currentDatabase() AND type LIKE '%String%'
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`,
  );
  const readable = new Map<string, string[]>();
  for (const { table, name } of columns) {
    if (HIDDEN_COLUMNS[table]?.includes(name) !== true) readable.set(table, [...(readable.get(table) ?? []), name]);
  }
  return readable;
}

test('a broken identify shows its address to no reader, and is erased with the player that it names', async () => {
  const { server } = service.keys.live;
  const address = 'steam-player@example.com';
  const segment = (body: string) =>
    fetch(`${service.url}/v1/batch`, { method: 'POST', headers: { 'X-API-Key': server }, body });
  // A number beyond 2^53, a type that is none, an address in the context, and a message that is a list.
  const bodies = [
    `{"type":"identify","userId":76561198000000001,"messageId":"q-1","traits":{"email":"${address}","level":3}}`,
    `{"type":"Identify","userId":"steam-2","messageId":"q-2","traits":{"email":"${address}"}}`,
    `{"type":"identify","userId":76561198000000001,"anonymousId":"a-9","messageId":"q-3","context":{"traits":{"Email":"${address}"}}}`,
    `{"type":"IDENTIFY","anonymousId":"a-9","messageId":"q-4","traits":[{"e-mail":"${address}"}]}`,
  ];
  for (const body of bodies) expect((await segment(`{"batch":[${body}]}`)).status).toBe(200);
  const kept = async () => {
    const rows = await service.sql<{ event_id: string }>(
      "SELECT event_id FROM quarantined_events WHERE event_id LIKE 'q-%' ORDER BY event_id",
    );
    return rows.map(({ event_id: id }) => id);
  };
  await until('all are in quarantine', async () => (await kept()).length === bodies.length);

  const holders: string[] = [];
  for (const [table, columns] of await readableTexts()) {
    const isThere = columns.map((name) => `position(toString(\`${name}\`), '${address}') > 0`).join(' OR ');
    const [found] = await service.sql<{ n: number }>(`SELECT toUInt32(count()) AS n FROM ${table} WHERE ${isThere}`);
    if (found?.n !== 0) holders.push(table);
  }
  expect(holders).toEqual([]);

  // The number as it was before it was parsed; a neighbour; the anonymous player; the one with the misspelt type.
  const erase = async (externalId: string) => {
    const id = await service.player(server, externalId);
    expect((await call('DELETE', `${PLAYERS}/${id}`)).status).toBe(200);
    await receiptOf(id);
  };
  await erase('76561198000000100');
  expect(await kept()).toEqual(['q-1', 'q-2', 'q-3', 'q-4']);
  await erase('76561198000000001');
  expect(await kept()).toEqual(['q-2', 'q-4']);
  await erase('anonymous:a-9');
  expect(await kept()).toEqual(['q-2']);
  await erase('steam-2');
  expect(await kept()).toEqual([]);
});

test('a player is erased from state, tables and pending deliveries, and may register again', async () => {
  const webhook = { name: 'late', url: receiver.url, enabled: true, events: ['goodbye', 'hello_again'] };
  expect((await call('POST', '/v1/integrations/webhooks', webhook)).status).toBe(201);
  const segment = { key: 'all', name: 'All', conditions: { 'events.goodbye.count_7d': { $gte: 1 } } };
  expect((await call('POST', '/v1/segments/segments', segment)).status).toBe(201);

  const player = await service.player(service.keys.live.server, 'erased-1');
  expect((await mark(player, true)).status).toBe(200);
  expect(await track(player, 'goodbye')).toBe(200);
  await until('the first attempt has failed', () => receiver.requests.length > 0);
  await until('its rows are in', async () => {
    const rows = await rowsOf(player);
    return ['events', 'player_snapshots', 'segment_transitions', 'test_players'].every((table) => rows.has(table));
  });
  const exported = await call('GET', `${PLAYERS}/${player}/export`);
  expect(exported.body.data).toMatchObject({
    player: { id: player, external_id: 'erased-1' },
    rows: { events: [{ event_name: 'goodbye' }] },
  });

  receiverStatus = 200;
  const before = receiver.requests.length;
  const erased = await call('DELETE', `${PLAYERS}/${player}`);
  expect([erased.status, erased.body.data['status']]).toEqual([200, 'pending']);
  expect((await call('GET', `${PLAYERS}/${player}`)).status).toBe(404);
  expect(await track(player, 'too_late')).toBe(404);
  const receipt = await receiptOf(player);
  expect(receipt).toMatchObject({ erased_at: erased.body.data['erased_at'], log_retention_days: 30 });
  expect(Number(receipt['rows_deleted'])).toBeGreaterThanOrEqual(3);
  expect(await rowsOf(player)).toEqual(new Map());

  expect(await service.player(service.keys.live.server, 'erased-1')).toBe(player);
  expect(await track(player, 'hello_again')).toBe(200);
  await until('the webhook hears of the new life', () => receiver.requests.length > before);
  await until('the retry of the old one is dropped', async () => (await dropped()) > 0);
  const kinds = receiver.requests.slice(before).map(({ body }) => {
    const { type }: { type: string } = JSON.parse(body);
    return type;
  });
  expect(kinds).toEqual(['event.hello_again']);
  await until('the new life has its row', async () => (await rowsOf(player)).get('events') === 1);
  expect((await call('GET', `${PLAYERS}/${player}`)).body.data).toMatchObject({ external_id: 'erased-1' });
});

test('an erasure survives kill -9 of the service right after its answer', async () => {
  const player = await service.player(service.keys.live.server, 'erased-2');
  expect(await track(player, 'goodbye')).toBe(200);
  expect((await call('DELETE', `${PLAYERS}/${player}`)).status).toBe(200);
  const pid = service.supervised.pids()?.service;
  if (pid === undefined || pid === null) throw new Error('the service has no process id');
  process.kill(pid, 'SIGKILL');
  await until('it has a new process', () => ![null, pid].includes(service.supervised.pids()?.service ?? null));
  await until('it is there again', async () => {
    const answer = await call('GET', `${PLAYERS}/${player}/erasure`).catch(() => undefined);
    return answer?.status === 200;
  });
  expect((await call('GET', `${PLAYERS}/${player}`)).status).toBe(404);
  expect(await receiptOf(player)).toMatchObject({ status: 'done' });
  expect(await rowsOf(player)).toEqual(new Map());
});

/** Rows and players of every kind that an audit compares; returns the ids of the players. */
async function play(): Promise<string[]> {
  const campaign = {
    key: 'hint',
    trigger: { event: 'level_failed' },
    content: { title: 'Stuck?', body: 'A hint.', cta: 'Show' },
    caps: { per_day: 1 },
  };
  expect((await call('POST', '/v1/campaigns/campaigns', campaign)).status).toBe(201);
  const schema = { event_name: 'boss', mode: 'enforce', schema: { type: 'object', required: ['level'] } };
  expect((await call('POST', '/v1/events/schemas', schema)).status).toBe(201);
  const flag = { key: 'shop', flag_type: 'boolean', enabled: true, targeting_rules: [{ percentage: 100 }] };
  expect((await call('POST', '/v1/flags/flags', flag)).status).toBe(201);
  const gate = { key: 'gate', flag_type: 'boolean', enabled: true };
  expect((await call('POST', '/v1/flags/flags', gate)).status).toBe(201);
  const players: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const id = await service.player(service.keys.live.server, `audited-${name}`);
    players.push(id);
    const session = String((await call('POST', '/v1/bff/game/init', { player_id: id })).body.data['session_id']);
    const events = ['level_failed', 'level_failed', 'goodbye', 'boss'].map((event_name, n) => ({
      event_id: `${event_name}-${n}-${name}`,
      event_name,
      properties: event_name === 'level_failed' ? { level: 7 } : { n: 1 },
    }));
    await call('POST', '/v1/bff/game/sync', { player_id: id, session_id: session, events });
    await call('POST', `${PLAYERS}/${id}/purchase?amount=4.99&transaction_id=t-${name}`);
    await call('POST', `${PLAYERS}/${id}/session`, { session_id: `s-${name}`, duration_seconds: 61 });
    expect((await call('POST', '/v1/flags/flags/shop/evaluate', { player_id: id })).status).toBe(200);
    const override = `/v1/flags/flags/gate/overrides/${id}`;
    expect((await call('PUT', override, { value: true })).status).toBe(200);
    if (name === 'c') expect((await call('DELETE', override)).status).toBe(200);
    if (name !== 'c') expect((await mark(id, true)).body.data).toMatchObject({ is_test_player: true });
    if (name === 'b') expect((await mark(id, false)).body.data).toMatchObject({ is_test_player: false });
  }
  return players;
}

test(
  'an audit finds no difference, and then each fault that is planted into the rows',
  { timeout: 120_000 },
  async () => {
    const [a = '', b = '', c = ''] = await play();
    const addresses = addressesOf(service.supervised.env);
    const run = () => audit({ addresses, waitMs: 60_000, note: () => {} });
    const ids = `'${a}', '${b}', '${c}'`;
    await until('the players have snapshots', async () => {
      const sql = `SELECT toUInt32(count()) AS n FROM players WHERE player_id IN (${ids}) AND purchase_count = 1`;
      return (await service.sql<{ n: number }>(sql))[0]?.n === 3;
    });
    const clean = await run();
    expect(clean.differences.lines()).toEqual([]);
    for (const table of [
      'events',
      'sessions',
      'purchases',
      'flag_exposures',
      'quarantined_events',
      'erasures',
    ] as const) {
      expect(clean.compared.get(table), table).toBeGreaterThan(0);
    }
    expect(clean.players.compared).toBeGreaterThanOrEqual(3);

    const erased = await service.sql<{ id: string }>('SELECT toString(player_id) AS id FROM erasures FINAL LIMIT 1');
    const faults = plantedFaults({
      events: ['level_failed-0-a', 'level_failed-0-b', 'goodbye-2-c'],
      purchase: 't-a',
      stage: b,
      member: c,
      erased: erased[0]?.id ?? '',
      messaged: b,
      active: c,
      level: '7',
      testers: { lost: a, unmarked: b, never: c },
      overridden: { flag: 'gate', lost: a, changed: b, removed: c, never: c },
    });
    for (const { statements } of faults) {
      for (const statement of statements) await writeRows(addresses.clickhouse, statement);
    }
    const audited = spawnSync(process.execPath, [AUDIT], { env: { ...service.supervised.env }, encoding: 'utf8' });
    expect(audited.status, audited.stderr).toBe(1);
    const found = audited.stdout
      .split('\n')
      .slice(audited.stdout.split('\n').findIndex((line) => line.startsWith('players:')) + 1);
    for (const { kind, text } of faults.flatMap(({ expected }) => expected)) {
      const from = found.findIndex((line) => line.startsWith(`${kind}: `));
      const to = found.findIndex((line, at) => at > from && !line.startsWith('  '));
      const said = from < 0 ? '' : found.slice(from, to).join('\n');
      expect(said, `${kind} in ${audited.stdout}`).toContain(text);
    }
  },
);
