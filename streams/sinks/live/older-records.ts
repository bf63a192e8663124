import { type Clock, sleep } from '../../../src/kernel/clock.ts';
import type { Log, LogRecord, Reader } from '../../log/log.ts';
import { type FedRecord, fedRecord } from './fed-record.ts';
import type { ReplaySlots } from './replay-slots.ts';

/** FACTS records from the log itself, in order, for one reader that is further behind than the recent records. */
export interface OlderRecords {
  /**
   * The first record at or after `sequence`, which never goes back. `waiting`: `onWaiting` will be called. `lostBefore`:
   * the log holds nothing before that sequence any more (trimmed), or is another one (gone); to go on from it, open anew.
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
  /** Whose replay this is: replays take turns by it. */
  key: string;
  /** The incarnation of FACTS the reader's position belongs to. */
  created: string;
  tag: string;
  /** Where to go on when FACTS is another one by now. */
  present: () => number;
  fromSequence: number;
  onWaiting: () => void;
  onUnreadable: (error: unknown) => void;
}

/** How long to wait after the broker did not answer, or ended a reader. */
const RETRY_MS = 1_000;
const TAKE_RECORDS = 16;

export function openOlderRecords(options: OlderRecordsOptions): OlderRecords {
  const { log, clock, slots } = options;
  let stopped = false;
  let wantedFrom = options.fromSequence;
  let reader: Reader | undefined;
  let taken: LogRecord[] = [];
  /** The record given out last: it is asked for again when the reader had no room for all of it. */
  let head: FedRecord | undefined;
  let lost: Lost | undefined;
  /** Counts starts and pauses: an opening that was under way at a pause ends. */
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
        // The broker can't be reached, or the log is being closed: then `stop` ends this.
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

  /** Keeps nothing but where to go on: what was read ahead is read again. */
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
