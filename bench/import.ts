import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, temporaryFolder, type Bench } from './lib/bench.ts';
import { count, defineCase, on } from './lib/case.ts';
import { sum } from './lib/figures/statistics.ts';
import { watchUsage, type UsageSeen, type UsageWatch } from './lib/figures/usage.ts';
import { auditHistory } from './lib/history/audit-history.ts';
import { DAY_MS, USUAL_GAME, writeHistory, type MadeHistory } from './lib/history/game-history.ts';
import { liveBeside, liveTable, liveTraffic, type LiveRun } from './lib/load/traffic/live-traffic.ts';
import type { OpenLoopResult } from './lib/load/open-loop.ts';
import { figure, section, tableOf } from './lib/report/table.ts';
import { runCli } from './lib/service/cli.ts';
import { startLocalService, type LocalService } from './lib/service/service.ts';

const ROWS_MS = 300_000;

interface ImportFigures {
  made: MadeHistory;
  /** Until the command ended, and until ClickHouse had every row. */
  commandSeconds: number;
  rowsSeconds: number;
  /** From its begin until then. */
  usage: UsageSeen;
  before: OpenLoopResult[];
  meanwhile: OpenLoopResult[];
  faults: string[];
}

export const importCase = defineCase({
  name: 'import',
  description:
    'Import the made history of a game beside live traffic, and compare the log and ClickHouse by the audit.',
  options: {
    players: count('--players <n>', 'players of the history; each has about 90 events', 11_000),
    days: count('--days <n>', 'days of the history', 180),
    seed: count('--seed <n>', 'of the history', 1),
    live: count('--live <n>', 'live events/s', 500),
    quiet: on('--quiet', 'no live events'),
  },
  async run(bench, settings, save) {
    const folder = temporaryFolder(bench, 'history', settings.folder);
    const path = join(folder, 'history.ndjson');
    // It ends some days ago, so that no stage changes while it is compared.
    const startMs = (Math.floor(Date.now() / DAY_MS) - settings.days - 2) * DAY_MS;
    const { players, days, seed } = settings;
    const made = writeHistory(path, { ...USUAL_GAME, players, days, seed, startMs });
    bench.report(
      `${figure(made.lines)} events of ${figure(made.players)} players, ${figure(made.bytes / 2 ** 20)} MiB`,
    );
    const service = await startLocalService(bench, {
      folder: settings.folder,
      nodeArguments: process.env['IMPORT_SERVICE_ARGUMENTS']?.split(' ') ?? [],
    });
    const figures = await measure(bench, service, path, made, settings);
    save({ results: { ...figures }, tables: tablesOf(figures) });
    if (figures.faults.length > 0)
      throw new BenchError(['the import differs from the history:', ...figures.faults].join('\n'));
    bench.report('the audit found no difference');
  },
});

async function measure(
  bench: Bench,
  service: LocalService,
  path: string,
  made: MadeHistory,
  { live, quiet }: { live: number; quiet: boolean },
): Promise<ImportFigures> {
  const { signal, report } = bench;
  const traffic = quiet ? undefined : await liveTraffic(bench, service, live);
  const before = traffic === undefined ? [] : [await traffic(), await traffic()];
  report('importing');
  const watch = watchUsage(service.pids());
  const begunMs = performance.now();
  const command = startImport(bench, service, path, watch);
  const { done: commandSeconds, runs: meanwhile } =
    traffic === undefined ? { done: await command, runs: [] } : await liveBeside(traffic, command);
  const sent = sum([...before, ...meanwhile].map((run) => run.sent));
  await rowsThere(service, made.lines + sent, signal);
  const rowsSeconds = (performance.now() - begunMs) / 1000;
  const usage = watch.seen();
  watch.stop();
  report('auditing');
  const faults = await auditHistory(bench, service, made);
  return { made, commandSeconds, rowsSeconds, usage, before, meanwhile, faults };
}

/** Runs the operator's command. @returns its seconds */
async function startImport(bench: Bench, service: LocalService, path: string, watch: UsageWatch): Promise<number> {
  const begunMs = performance.now();
  const profile = process.env['IMPORT_NODE_ARGUMENTS']?.split(' ') ?? [];
  const onStart = (pid: number): void => watch.add('import', pid);
  bench.report(await runCli(bench, service, ['import', 'events', path, '--game', 'demo'], onStart, profile));
  return (performance.now() - begunMs) / 1000;
}

async function rowsThere(service: LocalService, rows: number, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + ROWS_MS;
  for (;;) {
    const found = (await service.countRows?.()) ?? 0;
    if (found >= rows) return;
    signal.throwIfAborted();
    if (performance.now() > untilMs) throw new BenchError(`ClickHouse has ${found} of ${rows} events`);
    await sleep(100);
  }
}

function tablesOf({ made, commandSeconds, rowsSeconds, usage, before, meanwhile }: ImportFigures): string {
  const processes = Object.keys(usage.cpuSeconds);
  const rate = tableOf(['command', 'rows in ClickHouse'], {
    until: (name) => name,
    seconds: (name) => (name === 'command' ? commandSeconds : rowsSeconds),
    'events/s': (name) => made.lines / (name === 'command' ? commandSeconds : rowsSeconds),
  });
  const cpu = tableOf([...processes, 'all'], {
    process: (name) => name,
    'CPU µs an event': (name) =>
      ((name === 'all' ? sum(Object.values(usage.cpuSeconds)) : (usage.cpuSeconds[name] ?? 0)) * 1e6) / made.lines,
    'peak MiB': (name) => usage.peakRssMiB[name] ?? Number.NaN,
  });
  const live = liveTable([
    ...before.map((run): LiveRun => ['before', run]),
    ...meanwhile.map((run): LiveRun => ['meanwhile', run]),
  ]);
  const others = `other processes of the machine used ${figure(usage.othersCpus)} CPUs`;
  return (
    section('import', rate) + section(`processor time, with live events; ${others}`, cpu) + section('live, ms', live)
  );
}
