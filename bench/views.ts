import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, temporaryFolder, type Bench } from './lib/bench.ts';
import { count, defineCase, optional, text } from './lib/case.ts';
import { auditHistory } from './lib/history/audit-history.ts';
import {
  DAY_MS,
  USUAL_GAME,
  writeHistory,
  writePlayers,
  type GameRules,
  type MadeHistory,
} from './lib/history/game-history.ts';
import { importFile } from './lib/history/import-file.ts';
import { figure, section, tableOf } from './lib/report/table.ts';
import { queryClickhouse } from './lib/service/clickhouse.ts';
import { startLocalService, type LocalService } from './lib/service/service.ts';

/** Rests of the builder are up to ten minutes, and its first build meets a part of the import. */
const BUILT_MS = 3_600_000;
const CHECK_MS = 5_000;
const RUNS = 3;

interface ViewTime {
  view: string;
  bestMs: number;
  rows: number;
}

export const viewsCase = defineCase({
  name: 'views',
  description: 'Import the made history of a game, compare the log and ClickHouse by the audit, and time the views.',
  options: {
    players: count('--players <n>', 'players of the history; each has about 115 events', 200_000),
    days: count('--days <n>', 'days of the history', 180),
    seed: count('--seed <n>', 'of the history', 1),
    data: optional(
      text('--data <folder>', 'of the service, which stays; a history that an earlier run imported is timed again', ''),
    ),
  },
  async run(bench, { players, days, seed, data, folder: place }, save) {
    // It ends nine days ago, so that no level is still tried and the youngest cohorts have NULL for later days.
    const startMs = (Math.floor(Date.now() / DAY_MS) - days - 9) * DAY_MS;
    const service = await startLocalService(bench, { folder: place, kept: data });
    const kept = keptHistory(service.dataDir);
    const rules: GameRules = { ...USUAL_GAME, ...(kept?.from ?? { players, days, seed, startMs }), isDetailed: true };
    const { made, importSeconds, builtSeconds } = kept ?? (await importHistory(bench, service, rules, place));
    bench.report('auditing');
    const faults = await auditHistory(bench, service, made);
    const times = await timeViews(service, rules);
    const tables = section(
      `views over ${figure(made.lines)} events, ms`,
      tableOf(times, { view: ({ view }) => view, best: ({ bestMs }) => bestMs, rows: ({ rows }) => rows }),
    );
    save({ results: { made, importSeconds, builtSeconds, faults, times }, tables });
    if (faults.length > 0) throw new BenchError(['ClickHouse differs from the history:', ...faults].join('\n'));
    bench.report('the audit found no difference');
  },
});

interface Imported {
  made: MadeHistory;
  importSeconds: number;
  /** From the begin of the import. */
  builtSeconds: number;
}

/** What the folder's service has from an earlier run, and the rules that made it. */
interface KeptHistory extends Imported {
  from: Pick<GameRules, 'players' | 'days' | 'seed' | 'startMs'>;
}

const KEPT_FILE = 'made-history.json';

function keptHistory(dataDir: string): KeptHistory | undefined {
  const path = join(dataDir, KEPT_FILE);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

async function importHistory(
  bench: Bench,
  service: LocalService,
  rules: GameRules,
  place: string | undefined,
): Promise<Imported> {
  const folder = temporaryFolder(bench, 'history', place);
  const [playersFile, eventsFile] = [join(folder, 'players.csv'), join(folder, 'history.ndjson')];
  writePlayers(playersFile, rules);
  const made = writeHistory(eventsFile, rules);
  bench.report(`${figure(made.lines)} events of ${figure(made.players)} players`);
  const begunMs = performance.now();
  await importFile(bench, service, 'players', playersFile);
  await importFile(bench, service, 'events', eventsFile);
  const importSeconds = (performance.now() - begunMs) / 1_000;
  bench.report(`imported in ${figure(importSeconds)} s; waiting for the days of players`);
  await daysBuilt(bench, service, made.lines);
  const builtSeconds = (performance.now() - begunMs) / 1_000;
  bench.report(`built after ${figure(builtSeconds)} s`);
  const { players, days, seed, startMs } = rules;
  const kept: KeptHistory = { from: { players, days, seed, startMs }, made, importSeconds, builtSeconds };
  writeFileSync(join(service.dataDir, KEPT_FILE), JSON.stringify(kept));
  return kept;
}

/** Waits until `player_days` counts every event. */
async function daysBuilt({ signal }: Bench, { clickhouse }: LocalService, events: number): Promise<void> {
  const untilMs = performance.now() + BUILT_MS;
  for (;;) {
    const counted = Number(await queryClickhouse(clickhouse, 'SELECT sum(events) FROM player_days FINAL'));
    if (counted === events) return;
    signal.throwIfAborted();
    if (performance.now() > untilMs) throw new BenchError(`player_days counts ${counted} of ${events} events`);
    await sleep(CHECK_MS);
  }
}

const OF_GAME = [
  'kpis_daily',
  'retention_by_cohort',
  'retention_by_country',
  'retention_by_platform',
  'retention_by_app_version',
  'retention_24h_by_cohort',
  'ltv_by_cohort',
  'sessions_daily',
  'progression_by_level',
  'economy_daily',
  'stage_flows_daily',
];

async function timeViews({ clickhouse }: LocalService, rules: GameRules): Promise<ViewTime[]> {
  const times: ViewTime[] = [];
  const steps = rules.funnel.map(({ event }) => `'${event}'`).join(', ');
  const funnel = (breakdown: string) =>
    `funnel(game = 'demo', steps = [${steps}], window_seconds = 86400, first_day = '2000-01-01', last_day = today(),
      breakdown = '${breakdown}')`;
  const statements: [name: string, sql: string][] = [
    ...OF_GAME.map((view): [string, string] => [view, `SELECT * FROM ${view} WHERE game_id = 'demo'`]),
    ['funnel', `SELECT * FROM ${funnel('')}`],
    ['funnel by country', `SELECT * FROM ${funnel('country')}`],
  ];
  for (const [view, sql] of statements) {
    let bestMs = Infinity;
    let rows = 0;
    for (let run = 0; run < RUNS; run++) {
      const begunMs = performance.now();
      const text = await queryClickhouse(clickhouse, sql);
      bestMs = Math.min(bestMs, performance.now() - begunMs);
      rows = text.split('\n').length - 1;
    }
    times.push({ view, bestMs, rows });
  }
  return times;
}
