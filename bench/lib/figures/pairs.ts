import type { Command } from 'commander';
import { commandOf, count, duration } from '../case.ts';
import { median, medianRatio } from './statistics.ts';
import { tableOf } from '../report/table.ts';

/** A piece of work that is called over and over. */
export interface Work {
  /** Operations in one call: what a time is divided by. */
  operations: number;
  /** Returns what it made, so that the compiler cannot leave the work out. */
  run: () => unknown;
}

/** A piece of the service's work beside a reference that does the least that could be done. */
export interface Pair {
  name: string;
  work: Work;
  reference: Work;
  /** What the reference is. */
  referenceName: string;
}

/** Nanoseconds per operation; the ratio is the median of the rounds' own. */
export interface PairFigures {
  name: string;
  referenceName: string;
  workNs: number;
  referenceNs: number;
  ratio: number;
}

export interface PairOptions {
  rounds: number;
  /** Time given to each of the two in one round. */
  roundMs: number;
  /** A monotonic clock, milliseconds. */
  nowMs?: () => number;
}

const machineMs = (): number => performance.now();

/** A command that measures pairs in process: one step of the service each, beside the least such a step could do. */
export function pairsCase(name: string, description: string, pairsOf: () => Pair[]): Command {
  const options = {
    rounds: count('--rounds <n>', 'rounds on each; the report shows medians', 7),
    round: duration('--round <time>', 'time given to each in one round', 0.2),
  };
  return commandOf(name, description, options).action(function run(this: Command) {
    const { rounds, round } = this.opts<{ rounds: number; round: number }>();
    const figures = measurePairs(pairsOf(), { rounds, roundMs: round * 1000 });
    console.log(
      tableOf(figures, {
        '': (one) => one.name,
        ns: (one) => one.workNs,
        'reference ns': (one) => one.referenceNs,
        ratio: (one) => one.ratio.toFixed(2),
        reference: (one) => one.referenceName,
      }),
    );
  });
}

/** Times each pair, work and reference by turns, after a round that only warms up. */
export function measurePairs(pairs: readonly Pair[], options: PairOptions): PairFigures[] {
  const { rounds, roundMs, nowMs = machineMs } = options;
  return pairs.map(({ name, work, reference, referenceName }) => {
    const timed = Array.from({ length: rounds + 1 }, () => ({
      of: time(work, roundMs, nowMs),
      to: time(reference, roundMs, nowMs),
    }));
    const counted = timed.slice(1);
    return {
      name,
      referenceName,
      workNs: median(counted.map(({ of }) => of)),
      referenceNs: median(counted.map(({ to }) => to)),
      ratio: medianRatio(counted),
    };
  });
}

/** How long the work runs between two readings of the clock. */
const STRETCH_MS = 0.5;

/** Nanoseconds per operation over about `durationMs`. */
function time({ operations, run }: Work, durationMs: number, nowMs: () => number): number {
  let kept: unknown;
  let calls = 0;
  let callsPerStretch = 1;
  const beganMs = nowMs();
  let readMs = beganMs;
  while (readMs - beganMs < durationMs) {
    for (let call = 0; call < callsPerStretch; call++) kept = run();
    calls += callsPerStretch;
    const stretchMs = nowMs() - readMs;
    if (stretchMs < STRETCH_MS) callsPerStretch *= 2;
    readMs += stretchMs;
  }
  if (kept === undefined) throw new Error('a piece of work returned nothing');
  return ((readMs - beganMs) * 1e6) / (calls * operations);
}
