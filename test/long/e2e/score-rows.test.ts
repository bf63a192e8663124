import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { untilReady } from '../../support/servers/supervised.ts';
import { until } from '../../support/until.ts';

/* Runs what `npm start` runs, sends scores and kills its processes: each answer of 200 must be exactly one row. */

const PATH = '/v1/scoring/first-user-conversion';
const CLIENTS = 8;
const FEATURES = 7;

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const count = async (sql: string): Promise<number> => {
  const [row] = await service.sql<{ n: number }>(`SELECT toUInt32(count()) AS n FROM ${sql}`);
  return row?.n ?? 0;
};

/** Clients that score one device after another until they are stopped; each device is sent once. */
function startClients() {
  const answered: string[] = [];
  let turn = 0;
  let stopped = false;
  const goesOn = () => !stopped;
  async function client(): Promise<void> {
    while (goesOn()) {
      const deviceId = `device-${turn++}`;
      const body = { device_id: deviceId, vpay_count: turn % 20, sess_duration_total: turn };
      // A process that dies breaks its connections: such a device has no answer.
      const answer = await service.call(service.keys.live.client, 'POST', PATH, body).catch(() => undefined);
      if (answer?.status === 200) answered.push(deviceId);
    }
  }
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    answered,
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

test('ClickHouse has the reference bins of the active model, for measuring drift', async () => {
  await until('its bins are there', async () => (await count('model_references FINAL')) === FEATURES);
});

test('every answered score is one row, after kill -9 of ClickHouse, the broker and the service', async () => {
  const clients = startClients();
  for (const name of ['clickhouse', 'nats', 'clickhouse', 'service', 'clickhouse'] as const) {
    const before = clients.answered.length;
    await until('scores are answered', () => clients.answered.length > before + 50);
    const pid = service.supervised.pids()?.[name];
    if (pid === undefined || pid === null) throw new Error(`${name} does not run`);
    process.kill(pid, 'SIGKILL');
    await until(`${name} is another process`, () => (service.supervised.pids()?.[name] ?? pid) !== pid);
    await untilReady(service.supervised);
  }
  const before = clients.answered.length;
  await until('scores are answered', () => clients.answered.length > before + 50);
  await clients.stop();
  // RECORDS is read in order: once this one is a row, everything that an earlier process sent is too.
  await until('a last score is answered', async () => {
    const { status } = await service.call(service.keys.live.client, 'POST', PATH, { device_id: 'last' });
    return status === 200 && clients.answered.push('last') > 0;
  });

  const rows = async () =>
    (await service.sql<{ device_id: string }>('SELECT device_id FROM scores')).map((row) => row.device_id);
  await until('all of them are rows', async () => {
    const found = new Set(await rows().catch(() => []));
    return clients.answered.every((deviceId) => found.has(deviceId));
  });
  const found = await rows();
  expect(found).toHaveLength(new Set(found).size);
  expect(clients.answered.length).toBeGreaterThan(300);
});
