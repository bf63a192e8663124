import { BenchError, temporaryFolder, type Bench } from '../lib/bench.ts';
import { answerFaults, neverServed, type BulkAnswer, type Expected } from '../lib/figures/answer-faults.ts';
import { call, playerOf, registerPlayers } from '../lib/load/calls.ts';
import { count, defineCase, duration, on, optional } from '../lib/case.ts';
import { measureReevaluation, reevaluationTables } from './flags-reevaluation.ts';
import { measureUpkeep, upkeepTables } from './flags-upkeep.ts';
import { compareAtConnections, measureClosedLoop, type ConnectionsFigures, type Run } from '../lib/run.ts';
import {
  bothTargets,
  comparisonTable,
  errorTable,
  latencyTable,
  namedComparisons,
  perProcess,
} from '../lib/report/run-tables.ts';
import { defineSamples, FLAGS_PATH, SAMPLE_SEGMENTS, type SampleFlag } from '../lib/service/samples/sample-flags.ts';
import { startLocalService, type LocalServiceOptions, type Service } from '../lib/service/service.ts';
import { createStage, type Stage, type Target } from '../lib/stage.ts';
import { section } from '../lib/report/table.ts';
import { createWorkload, type Workload } from '../lib/load/traffic/workload.ts';

const PLAYERS = 10_000;
const PLAYERS_REEVALUATED = 100_000;
const SECONDS = 10;
/** Long enough for several edits of the default number of players. */
const SECONDS_REEVALUATION = 30;

export const flags = defineCase({
  name: 'flags',
  description:
    'Measure bulk evaluation of 20 flags at 64 and 512 connections, interleaved with a bare uWebSockets.js server that ' +
    'parses the same bodies and answers as much. (In process: the cases `evaluator` and `segments`.)',
  needsWrk: ({ reevaluation }) => !reevaluation,
  options: {
    upkeep: on('--upkeep', 'instead: single events with 0, 10 and 100 segments to keep up to date'),
    reevaluation: on('--reevaluation', 'instead: traffic while every player is evaluated after edits of a segment'),
    seconds: optional(
      duration(
        '--seconds <time>',
        `length of one run (default: ${SECONDS}s; ${SECONDS_REEVALUATION}s to re-evaluate)`,
        1,
      ),
    ),
    rounds: count('--rounds <n>', 'runs of each; the report shows medians', 3),
    players: optional(
      count('--players <n>', `players registered (default: ${PLAYERS}; ${PLAYERS_REEVALUATED} to re-evaluate)`, 1),
    ),
    requestsPerSecond: count('--rate <n>', 'events/s with --reevaluation', 4_000),
    openConnections: count('--open-connections <n>', 'connections with --reevaluation', 512),
    wrkThreads: count('--threads <n>', 'threads of wrk', 1),
  },
  check: ({ upkeep, reevaluation }) => (upkeep && reevaluation ? '--upkeep or --reevaluation, not both' : undefined),
  async run(bench, { upkeep, reevaluation, ...given }, save) {
    const { rounds, requestsPerSecond, openConnections, wrkThreads, folder } = given;
    const settings = {
      seconds: given.seconds ?? (reevaluation ? SECONDS_REEVALUATION : SECONDS),
      rounds,
      players: given.players ?? (reevaluation ? PLAYERS_REEVALUATED : PLAYERS),
      requestsPerSecond,
      openConnections,
      wrkThreads,
      folder,
    };
    if (upkeep) {
      const figures = await measureUpkeep(bench, settings);
      save({ name: 'flags-upkeep', settings, results: { figures }, tables: upkeepTables(figures) });
    } else if (reevaluation) {
      const figures = await measureReevaluation(bench, settings);
      save({ name: 'flags-reevaluation', settings, results: { figures }, tables: reevaluationTables(figures) });
    } else {
      const figures = await measureEvaluation(bench, settings);
      save({ settings, results: { figures }, tables: evaluationTables(figures) });
    }
  },
});

const WARM_UP_SECONDS = 8;

