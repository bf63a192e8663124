import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, type Bench } from '../lib/bench.ts';
import { median } from '../lib/figures/statistics.ts';
import { readUsage } from '../lib/figures/usage.ts';
import { monotonicMs } from '../lib/load/traffic/arrivals.ts';
import { call, create } from '../lib/load/calls.ts';
import { section, table } from '../lib/report/table.ts';
import { startChangeReaders } from '../lib/service/readers/change-readers.ts';
import { startLocalService } from '../lib/service/service.ts';

/** Game clients that hold a stream of changed flags. */
export interface ChangesFigures {
  readers: number;
  /** Milliseconds from the request that changed a flag to the readers, for each change. */
  rounds: { firstMs: number; p99Ms: number; lastMs: number }[];
  /** Resident memory of the service, in MiB. */
  rssMiB: { before: number; open: number };
  /** Processor time of the service for one change, all threads. */
  cpuSeconds: number;
}

interface ChangesSettings {
  changeReaders: number;
  rounds: number;
  folder: string | undefined;
}

const CHANGES_PER_ROUND = 5;
const FLAG = '/v1/flags/flags/bench_changes';
const SETTLE_MS = 2_000;
const CHECK_MS = 20;
const TIMEOUT_MS = 30_000;

export async function measureChanges(bench: Bench, settings: ChangesSettings): Promise<ChangesFigures> {
  const { changeReaders: readers } = settings;
  const service = await startLocalService(bench, { folder: settings.folder });
  const usage = () => readUsage(service.pids()['service'] ?? 0);
  const rss = (): number => usage()?.rssMiB ?? Number.NaN;
  await create(service, '/v1/flags/flags', { key: 'bench_changes', flag_type: 'boolean' });
  await sleep(SETTLE_MS, undefined, { signal: bench.signal });
  const before = rss();
  const opened = await startChangeReaders(bench, service, readers);
  await sleep(SETTLE_MS, undefined, { signal: bench.signal });
  const open = rss();

  const rounds: ChangesFigures['rounds'] = [];
  const cpuBefore = usage()?.cpuSeconds ?? Number.NaN;
  for (let turn = 0; turn < settings.rounds * CHANGES_PER_ROUND; turn++) {
    const { revision } = await opened.told();
    const beganMs = monotonicMs();
    await call(service, 'PUT', FLAG, JSON.stringify({ flag_type: 'boolean', enabled: turn % 2 === 1 }));
    const atMs = await allTold(bench, opened, revision, readers);
    const delays = atMs.map((each) => each - beganMs).toSorted((one, other) => one - other);
    const at = (share: number): number => delays[Math.ceil(share * delays.length) - 1] ?? Number.NaN;
    rounds.push({ firstMs: delays[0] ?? Number.NaN, p99Ms: at(0.99), lastMs: at(1) });
  }
  const cpuSeconds = ((usage()?.cpuSeconds ?? Number.NaN) - cpuBefore) / rounds.length;
  return { readers, rounds, rssMiB: { before, open }, cpuSeconds };
}

async function allTold(
  { signal }: Bench,
  opened: Awaited<ReturnType<typeof startChangeReaders>>,
  revision: number,
  readers: number,
): Promise<number[]> {
  const untilMs = monotonicMs() + TIMEOUT_MS;
  while (monotonicMs() < untilMs) {
    const told = await opened.told();
    if (told.revision > revision && told.atMs.length === readers) return told.atMs;
    await sleep(CHECK_MS, undefined, { signal });
  }
  throw new BenchError('not every reader was told of the change');
}

export function changesTables({ readers, rounds, rssMiB, cpuSeconds }: ChangesFigures): string {
  const of = (name: 'firstMs' | 'p99Ms' | 'lastMs'): number[] => rounds.map((round) => round[name]);
  const lasts = of('lastMs');
  return section(
    `${readers} streams of changed flags: from the request that changes a flag to the clients, ${rounds.length} changes`,
    table(
      [
        'first ms',
        'p99 ms',
        'last ms',
        'last ms at most',
        'CPU s per change',
        'MiB before',
        'MiB open',
        'KiB per stream',
      ],
      [
        [
          median(of('firstMs')),
          median(of('p99Ms')),
          median(lasts),
          Math.max(...lasts),
          cpuSeconds,
          rssMiB.before,
          rssMiB.open,
          ((rssMiB.open - rssMiB.before) * 1024) / readers,
        ],
      ],
    ),
  );
}
