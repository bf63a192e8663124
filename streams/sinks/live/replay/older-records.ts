import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import type { Log, LogRecord, Reader } from '../../../log/log.ts';
import { type FedRecord, fedRecord } from '../fed-record.ts';
import type { ReplaySlots } from './replay-slots.ts';

/** Records of FACTS from the log, in order, for one reader that is behind the recent records. */
export interface OlderRecords {
  /**
   * The first record at or after `sequence`, which must not decrease. `waiting`: `onWaiting` will be called.
   * `lostBefore`: the log was trimmed below that sequence or created anew; open again to continue from it.
   */
  at(sequence: number): FedRecord | 'waiting' | Lost;
  stop(): void;
}

export interface Lost {
  lostBefore: number;
  why: 'trimmed' | 'gone';
}

export interface OlderRecordsOptions {
  log: Log;
  clock: Clock;
  slots: ReplaySlots;
  /** The API key of the replay: keys take turns. */
  key: string;
  /** The incarnation of FACTS that the reader's position belongs to. */
  created: string;
  tag: string;
  /** The sequence to continue from if FACTS was created anew. */
  present: () => number;
  fromSequence: number;
  onWaiting: () => void;
  onUnreadable: (error: unknown) => void;
}

/** The pause after the broker did not answer or ended a reader. */
const RETRY_MS = 1_000;
const TAKE_RECORDS = 16;

export function openOlderRecords(options: OlderRecordsOptions): OlderRecords {
  const { log, clock, slots } = options;
  let stopped = false;
  let wantedFrom = options.fromSequence;
  let reader: Reader | undefined;
  let taken: LogRecord[] = [];
  /** The last record returned: it is requested again if the reader's buffer could not hold all of it. */
  let head: FedRecord | undefined;
  let lost: Lost | undefined;
  /** Counts starts and pauses: an opening that began before a pause ends. */
  let turn = 0;
  const leaveSlots = slots.enter(options.key, { start: () => void open(), pause });

  async function open(): Promise<void> {
    turn += 1;
    const mine = turn;
    const isOver = (): boolean => stopped || mine !== turn;
    for (;;) {
      if (isOver()) return;
      try {
        const bounds = await log.info('FACTS');
        if (isOver()) return;
        if (bounds.created !== options.created) lost = { lostBefore: options.present() + 1, why: 'gone' };
        else if (wantedFrom < bounds.firstSequence) lost = { lostBefore: bounds.firstSequence, why: 'trimmed' };
        else reader = log.read('FACTS', { from: wantedFrom, onWaiting: options.onWaiting });
        options.onWaiting();
        return;
      } catch {
        // The broker is unreachable, or the log is being closed, which `stop` ends.
        await sleep(clock, RETRY_MS);
      }
    }
  }

  async function reopen(): Promise<void> {
    reader?.stop();
    reader = undefined;
    const mine = turn;
    await sleep(clock, RETRY_MS);
    if (mine === turn) await open();
  }

  /** Keeps only the position: records read ahead are read again. */
  function pause(): void {
    turn += 1;
    reader?.stop();
    reader = undefined;
    taken = [];
    head = undefined;
  }

  function nextTaken(sequence: number): FedRecord | undefined {
    while (head === undefined || head.sequence < sequence) {
      if (taken.length === 0) taken = reader?.take(TAKE_RECORDS) ?? [];
      const record = taken.shift();
      head = record === undefined ? undefined : fedRecord(record, options.tag, options.onUnreadable);
      if (head === undefined) break;
    }
    return head;
  }

  return {
    at(sequence) {
      wantedFrom = sequence;
      if (lost !== undefined) return lost;
      const record = nextTaken(sequence);
      if (record !== undefined) return record;
      if (reader?.ended === 'reset') void reopen();
      return 'waiting';
    },
    stop() {
      stopped = true;
      reader?.stop();
      taken = [];
      leaveSlots();
    },
  };
}
