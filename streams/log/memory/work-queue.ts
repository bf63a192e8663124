import type { Clock } from '../../../core/kernel/clock.ts';
import type { LogRecord, Stop, WorkItem, WorkOptions } from '../log.ts';
import { subjectMatches } from '../subject-match.ts';
import type { Connection } from './connection.ts';
import type { MemoryStream } from './stream.ts';

/**
 * The broker's side of a durable consumer: records handed out and not yet acknowledged, shared by every process that
 * uses its name. An unacknowledged record is handed out again after `ackWaitMs`, to any of them.
 */
export interface WorkQueue {
  /** Adds a process. */
  join(connection: Connection, options: WorkOptions): Stop;
}

interface Worker {
  connection: Connection;
  onItem: (item: WorkItem) => void;
}

interface HandedOut {
  record: LogRecord;
  times: number;
  /** Whether a worker holds it; otherwise it waits to be handed out, or for its delay. */
  out: boolean;
  ready: boolean;
  cancel: () => void;
}

export function createWorkQueue(stream: MemoryStream, clock: Clock, terms: WorkOptions): WorkQueue {
  const workers: Worker[] = [];
  const held = new Map<number, HandedOut>();
  let position = 1;
  let incarnation = stream.incarnation;
  let turn = 0;

  const wanted = (subject: string) => terms.subjects.some((pattern) => subjectMatches(pattern, subject));

  function start(): void {
    if (incarnation === stream.incarnation) return;
    incarnation = stream.incarnation;
    position = 1;
    for (const entry of held.values()) entry.cancel();
    held.clear();
  }

  function nextEntry(): HandedOut | undefined {
    for (const entry of held.values()) if (entry.ready) return entry;
    const { firstSequence, lastSequence } = stream.bounds();
    position = Math.max(position, firstSequence);
    while (position <= lastSequence) {
      const record = stream.get(position);
      position += 1;
      if (record === undefined || !wanted(record.subject)) continue;
      const entry: HandedOut = { record, times: 0, out: false, ready: true, cancel: () => {} };
      held.set(record.sequence, entry);
      return entry;
    }
    return undefined;
  }

  function pump(): void {
    start();
    while (workers.length > 0 && countOut() < terms.maxInFlight) {
      const entry = nextEntry();
      if (entry === undefined) return;
      if (stream.get(entry.record.sequence) === undefined) held.delete(entry.record.sequence);
      else handOut(entry);
    }
  }

  function countOut(): number {
    let count = 0;
    for (const entry of held.values()) if (entry.out) count += 1;
    return count;
  }

  function handOut(entry: HandedOut): void {
    turn = (turn + 1) % workers.length;
    const worker = workers[turn];
    if (worker === undefined) return;
    entry.times += 1;
    entry.out = true;
    entry.ready = false;
    patience(entry);
    const item = makeItem(worker, entry, entry.times);
    worker.connection.toClient(() => {
      if (workers.includes(worker)) worker.onItem(item);
    });
  }

  function patience(entry: HandedOut): void {
    entry.cancel();
    entry.cancel = clock.timer(terms.ackWaitMs, () => comeAgain(entry));
  }

  function comeAgain(entry: HandedOut): void {
    if (!held.has(entry.record.sequence)) return;
    entry.out = false;
    entry.ready = true;
    pump();
  }

  function makeItem(worker: Worker, entry: HandedOut, handedOut: number): WorkItem {
    const { record } = entry;
    return {
      record,
      handedOut,
      ack: () =>
        worker.connection.write(
          () => {
            if (held.get(record.sequence) === entry) {
              entry.cancel();
              held.delete(record.sequence);
              if (stream.definition.retention === 'workqueue') stream.remove(record.sequence);
              pump();
            }
            return true;
          },
          () => false,
          terms.ackWaitMs,
          'deliver',
        ),
      working: () =>
        worker.connection.toBroker(() => {
          if (held.get(record.sequence) === entry && entry.out) patience(entry);
        }),
      retryIn: (delayMs) =>
        worker.connection.toBroker(() => {
          if (held.get(record.sequence) !== entry) return;
          entry.out = false;
          entry.cancel();
          entry.cancel = clock.timer(delayMs, () => comeAgain(entry));
          pump();
        }),
    };
  }

  stream.onChange(pump);
  return {
    join(connection, options) {
      const worker: Worker = { connection, onItem: options.onItem };
      const enter = () =>
        connection.toBroker(() => {
          if (!left && !workers.includes(worker)) workers.push(worker);
          pump();
        });
      const leave = () => {
        const at = workers.indexOf(worker);
        if (at >= 0) workers.splice(at, 1);
      };
      let left = false;
      const stopListening = connection.onChange((connected) => (connected ? enter() : leave()));
      enter();
      return () => {
        left = true;
        stopListening();
        leave();
      };
    },
  };
}
