import { setTimeout as sleep } from 'node:timers/promises';

/** Rows in ClickHouse at a moment of the wall clock, in milliseconds since the epoch. */
export interface RowSample {
  atMs: number;
  rows: number;
}

/** How far ClickHouse was behind what was acknowledged. */
export interface CatchUp {
  /** Events acknowledged since the service started, and rows found at the end. */
  acknowledged: number;
  rows: number;
  /** Whether both are the same: no event lost, none twice. */
  exact: boolean;
  /** Events acknowledged but not yet visible when the load ended, and that as a time at the load's rate. */
  behindEvents: number;
  behindSeconds: number;
  /** From the end of the load until every acknowledged event was visible; undefined if that did not happen in time. */
  caughtUpSeconds: number | undefined;
}

/** Counts rows repeatedly until it is stopped. */
export interface RowWatch {
  readonly samples: readonly RowSample[];
  /** Counts more often from now on: the end of the load is near. */
  hurry(): void;
  /** Resolves once that many rows were seen, or the time is over; rejects on the signal. */
  reached(rows: number, timeoutMs: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const EASY_MS = 500;
const HURRIED_MS = 50;

/** Starts counting. A count that fails is left out. */
export function watchRows(countRows: () => Promise<number>): RowWatch {
  const samples: RowSample[] = [];
  let intervalMs = EASY_MS;
  let stopped = false;

  async function run(): Promise<void> {
    const isWanted = () => !stopped;
    while (isWanted()) {
      try {
        const rows = await countRows();
        samples.push({ atMs: Date.now(), rows });
      } catch {
        // ClickHouse may be busy; the next count may succeed.
      }
      await sleep(intervalMs);
    }
  }
  const running = run();

  return {
    samples,
    hurry() {
      intervalMs = HURRIED_MS;
    },
    async reached(rows, timeoutMs, signal) {
      const untilMs = performance.now() + timeoutMs;
      while ((samples.at(-1)?.rows ?? 0) < rows && performance.now() < untilMs) {
        await sleep(HURRIED_MS, undefined, { signal });
      }
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/**
 * Compares samples with the acknowledged events.
 * @param acknowledged events since the service started
 * @param endMs when the load ended
 * @param eventsPerSecond the load's rate
 */
export function catchUpOf(
  samples: readonly RowSample[],
  acknowledged: number,
  endMs: number,
  eventsPerSecond: number,
): CatchUp {
  const atEnd = samples.find((sample) => sample.atMs >= endMs) ?? samples.at(-1);
  const whole = samples.find((sample) => sample.rows >= acknowledged);
  const rows = samples.at(-1)?.rows ?? 0;
  const behindEvents = Math.max(0, acknowledged - (atEnd?.rows ?? 0));
  return {
    acknowledged,
    rows,
    exact: rows === acknowledged,
    behindEvents,
    behindSeconds: behindEvents / eventsPerSecond,
    caughtUpSeconds: whole === undefined ? undefined : Math.max(0, whole.atMs - endMs) / 1000,
  };
}

/** Rows that became visible per second in each bin after `startMs`, from samples taken at any time; for a picture. */
export function rowsPerSecond(samples: readonly RowSample[], startMs: number, bins: number, binMs: number): number[] {
  return Array.from({ length: bins }, (_, bin) => {
    const fromMs = startMs + bin * binMs;
    return ((rowsAt(samples, fromMs + binMs) - rowsAt(samples, fromMs)) * 1000) / binMs;
  });
}

/** Linear between the samples around a moment. */
function rowsAt(samples: readonly RowSample[], atMs: number): number {
  const after = samples.findIndex((sample) => sample.atMs >= atMs);
  const right = samples[after === -1 ? samples.length - 1 : after];
  const left = samples[Math.max(0, (after === -1 ? samples.length : after) - 1)];
  if (left === undefined || right === undefined || right.atMs === left.atMs) return right?.rows ?? 0;
  const share = Math.min(1, Math.max(0, (atMs - left.atMs) / (right.atMs - left.atMs)));
  return left.rows + share * (right.rows - left.rows);
}
