import type { Log } from '../../streams/log/log.ts';
import type { Clock } from '../../core/kernel/clock.ts';

/** Entries of the bucket STREAM_TOKENS that any gateway takes, each once and until it expires. Nothing rejects. */
export interface OneTimeEntries {
  /** @returns when it expires, epoch milliseconds; undefined: the broker does not answer */
  store(name: string, lifeMs: number): Promise<number | undefined>;
  /** Uses an entry up. `unavailable`: the broker does not answer. */
  take(name: string): Promise<'valid' | 'invalid' | 'unavailable'>;
  /** Marks a name as used, for as long as the bucket keeps entries. `invalid`: it was used before. */
  spend(name: string): Promise<'valid' | 'invalid' | 'unavailable'>;
  /**
   * The value that all gateways have under a name: this one, if there is none. Undefined: the broker does not answer.
   */
  agree(name: string, value: Uint8Array): Promise<Uint8Array | undefined>;
}

export function createOneTimeEntries(log: Pick<Log, 'bucket'>, clock: Pick<Clock, 'wallMs'>): OneTimeEntries {
  const bucket = log.bucket('STREAM_TOKENS');
  return {
    async store(name, lifeMs) {
      const expiresAt = clock.wallMs() + lifeMs;
      try {
        const outcome = await bucket.put(name, Buffer.from(String(expiresAt)), 0);
        return outcome.kind === 'written' ? expiresAt : undefined;
      } catch {
        return undefined;
      }
    },
    async spend(name) {
      try {
        const outcome = await bucket.put(name, Buffer.of(1), 0);
        if (outcome.kind === 'written') return 'valid';
        return outcome.kind === 'unknown' ? 'unavailable' : 'invalid';
      } catch {
        return 'unavailable';
      }
    },
    async agree(name, value) {
      try {
        const held = (await bucket.get(name))?.value;
        if (held !== undefined) return held;
        const outcome = await bucket.put(name, value, 0);
        return outcome.kind === 'written' ? value : (await bucket.get(name))?.value;
      } catch {
        return undefined;
      }
    },
    async take(name) {
      try {
        const entry = await bucket.get(name);
        if (entry === undefined || Number(Buffer.from(entry.value ?? []).toString()) <= clock.wallMs())
          return 'invalid';
        const outcome = await bucket.delete(name, entry.revision);
        if (outcome.kind === 'unknown') return 'unavailable';
        return outcome.kind === 'written' ? 'valid' : 'invalid';
      } catch {
        return 'unavailable';
      }
    },
  };
}
