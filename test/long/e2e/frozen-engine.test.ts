import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEndpoints } from '../../../src/local/processes/run-files.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* A statement can make the engine wait for ever: it opens time zones as files, and a pipe is a file without an end. */

/** The time after which a frozen engine answers again, under load: what SECURITY.md says. */
const REPLACED_WITHIN_MS = 15_000;
const WRITERS = 8;

let service: RunningService;

beforeAll(async () => {
  service = await startService();
}, 120_000);
afterAll(() => service.stop());

/** As the service, whose statements are not checked for time zones. */
function asService(sql: string): Promise<Response> {
  const endpoints = readEndpoints(service.supervised.dataDir);
  if (endpoints === undefined) throw new Error('nothing runs');
  const { user, password } = endpoints.clickhouse;
  return fetch(endpoints.clickhouse.url, {
    method: 'POST',
    body: sql,
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
  });
}

async function clickhouseCheck(): Promise<boolean | undefined> {
  const response = await fetch(`${service.url}/readyz`);
  const { data }: { data: { checks: Record<string, boolean> } } = JSON.parse(await response.text());
  expect(response.status).toBe(200);
  return data.checks['clickhouse'];
}

test('the process of the engine is confined and opens no device, also for a statement that is not checked', async () => {
  const started = performance.now();
  const response = await asService("SELECT toDateTime(0, 'file:/dev/ptmx')");
  expect(await response.text()).toContain('Cannot load time zone');
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(await service.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('an engine that hangs is replaced while events arrive, /readyz says so, and no event is lost', async () => {
  await until('the check of ClickHouse passes', clickhouseCheck);
  const before = service.supervised.pids()?.clickhouse;
  const player = await service.player(service.keys.live.server, 'writes-meanwhile');
  const accepted: string[] = [];
  const over = new AbortController();
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const event_id = `${writer}-${n}`;
      const event = { player_id: player, event_name: 'meanwhile', event_id };
      const { status } = await service.call(service.keys.live.server, 'POST', '/v1/events/events', event);
      if (status === 200 || status === 201) accepted.push(event_id);
    }
  });
  await until('events are accepted', () => accepted.length > 200);

  // A pipe of the engine's own process, the one kind of file that confinement cannot close.
  const frozenMs = performance.now();
  const hanging = asService("SELECT toDateTime(0, 'file:/proc/self/fd/5')").catch(() => undefined);
  await until('the check of ClickHouse fails', async () => (await clickhouseCheck()) === false);
  const beforeReplaced = accepted.length;
  await until(
    'statements are answered again',
    async () => {
      const rows = await service.sql('SELECT 1 AS one').catch(() => []);
      return rows.length === 1 && service.supervised.pids()?.clickhouse !== before;
    },
    60_000,
  );
  expect(performance.now() - frozenMs).toBeLessThan(REPLACED_WITHIN_MS);
  expect(accepted.length).toBeGreaterThan(beforeReplaced);
  over.abort();
  await Promise.all([hanging, ...writers]);
  await until('the check of ClickHouse passes again', clickhouseCheck);
  const counts = `SELECT toUInt32(count()) AS n, toUInt32(uniqExact(event_id)) AS ids FROM events
    WHERE event_name = 'meanwhile'`;
  const rows = async () => (await service.sql<{ n: number; ids: number }>(counts))[0];
  await until('all rows are there', async () => ((await rows())?.n ?? 0) >= accepted.length, 60_000);
  expect(await rows()).toEqual({ n: accepted.length, ids: accepted.length });
}, 180_000);
