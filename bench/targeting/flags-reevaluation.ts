import type { Bench } from '../lib/bench.ts';
import { prepareIngest } from '../lib/ingest-stage.ts';
import { measureOpenLoop, type Run } from '../lib/run.ts';
import { cpuSection, endSections, lateRuns, latencyRows, medianOf, type NamedRuns } from '../lib/report/run-tables.ts';
import { SAMPLE_SEGMENTS } from '../lib/service/samples/sample-flags.ts';
import { createSegment, evaluated, putSegment } from '../lib/service/samples/segments.ts';
import type { LocalServiceOptions, Service } from '../lib/service/service.ts';
import { latencyAt, medianRatio, type Latency } from '../lib/figures/statistics.ts';
import { figure, LATENCY_HEAD, section, table, tableOf, type Row } from '../lib/report/table.ts';

/** One edit, until every player is evaluated under it. */
interface Edit {
  players: number;
  seconds: number;
}

/** The same traffic without and with re-evaluation. */
interface ReevaluationRound {
  before: Run;
  during: Run;
  /** Edits during the load, each made when the one before was done. */
  edits: Edit[];
}

interface ReevaluationSettings extends LocalServiceOptions {
  /** Length of one run. */
  seconds: number;
  rounds: number;
  players: number;
  /** Of the open loop. */
  requestsPerSecond: number;
  openConnections: number;
}

const WARM_UP_SECONDS = 10;
/** By turns, so that each edit moves the sixth of the players whose level lies between. */
const LEVELS = [20, 30];

/** Traffic at a fixed rate, first alone, then during edits of a segment: each edit evaluates every player. */
export async function measureReevaluation(bench: Bench, settings: ReevaluationSettings): Promise<ReevaluationRound[]> {
  const { signal, report } = bench;
  const { requestsPerSecond, openConnections: connections, seconds, rounds } = settings;
  const stage = await prepareIngest(bench, { ...settings, batchSize: 1 });
  for (const { body } of SAMPLE_SEGMENTS) await createSegment(stage.service, body);
  const edited = await createSegment(stage.service, editOf(0));
  await evaluated(stage.service, edited, signal);
  const workload = stage.workloads.single;
  const load = (length: number): Promise<Run> =>
    measureOpenLoop(stage, signal, { target: 'service', workload, requestsPerSecond, connections, seconds: length });

  report('warming up');
  await load(WARM_UP_SECONDS);
  const figures: ReevaluationRound[] = [];
  for (let round = 1; round <= rounds; round++) {
    report(`round ${round} of ${rounds}: ${requestsPerSecond} events/s, ${seconds} s alone`);
    const before = await load(seconds);
    report(`round ${round} of ${rounds}: the same while a segment is edited`);
    const editing = editRepeatedly(stage.service, edited, signal);
    const during = await load(seconds).finally(() => editing.finish());
    figures.push({ before, during, edits: await editing.done });
  }
  return figures;
}

/** Edits a segment and waits until every player is evaluated, until `finish`; the last edit is completed. */
function editRepeatedly(service: Service, id: string, signal: AbortSignal): { finish(): void; done: Promise<Edit[]> } {
  let wanted = true;
  async function edit(): Promise<Edit[]> {
    const edits: Edit[] = [];
    const isWanted = () => wanted;
    while (isWanted()) {
      const beganMs = performance.now();
      await putSegment(service, id, editOf(edits.length + 1));
      const { players_total: players } = await evaluated(service, id, signal);
      edits.push({ players, seconds: (performance.now() - beganMs) / 1000 });
    }
    return edits;
  }
  const done = edit();
  // It is awaited after the load: until then a failure must not count as unhandled.
  done.catch(() => {});
  return {
    finish() {
      wanted = false;
    },
    done,
  };
}

function editOf(turn: number): object {
  return { key: 'edited', conditions: { 'attributes.level': { $gte: LEVELS[turn % LEVELS.length] } } };
}

export function reevaluationTables(rounds: readonly ReevaluationRound[]): string {
  const named: NamedRuns = [
    ['alone', rounds.map(({ before }) => before)],
    ['during re-evaluation', rounds.map(({ during }) => during)],
  ];
  const lateness = lateRuns(rounds.map(({ during }) => during));
  const edits = rounds.flatMap((round) => round.edits);
  const seconds = edits.map((edit) => edit.seconds);
  return [
    section(
      'Latency of single events, ms (open loop: from the moment a request was due, after 3 s to settle)',
      table(LATENCY_HEAD, [...latencyRows([...named, ['  sent late', lateness]]), ratioRow(rounds)]),
    ),
    section(
      'Edits',
      tableOf([edits], {
        '': () => `${edits.length} edits`,
        players: () => medianOf(edits, (edit) => edit.players),
        'median s until done': () => medianOf(edits, (edit) => edit.seconds),
        fastest: () => Math.min(...seconds),
        slowest: () => Math.max(...seconds),
        'players/s': () => medianOf(edits, (edit) => edit.players / edit.seconds),
      }),
    ),
    cpuSection(named),
    section(
      'CPUs of others',
      named.map(([name, runs]) => `${name}: ${figure(medianOf(runs, (run) => run.othersCpus))}`).join(', '),
    ),
    ...endSections(named),
  ].join('\n');
}

function ratioRow(rounds: readonly ReevaluationRound[]): Row {
  const ratio = (of: (latency: Latency) => number): string =>
    `× ${medianRatio(rounds.map(({ before, during }) => ({ of: of(during.latency), to: of(before.latency) }))).toFixed(2)}`;
  return [
    'during / alone, of the pairs',
    ...[0.5, 0.99, 0.999].map((share) => ratio((one) => latencyAt(one, share))),
    ratio((one) => one.maxMs),
  ];
}
