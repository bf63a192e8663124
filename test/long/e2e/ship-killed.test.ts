import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressesOf } from '../../../src/cli/audit/read/addresses.ts';
import { type RunningService, startService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* kill -9 of the service between the two writes of `ship` and of `undo`: the request is repeated, and goes on. */

let service: RunningService;
let nats: NatsConnection;
beforeAll(async () => {
  service = await startService();
  nats = await connect(addressesOf(service.supervised.env).nats);
});
afterAll(async () => {
  await nats.close();
  await service.stop();
});

const FLAGS = '/v1/flags/flags';
const EXPERIMENTS = '/v1/experiments/experiments';
const HALVES = [
  { key: 'a', weight: 1 },
  { key: 'b', weight: 1 },
];
const RULE = { name: 'All', segment_id: null, value: true, percentage: 20 };
const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(service.keys.live.server, method, path, body, headers);

const stateOf = async (key: string) => {
  const [flag, experiment] = [await call('GET', `${FLAGS}/${key}`), await call('GET', `${EXPERIMENTS}/${key}`)];
  const rules = JSON.stringify(flag.body.data['targeting_rules']);
  return { rules, version: Number(flag.body.data['version']), experiment: experiment.body.data };
};

/** Kills the service once it has sent a write of the document to the broker, which stores it all the same. */
async function killedBehind(kind: 'flag' | 'experiment', key: string, request: () => Promise<unknown>): Promise<void> {
  const pid = service.supervised.pids()?.service;
  if (pid === undefined || pid === null) throw new Error('the service has no process id');
  const writes = nats.subscribe(`$KV.CONFIG.demo.live.${kind}.${key}`, {
    max: 1,
    callback: () => void process.kill(pid, 'SIGKILL'),
  });
  await nats.flush();
  await request().catch(() => {});
  await until('it has a new process', () => ![null, pid].includes(service.supervised.pids()?.service ?? null));
  writes.unsubscribe();
  await until('it is there again', async () => {
    const answer = await call('GET', `${FLAGS}/${key}`).catch(() => undefined);
    return answer?.status === 200;
  });
}

async function running(key: string): Promise<void> {
  const variants = HALVES.map((each) => ({ ...each, value: each.key }));
  const flag = { key, flag_type: 'string', default_value: 'off', variants, targeting_rules: [RULE] };
  expect((await call('POST', FLAGS, flag)).status).toBe(201);
  expect((await call('POST', EXPERIMENTS, { key, name: key, flag_key: key, variants: HALVES })).status).toBe(201);
  expect((await call('POST', `${EXPERIMENTS}/${key}/start`)).status).toBe(200);
}

/** The versions of the history with who and why, the oldest first, once the newest one is there. */
async function historyOf(path: string, newest: number): Promise<{ version: number; reason: string; by: string }[]> {
  let found: { version: number; reason: string; made_by: { kind: string } }[] = [];
  await until(`version ${newest} of ${path} is in the history`, async () => {
    const { body } = await call('GET', `${path}/versions`);
    found = JSON.parse(JSON.stringify(body.data['versions'] ?? []));
    return found[0]?.version === newest;
  });
  return found.map(({ version, reason, made_by: { kind } }) => ({ version, reason, by: kind })).toReversed();
}

test('a shipped winner is there once, and taken back once, after kill -9 between the writes', async () => {
  const between = { ship: 0, undo: 0 };
  for (let turn = 1; turn <= 5 && (between.ship === 0 || between.undo === 0); turn += 1) {
    const key = `killed-${turn}`;
    const act = (action: string, reason: string, body?: object) =>
      call('POST', `${EXPERIMENTS}/${key}/${action}`, body, {
        'X-Change-Reason': reason,
        'Idempotency-Key': `${action}-${turn}`,
      });
    await running(key);

    await killedBehind('flag', key, () => act('ship', 'More sales', { variant: 'b' }));
    const left = await stateOf(key);
    expect(left.version).toBe(2);
    if (left.experiment['state'] === 'running') between.ship += 1;
    const shipped = await act('ship', 'More sales', { variant: 'b' });
    expect([shipped.status, shipped.body.data]).toMatchObject([200, { experiment: { state: 'shipped', winner: 'b' } }]);
    const after = await stateOf(key);
    expect(after.version).toBe(2);
    expect(after.rules.match(/Shipped/g)).toHaveLength(1);
    expect(JSON.parse(after.rules)[0]).toMatchObject({ serve: { variant: 'b' }, percentage: 100 });
    expect((await act('ship', 'More sales', { variant: 'b' })).body.data).toMatchObject({ flag: { version: 2 } });

    await killedBehind('experiment', key, () => act('undo', 'Wrong one'));
    if ((await stateOf(key)).version === 2) between.undo += 1;
    const undone = await act('undo', 'Wrong one');
    expect([undone.status, undone.body.data]).toMatchObject([200, { experiment: { state: 'stopped', winner: null } }]);
    const end = await stateOf(key);
    expect([end.version, JSON.parse(end.rules)]).toMatchObject([3, [RULE]]);
    expect(await historyOf(`${FLAGS}/${key}`, 3)).toMatchObject([
      { version: 1 },
      { version: 2, reason: 'More sales', by: 'key' },
      { version: 3, reason: 'Wrong one', by: 'key' },
    ]);
    expect(await historyOf(`${EXPERIMENTS}/${key}`, 4)).toMatchObject([
      { version: 1 },
      { version: 2 },
      { version: 3, reason: 'More sales', by: 'key' },
      { version: 4, reason: 'Wrong one', by: 'key' },
    ]);
  }
  // The kill reaches the service before it has learned of its own write, but for a rare turn.
  expect(between.ship).toBeGreaterThan(0);
  expect(between.undo).toBeGreaterThan(0);
}, 420_000);
