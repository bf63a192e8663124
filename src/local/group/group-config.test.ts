import { beforeEach, expect, test } from 'vitest';
import { openConfigStore, type ConfigStore } from '../../../streams/config/config-store.ts';
import { createGame, gameAddress } from '../../../streams/config/games.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { createGroupConfig } from './group-config.ts';
import { LOCAL_LIMITS } from '../limits.ts';
import { systemIds } from '../../../core/kernel/ids.ts';

/* Three processes of one machine whose messages to and from the broker take 1, 20 and 50 ms. */

const LATENCIES_MS = [1, 20, 50];
const DEMO = gameAddress('demo');

let clock: FakeClock;
let processes: { store: ConfigStore; disconnect: () => void }[];

beforeEach(async () => {
  clock = createFakeClock();
  const latencyMs = (client: string): number => LATENCIES_MS[Number(client) - 1] ?? 0;
  const broker = createMemoryBroker({ clock, faults: { latencyMs } });
  processes = [];
  for (let number = 1; number <= LATENCIES_MS.length; number++) {
    const log = broker.connect(String(number));
    const opening = openConfigStore(log, clock, silentLogger);
    await clock.advance(1_000);
    const store = createGroupConfig({
      store: await opening,
      group: { number, count: LATENCIES_MS.length },
      groupName: 'n-1',
      log,
      clock,
    });
    processes.push({ store, disconnect: () => log.disconnect() });
  }
  await clock.advance(1_000);
});

const game = () => createGame('Demo', 'demo', clock, systemIds);
const holders = () => processes.map(({ store }) => store.get(DEMO) !== undefined);

/** Milliseconds until it has resolved. */
async function tookMs(change: Promise<unknown>): Promise<number> {
  const beganMs = clock.monotonicMs();
  let done = false;
  void change.then(() => (done = true));
  await clock.advanceUntil(() => done, 10_000);
  return clock.monotonicMs() - beganMs;
}

test('a write resolves when every process has seen it', async () => {
  let seen: boolean[] = [];
  const writing = processes[0]?.store.put(DEMO, game(), 0).then((written) => {
    seen = holders();
    expect(written.kind).toBe('written');
  });
  expect(await tookMs(Promise.resolve(writing))).toBeLessThan(LOCAL_LIMITS.configGroupMs);
  expect(seen).toEqual([true, true, true]);
});

test('a deletion resolves when every process has seen it', async () => {
  await tookMs(Promise.resolve(processes[0]?.store.put(DEMO, game(), 0)));
  let seen: boolean[] = [];
  const deleting = processes[2]?.store.delete(DEMO).then((deleted) => {
    seen = holders();
    expect(deleted).toBe(true);
  });
  await tookMs(Promise.resolve(deleting));
  expect(seen).toEqual([false, false, false]);
});

test('a process that is away delays a write by no more than the bound', async () => {
  processes[2]?.disconnect();
  const took = await tookMs(Promise.resolve(processes[0]?.store.put(DEMO, game(), 0)));
  expect(took).toBeGreaterThanOrEqual(LOCAL_LIMITS.configGroupMs);
  expect(took).toBeLessThan(LOCAL_LIMITS.configGroupMs + 50);
});
