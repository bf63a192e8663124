import { median, medianRatio } from '../measure/statistics.ts';

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
  /** A clock that never goes back, milliseconds. */
  nowMs?: () => number;
}

const machineMs = (): number => performance.now();

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

/** How long the work runs between two looks at the clock. */
const STRETCH_MS = 0.5;

/** Nanoseconds per operation over about `durationMs`. */
function time({ operations, run }: Work, durationMs: number, nowMs: () => number): number {
  let kept: unknown;
  let calls = 0;
  let callsPerStretch = 1;
  const beganMs = nowMs();
  let lookedMs = beganMs;
  while (lookedMs - beganMs < durationMs) {
    for (let call = 0; call < callsPerStretch; call++) kept = run();
    calls += callsPerStretch;
    const stretchMs = nowMs() - lookedMs;
    if (stretchMs < STRETCH_MS) callsPerStretch *= 2;
    lookedMs += stretchMs;
  }
  if (kept === undefined) throw new Error('a piece of work made nothing');
  return ((lookedMs - beganMs) * 1e6) / (calls * operations);
}
