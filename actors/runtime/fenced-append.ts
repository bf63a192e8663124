import { sleep, type Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../streams/log/log.ts';

/** `deposed`: another owner's record stands where ours should; nothing of ours was or will be stored. */
export type CommitOutcome =
  | { kind: 'committed'; sequence: number }
  | { kind: 'deposed' }
  | { kind: 'refused'; message: string }
  | { kind: 'abandoned' };

export interface FencedAppend {
  log: Log;
  clock: Clock;
  subject: string;
  data: Uint8Array;
  /** The fence: the subject's last sequence as the owner knows it. */
  expectedLastSequence: number;
  /** The FACTS stream the owner works on; if it is another one now, the owner is deposed. */
  factsCreated: string;
  /** The owner stops: give up waiting. The outcome is then unknown for good. */
  stopped: () => boolean;
}

const APPEND_TIMEOUT_MS = 2_000;
const RETRY_MS = 50;

/**
 * Appends one record and finds out what became of it, however long that takes: an unanswered append is sent again byte
 * for byte with the same fence, and a fence error is resolved by reading what stands there. A refusal counts only if no
 * earlier attempt is in doubt, as that one could still have been stored.
 */
export async function appendFenced(options: FencedAppend): Promise<CommitOutcome> {
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

/** Reads the first record after the fence. `undefined`: there is none yet, so the error proves nothing; ask again. */
async function whoseRecord(options: FencedAppend): Promise<CommitOutcome | undefined> {
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
    // The broker cannot be asked just now.
    return undefined;
  }
}
