import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

let service: RunningService;
let server: string;
let client: string;
beforeAll(async () => {
  service = await startService();
  ({ server, client } = service.keys.live);
});
afterAll(() => service.stop());

const SEGMENTS = '/v1/segments/segments';
const FLAGS = '/v1/flags/flags';

async function made(path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, body: answered } = await service.call(server, 'POST', path, body);
  expect([status, answered.error]).toEqual([201, undefined]);
  return answered.data;
}

async function evaluate(playerId: string, key: string): Promise<Record<string, unknown>> {
  const { body } = await service.call(client, 'POST', `${FLAGS}/${key}/evaluate`, { player_id: playerId });
  expect(body.error).toBeUndefined();
  return body.data;
}

test('a flag takes effect with the answer: created, changed, overridden, deleted', async () => {
  const playerId = await service.player(server, 'anna');
  await made(FLAGS, {
    key: 'shop.layout',
    name: 'Shop layout',
    flag_type: 'multivariate',
    default_value: 'old',
    variants: [
      { key: 'control', value: 'old', weight: 0 },
      { key: 'b', value: 'new', weight: 100 },
    ],
    enabled: true,
    targeting_rules: [{ name: 'All', segment_id: null, value: true, percentage: 100, priority: 1 }],
  });
  expect(await evaluate(playerId, 'shop.layout')).toMatchObject({ value: 'new', variant_key: 'b' });

  const patched = await service.call(server, 'PATCH', `${FLAGS}/shop.layout`, { enabled: false }, { 'If-Match': '1' });
  expect([patched.status, patched.headers.get('etag')]).toEqual([200, '"2"']);
  expect(await evaluate(playerId, 'shop.layout')).toMatchObject({ value: 'old', reason: 'flag_disabled' });
  const stale = await service.call(server, 'PATCH', `${FLAGS}/shop.layout`, { enabled: true }, { 'If-Match': '1' });
  expect([stale.status, stale.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
  await service.call(server, 'PATCH', `${FLAGS}/shop.layout`, { enabled: true });

  const override = `${FLAGS}/shop.layout/overrides/${playerId}`;
  const set = await service.call(server, 'PUT', override, { variant_key: 'control' });
  expect([set.status, set.body.data['value']]).toEqual([200, 'old']);
  expect(await evaluate(playerId, 'shop.layout')).toMatchObject({
    value: 'old',
    variant_key: 'control',
    reason: 'player_override',
  });
  expect((await service.call(server, 'DELETE', override)).status).toBe(200);
  expect(await evaluate(playerId, 'shop.layout')).toMatchObject({ variant_key: 'b', reason: 'percentage_rollout' });
  const nobody = `${FLAGS}/shop.layout/overrides/6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11`;
  const unknown = await service.call(server, 'PUT', nobody, { value: 'old' });
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);

  expect((await service.call(server, 'DELETE', `${FLAGS}/shop.layout`)).status).toBe(200);
  const gone = await service.call(client, 'POST', `${FLAGS}/shop.layout/evaluate`, { player_id: playerId });
  expect([gone.status, gone.body.error.code]).toEqual([404, 'FLAG_NOT_FOUND']);
  const again = await service.call(server, 'POST', FLAGS, { key: 'shop.layout', flag_type: 'boolean' });
  expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
});

test('a repeat with an Idempotency-Key creates nothing twice, with the real ledger', async () => {
  const once = { 'Idempotency-Key': 'definitions-1' };
  const body = { key: 'once', name: 'Once', conditions: { is_payer: true } };
  const first = await service.call(server, 'POST', SEGMENTS, body, once);
  const second = await service.call(server, 'POST', SEGMENTS, body, once);
  expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(second.body).toEqual(first.body);
  const other = await service.call(server, 'POST', FLAGS, { key: 'once', flag_type: 'boolean' }, once);
  expect([other.status, other.body.error.code]).toEqual([409, 'CONFLICT']);

  const path = `${SEGMENTS}/${String(first.body.data['segment_id'])}`;
  const away = { 'Idempotency-Key': 'definitions-2' };
  expect((await service.call(server, 'DELETE', path, undefined, away)).status).toBe(200);
  const repeat = await service.call(server, 'DELETE', path, undefined, away);
  expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect((await service.call(server, 'GET', path)).status).toBe(404);
});

test('an edit of a segment re-evaluates inactive players and reports its progress', async () => {
  const playerId = await service.player(server, 'idle');
  const segment = await made(SEGMENTS, { key: 'payers', name: 'Payers', conditions: { is_payer: true } });
  const path = `${SEGMENTS}/${String(segment['segment_id'])}`;
  await made(FLAGS, {
    key: 'for-segment',
    flag_type: 'boolean',
    targeting_rules: [{ segment_id: segment['segment_id'], percentage: 100 }],
  });
  expect(await evaluate(playerId, 'for-segment')).toMatchObject({ value: false, reason: 'default' });

  const everybody = { key: 'payers', name: 'Payers', conditions: { session_count: { $gte: 0 } }, version: 1 };
  expect((await service.call(server, 'PUT', path, everybody)).status).toBe(200);
  const through = await until('every player is evaluated', async () => {
    const { body } = await service.call(server, 'GET', path);
    const { evaluation } = body.data;
    return JSON.stringify(evaluation).includes('"done"') ? body.data : undefined;
  });
  expect(through).toMatchObject({ version: 2, evaluation: { status: 'done' } });
  expect(await evaluate(playerId, 'for-segment')).toMatchObject({
    value: true,
    reason: 'segment_match',
    segment_id: segment['segment_id'],
  });

  const used = await service.call(server, 'DELETE', path);
  expect([used.status, used.body.error.details]).toMatchObject([409, { flags: ['for-segment'] }]);

  // Nor is it switched off while the flag uses it.
  expect((await service.call(server, 'PUT', path, { ...everybody, enabled: false, version: 2 })).status).toBe(409);
  await service.call(server, 'PUT', path, { ...everybody, conditions: { session_count: { $gte: 1_000 } }, version: 2 });
  await until('the player has left', async () => (await evaluate(playerId, 'for-segment'))['reason'] === 'default');
});

test('definitions survive a restart of the service', async () => {
  await made(FLAGS, { key: 'kept', flag_type: 'number', variants: [{ key: 'a', value: 1.5, weight: 1 }] });
  const before = await service.call(server, 'GET', `${FLAGS}/kept`);
  const pid = service.supervised.pids()?.service;
  expect(pid).toBeGreaterThan(0);
  process.kill(pid!, 'SIGKILL');
  await until('a new process serves', () => service.supervised.pids()?.service !== pid);
  const after = await until('it answers again', async () => {
    const answered = await service.call(server, 'GET', `${FLAGS}/kept`).catch(() => undefined);
    return answered?.status === 200 ? answered : undefined;
  });
  expect(after.body).toEqual(before.body);
});
