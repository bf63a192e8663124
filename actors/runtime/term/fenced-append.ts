import { sleep, type Clock } from '../../../core/kernel/clock.ts';
import type { Log } from '../../../streams/log/log.ts';

/** `deposed`: another owner's record took the sequence; ours was not and will not be stored. */
export type FencedOutcome =
  | { kind: 'committed'; sequence: number }
  | { kind: 'deposed' }
  | { kind: 'refused'; message: string }
  | { kind: 'abandoned' };

export interface FencedAppend {
  log: Log;
  clock: Clock;
  subject: string;
  data: Uint8Array;
  /** The fence: the subject's last sequence, as the owner last read or wrote it. */
  expectedLastSequence: number;
  /** The creation of the FACTS stream that the owner works on. If FACTS was created anew, the owner is deposed. */
  factsCreated: string;
  /** Whether the owner stops. Then the outcome stays unknown. */
  stopped: () => boolean;
}

const APPEND_TIMEOUT_MS = 2_000;
const RETRY_MS = 50;

/**
 * Appends one record and repeats until its outcome is known. An unanswered append is sent again byte for byte with the
 * same fence; a fence error is resolved by reading the record behind the fence. A refusal is final only if every
 * earlier attempt was answered: an unanswered one may still have been stored.
 */
export async function appendFenced(options: FencedAppend): Promise<FencedOutcome> {
  const { log, clock, subject, data, expectedLastSequence } = options;
  let inDoubt = false;
  while (!options.stopped()) {
    const outcome = await log.append(subject, data, { expectedLastSequence, timeoutMs: APPEND_TIMEOUT_MS });
    switch (outcome.kind) {
      case 'acked':
        return { kind: 'committed', sequence: outcome.sequence };
      case 'fenced': {
        const found = await whoseRecord(options);
        if (found !== undefined) return found;
        break;
      }
      case 'refused':
        if (!inDoubt) return { kind: 'refused', message: outcome.message };
        break;
      case 'unknown':
        inDoubt = true;
        break;
    }
    await sleep(clock, RETRY_MS);
  }
  return { kind: 'abandoned' };
}

/** Reads the first record after the fence. `undefined`: there is none yet, so the outcome is still open. */
async function whoseRecord(options: FencedAppend): Promise<FencedOutcome | undefined> {
  const { log, subject, data, expectedLastSequence, factsCreated } = options;
  try {
    const record = await log.next('FACTS', subject, expectedLastSequence + 1);
    if (record !== undefined) {
      const ours = Buffer.compare(record.data, data) === 0;
      return ours ? { kind: 'committed', sequence: record.sequence } : { kind: 'deposed' };
    }
    const { created } = await log.info('FACTS');
    return created === factsCreated ? undefined : { kind: 'deposed' };
  } catch {
    // The broker cannot be read now.
    return undefined;
  }
}
