import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, temporaryFolder, type Bench } from '../lib/bench.ts';
import { count, defineCase } from '../lib/case.ts';
import { watchUsage, type UsageSeen } from '../lib/figures/usage.ts';
import { DAY_MS, USUAL_GAME, writeHistory } from '../lib/history/game-history.ts';
import { importFile } from '../lib/history/import-file.ts';
import { create } from '../lib/load/calls.ts';
import {
  liveBeside,
  liveTable,
  liveTraffic,
  type LiveRun,
  type LiveTraffic,
} from '../lib/load/traffic/live-traffic.ts';
import type { OpenLoopResult } from '../lib/load/open-loop.ts';
import { figure, section, tableOf } from '../lib/report/table.ts';
import { queryClickhouse } from '../lib/service/clickhouse.ts';
import { createProperty, pastCounted } from '../lib/service/samples/properties.ts';
import { startLocalService, type LocalService } from '../lib/service/service.ts';

const PREVIEWS = 5;
const CHECK_MS = 200;
const REPORT_MS = 10_000;
const MOST_MS = 900_000;

/** What is filled: a tenth of the losses, which are a seventh of the other events. */
const PROPERTY = {
  key: 'losses',
  event: 'match_lost',
  where: { 'properties.level': { $lte: 5 } },
  aggregate: 'count',
} as const;
const EXPECTED = `SELECT uniqExact(player_id), count() FROM events WHERE event_name = 'match_lost'
  AND JSONExtractInt(properties, 'level') <= 5`;
const FOUND = `SELECT countIf(number > 0), sum(number) FROM player_properties WHERE key = 'losses'`;

interface PreviewSeen {
  players: number;
  margin: number;
  evaluated: number;
  tookMs: number;
}

interface Filled {
  /** Until the definition said that the past is counted, and until ClickHouse's players had all values. */
  countedSeconds: number;
  shownSeconds: number;
  usage: UsageSeen;
  before: OpenLoopResult[];
  meanwhile: OpenLoopResult[];
}

export const properties = defineCase({
  name: 'properties',
  description:
    'Import the made history of a game, define a computed property beside live traffic, compare its values with a ' +
    'count of all events, and time previews of a condition on it.',
  options: {
    players: count('--players <n>', 'players of the history; each has about 90 events', 11_000),
    days: count('--days <n>', 'days of the history', 180),
    seed: count('--seed <n>', 'of the history', 1),
    live: count('--live <n>', 'live events/s', 500),
  },
  async run(bench, { players, days, seed, live, folder: place }, save) {
    const path = join(temporaryFolder(bench, 'history', place), 'history.ndjson');
    const startMs = (Math.floor(Date.now() / DAY_MS) - days - 2) * DAY_MS;
    const made = writeHistory(path, { ...USUAL_GAME, players, days, seed, startMs });
    const service = await startLocalService(bench, { folder: place });
    bench.report(`importing ${figure(made.lines)} events of ${figure(made.players)} players`);
    await importFile(bench, service, 'events', path);
    const traffic = await liveTraffic(bench, service, live);
    await rowsOf(bench, service, made.lines);
    const filled = await fill(bench, service, traffic);
    const previews = await timePreviews(service);
    save({ results: { made, filled, previews }, tables: tablesOf(made.lines, filled, previews) });
  },
});

async function fill(bench: Bench, service: LocalService, run: LiveTraffic): Promise<Filled> {
  const before = [await run(), await run()];
  const watch = watchUsage(service.pids());
  const begunMs = performance.now();
  await createProperty(service, PROPERTY);
  const counting = pastCounted(service, PROPERTY.key, bench.signal);
  const { done: countedMs, runs: meanwhile } = await liveBeside(run, counting);
  const countedSeconds = (countedMs - begunMs) / 1_000;
  const usage = watch.seen();
  watch.stop();
  const expected = await queryClickhouse(service.clickhouse, EXPECTED);
  bench.report(`counted after ${figure(countedSeconds)} s; waiting for the values of ${expected.trim()}`);
  let reportMs = performance.now();
  const shownMs = await until(bench, async () => {
    const found = await queryClickhouse(service.clickhouse, FOUND);
    if (performance.now() > reportMs) {
      bench.report(`ClickHouse has the values of ${found.trim()}`);
      reportMs += REPORT_MS;
    }
    return found === expected;
  });
  return { countedSeconds, shownSeconds: (shownMs - begunMs) / 1_000, usage, before, meanwhile };
}

async function timePreviews(service: LocalService): Promise<PreviewSeen[]> {
  const previews: PreviewSeen[] = [];
  for (let run = 0; run < PREVIEWS; run++) {
    const conditions = { 'computed.losses': { $gte: 2 } };
    const answer: {
      data: { players: number; margin: number; players_evaluated: number; evaluation_time_ms: number };
    } = JSON.parse(await create(service, '/v1/segments/segments/preview', { conditions }));
    const { players, margin, players_evaluated: evaluated, evaluation_time_ms: tookMs } = answer.data;
    previews.push({ players, margin, evaluated, tookMs });
  }
  return previews;
}

const rowsOf = (bench: Bench, service: LocalService, rows: number): Promise<number> =>
  until(bench, async () => ((await service.countRows?.()) ?? 0) >= rows);

/** @returns the time at which it held, of `performance.now()` */
async function until({ signal }: Bench, holds: () => Promise<boolean>): Promise<number> {
  const latestMs = performance.now() + MOST_MS;
  for (;;) {
    if (await holds()) return performance.now();
    signal.throwIfAborted();
    if (performance.now() > latestMs) throw new BenchError(`it did not hold after ${MOST_MS / 60_000} minutes`);
    await sleep(CHECK_MS);
  }
}

function tablesOf(events: number, filled: Filled, previews: readonly PreviewSeen[]): string {
  const { countedSeconds, shownSeconds, usage, before, meanwhile } = filled;
  const live: LiveRun[] = [
    ...before.map((run): LiveRun => ['before', run]),
    ...meanwhile.map((run): LiveRun => ['meanwhile', run]),
  ];
  return (
    section(
      `the past of ${figure(events)} events; other processes of the machine used ${figure(usage.othersCpus)} CPUs`,
      tableOf(['counted', 'in ClickHouse'], {
        until: (name) => name,
        seconds: (name) => (name === 'counted' ? countedSeconds : shownSeconds),
      }) +
        tableOf(Object.keys(usage.cpuSeconds), {
          process: (name) => name,
          'CPU s': (name) => usage.cpuSeconds[name] ?? Number.NaN,
          'peak MiB': (name) => usage.peakRssMiB[name] ?? Number.NaN,
        }),
    ) +
    section('live, ms', liveTable(live)) +
    section(
      'previews',
      tableOf(previews, {
        players: ({ players }) => players,
        margin: ({ margin }) => margin,
        evaluated: ({ evaluated }) => evaluated,
        ms: ({ tookMs }) => tookMs,
      }),
    )
  );
}
