import type { Bench } from '../bench.ts';
import { measureOpenLoop } from '../ingest/open-loop.ts';
import { prepare } from '../ingest/prepare.ts';
import type { Run } from '../ingest/run.ts';
import type { Service } from '../service/service.ts';
import type { FlagsOptions } from './flags-options.ts';
import { SAMPLE_SEGMENTS } from './sample-definitions.ts';
import { createSegment, evaluated, putSegment } from './segment-calls.ts';

/** One edit, until the service said that every player is evaluated under it. */
export interface Edit {
  players: number;
  seconds: number;
}

/** The same traffic without and with players being evaluated again. */
export interface ReevaluationRound {
  before: Run;
  during: Run;
  /** Edits made during the load, one when the last was done; the first begins before any latency is told. */
  edits: Edit[];
}

const WARM_UP_SECONDS = 10;
/** The prepared batches are not sent. */
const BATCH_SIZE = 1;
/** By turns, so that each edit moves the sixth of the players whose level lies between. */
const LEVELS = [20, 30];

/**
 * Traffic at a fixed rate, first alone, then while a segment is edited again and again: each edit has every player
 * evaluated, so nearly all of the second run is under it.
 */
export async function measureReevaluation(bench: Bench, options: FlagsOptions): Promise<ReevaluationRound[]> {
  const { signal, report } = bench;
  const setup = await prepare(bench, { ...options, remote: undefined, batchSize: BATCH_SIZE });
  for (const { body } of SAMPLE_SEGMENTS) await createSegment(setup.service, body);
  const edited = await createSegment(setup.service, editOf(0));
  await evaluated(setup.service, edited, signal);
  const load = (seconds: number): Promise<Run> =>
    measureOpenLoop(setup, signal, {
      target: 'service',
      workload: setup.workloads.single,
      requestsPerSecond: options.requestsPerSecond,
      connections: options.openConnections,
      seconds,
    });

  report('warming up');
  await load(WARM_UP_SECONDS);
  const rounds: ReevaluationRound[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    report(`round ${round} of ${options.rounds}: ${options.requestsPerSecond} events/s, ${options.seconds} s alone`);
    const before = await load(options.seconds);
    report(`round ${round} of ${options.rounds}: the same while a segment is edited`);
    const editing = editWhile(setup.service, edited, signal);
    const during = await load(options.seconds).finally(() => editing.enough());
    rounds.push({ before, during, edits: await editing.done });
  }
  return rounds;
}

/** Edits a segment, waits until every player is evaluated, and so on until it is `enough`; the last edit is seen through. */
function editWhile(service: Service, id: string, signal: AbortSignal): { enough(): void; done: Promise<Edit[]> } {
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
  // It is awaited when the load is over: until then a failure must not count as unhandled.
  done.catch(() => {});
  return {
    enough() {
      wanted = false;
    },
    done,
  };
}

function editOf(turn: number): object {
  return { key: 'edited', conditions: { 'attributes.level': { $gte: LEVELS[turn % LEVELS.length] } } };
}
