import { encodeJson } from '../../core/codec/codec.ts';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { FORMAT } from '../../core/vocabulary/formats.ts';
import type { Bucket } from '../../streams/log/log.ts';

export interface ProcessBeatOptions {
  bucket: Pick<Bucket, 'put' | 'delete'>;
  node: string;
  roles: readonly string[];
  /** For operators: the version of the service, and when the process started. */
  about: { readonly version: string; readonly startedAt: number };
  clock: Clock;
}

/**
 * Writes OWNERS `process.<node>` about once a second, whatever the roles of the process: what it is, and the format
 * that it reads. `stop` deletes the beat, so that others need not wait for its end.
 */
export function startProcessBeat({ bucket, node, roles, about, clock }: ProcessBeatOptions): {
  stop: () => Promise<void>;
} {
  const key = `process.${node}`;
  let beat = 0;
  let stopped = false;
  let cancel: Cancel = () => {};

  async function step(): Promise<void> {
    beat += 1;
    try {
      await bucket.put(key, encodeJson({ beat, format: FORMAT, roles, ...about }));
    } catch {
      // The log is being closed.
    }
    if (!stopped) cancel = nextTick(clock, SHARED_LIMITS.leaseRenewMs, () => void step());
  }

  cancel = clock.timer(0, () => void step());
  return {
    async stop() {
      stopped = true;
      cancel();
      try {
        await bucket.delete(key);
      } catch {
        // The beat expires instead.
      }
    },
  };
}
