import type { LogRecord } from '../log.ts';

/** The bytes that the broker counts for a record beside its subject and data. */
const RECORD_OVERHEAD_BYTES = 22;

export const sizeOf = (subject: string, data: Uint8Array): number =>
  subject.length + data.length + RECORD_OVERHEAD_BYTES;

/** The records that a stream in memory holds, in order and by subject. */
export interface HeldRecords {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly count: number;
  readonly sizeBytes: number;
  /** @returns the record's sequence */
  add(subject: string, data: Uint8Array, storedAtMs: number): number;
  drop(record: LogRecord): void;
  get(sequence: number): LogRecord | undefined;
  /** In order. Records may be dropped meanwhile. */
  all(): Iterable<LogRecord>;
  /** The sequences of a subject, in order. */
  of(subject: string): readonly number[];
  subjects(): string[];
  /** Drops every record and restarts the sequences. */
  clear(): void;
}

export function createHeldRecords(): HeldRecords {
  let lastSequence = 0;
  let firstSequence = 1;
  let sizeBytes = 0;
  // Iterates in order of sequence, as records are only ever added at the end.
  const records = new Map<number, LogRecord>();
  const bySubject = new Map<string, number[]>();
  return {
    get firstSequence() {
      return firstSequence;
    },
    get lastSequence() {
      return lastSequence;
    },
    get count() {
      return records.size;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    add(subject, data, storedAtMs) {
      lastSequence += 1;
      records.set(lastSequence, { subject, sequence: lastSequence, storedAtMs, data });
      sizeBytes += sizeOf(subject, data);
      const sequences = bySubject.get(subject);
      if (sequences === undefined) bySubject.set(subject, [lastSequence]);
      else sequences.push(lastSequence);
      return lastSequence;
    },
    drop({ sequence, subject, data }) {
      records.delete(sequence);
      sizeBytes -= sizeOf(subject, data);
      const sequences = bySubject.get(subject) ?? [];
      if (sequences[0] === sequence) sequences.shift();
      else sequences.splice(sequences.indexOf(sequence), 1);
      if (sequences.length === 0) bySubject.delete(subject);
      while (firstSequence <= lastSequence && !records.has(firstSequence)) firstSequence += 1;
    },
    get: (sequence) => records.get(sequence),
    all: () => records.values(),
    of: (subject) => bySubject.get(subject) ?? [],
    subjects: () => [...bySubject.keys()],
    clear() {
      records.clear();
      bySubject.clear();
      lastSequence = 0;
      firstSequence = 1;
      sizeBytes = 0;
    },
  };
}
