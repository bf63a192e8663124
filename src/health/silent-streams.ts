import type { JetStreamLog } from '../../streams/log/jetstream/log-jetstream.ts';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import { HEALTH_LIMITS } from './limits.ts';

/*
 * Streams that store nothing, as another thread of the process sees them. Each thread has its own connection, and
 * notices only the streams that it appends to. The thread reports them; the main thread restarts the broker.
 */

/** Streams, and for how long their appends have had no answer, in milliseconds. A thread sends it as a message. */
export type Silences = readonly (readonly [stream: string, silentMs: number])[];

/** Reports the silent streams once a second while there are any, and once when there are none any more. */
export function reportSilences(
  log: Pick<JetStreamLog, 'silences'>,
  clock: Clock,
  report: (silences: Silences) => void,
): { stop(): void } {
  let cancel: Cancel = () => {};
  let reported = false;
  function step(): void {
    const silences = [...log.silences()];
    if (silences.length > 0 || reported) report(silences);
    reported = silences.length > 0;
    cancel = nextTick(clock, HEALTH_LIMITS.diskWatchMs, step);
  }
  cancel = clock.timer(HEALTH_LIMITS.diskWatchMs, step);
  return { stop: () => cancel() };
}

export interface ReportedSilences {
  report(silences: Silences): void;
  /** Streams that were silent for at least `ms` when they were reported. */
  unansweredFor(ms: number): string[];
}

export function createReportedSilences(clock: Pick<Clock, 'monotonicMs'>): ReportedSilences {
  let latest: Silences = [];
  let reportedMs = 0;
  return {
    report(silences) {
      latest = silences;
      reportedMs = clock.monotonicMs();
    },
    unansweredFor(ms) {
      if (clock.monotonicMs() - reportedMs > STALE_MS) return [];
      return latest.flatMap(([stream, silentMs]) => (silentMs >= ms ? stream : []));
    },
  };
}

/** A thread that has reported nothing for so long is busy or has ended: the silence may be over. */
const STALE_MS = 10_000;