/** Bulk evaluation over HTTP beside the bare server, at each number of connections. */
async function measureEvaluation(
  bench: Bench,
  settings: LocalServiceOptions & { seconds: number; rounds: number; players: number; wrkThreads: number },
): Promise<ConnectionsFigures[]> {
  const { wrkThreads } = settings;
  const { stage, workload } = await prepareEvaluation(bench, settings);
  const on = (target: Target) => (connections: number, seconds: number) =>
    measureClosedLoop(stage, bench.signal, { target, workload, connections, seconds, wrkThreads });
  const closed = { bare: on('bare'), service: on('service') };
  return compareAtConnections(bench, { ...settings, warmUpSeconds: WARM_UP_SECONDS }, closed);
}

const EVALUATE = `${FLAGS_PATH}/evaluate`;

/** Defines segments and flags, registers players, checks answers, and starts a bare server that answers as much. */
export async function prepareEvaluation(
  bench: Bench,
  options: LocalServiceOptions & { players: number },
): Promise<{ stage: Stage; workload: Workload }> {
  const service = await startLocalService(bench, options);
  const { flags, segmentIds } = await defineSamples(service);
  bench.report(`registering ${options.players} players`);
  const playerIds = await registerPlayers(service, options.players, bench.signal);
  const bodies = playerIds.map((playerId, turn) => evaluationBody(playerId, turn, flags));
  const answerBytes = await probe(service, bodies, { flags, segments: SAMPLE_SEGMENTS, segmentIds });
  bench.report(`${flags.length} flags in one request; answers of ${answerBytes} bytes`);
  const stage = await createStage(bench, service, { [EVALUATE]: answerBytes }, 0);
  return { stage, workload: createWorkload(temporaryFolder(bench, 'bodies'), EVALUATE, 0, bodies) };
}

function evaluationBody(playerId: string, turn: number, flags: readonly SampleFlag[]): string {
  return JSON.stringify({
    player_id: playerId,
    flag_keys: flags.map(({ body }) => body.key),
    context: { platform: turn % 3 === 0 ? 'android' : 'ios', app_version: '2.4.0' },
  });
}

/** Players whose answers are checked; the bare server's answers have their mean size. */
const PROBES = 200;

/** Checks the answers for the first players. @returns their mean size in bytes */
async function probe(service: Service, bodies: readonly string[], expected: Expected): Promise<number> {
  const answers: BulkAnswer[] = [];
  let sumBytes = 0;
  for (const [turn, body] of bodies.slice(0, PROBES).entries()) {
    const text = await call(service, 'POST', EVALUATE, body);
    sumBytes += Buffer.byteLength(text);
    const answer: { data: BulkAnswer } = JSON.parse(text);
    const faults = answerFaults(answer.data, playerOf(turn).attributes, expected);
    if (faults.length > 0) throw new BenchError(`the service evaluates wrongly: ${faults.join('; ')}`);
    answers.push(answer.data);
  }
  const missing = answers.length < PROBES ? [] : neverServed(answers, ['control', 'red', 'blue']);
  if (missing.length > 0) throw new BenchError(`no player was served: ${missing.join(', ')}`);
  return Math.round(sumBytes / answers.length);
}

/** Of one request, from CPU seconds per 1,000 of them. */
const US_PER_REQUEST = 1000;

function evaluationTables(figures: readonly ConnectionsFigures[]): string {
  const comparisons = namedComparisons(figures);
  const named = comparisons.flatMap(({ name, rounds }) => bothTargets(name, rounds));
  const us = ({ cpuSecondsPerThousandEvents: cpu }: Run): Record<string, number> =>
    Object.fromEntries(Object.entries(cpu).map(([name, seconds]) => [name, seconds * US_PER_REQUEST]));
  return [
    section('Bulk evaluation (medians of the rounds; ratio: of the pairs)', comparisonTable(comparisons)),
    section('Latency, ms (closed loop as wrk corrects it)', latencyTable(named)),
    section('CPU, µs per request', perProcess(named, us)),
    section('Errors', errorTable(named)),
  ].join('\n');
}
