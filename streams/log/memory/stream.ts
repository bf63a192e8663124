import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import type { StreamDefinition } from '../stream-definitions.ts';
import type { AppendOptions, AppendOutcome, LogRecord, StreamBounds, Stop } from '../log.ts';
import { subjectMatches } from '../subject-match.ts';

/** The bytes that the broker counts for a record beside its subject and data. */
const RECORD_OVERHEAD_BYTES = 22;

/**
 * The broker's side of a stream. Every call decides at once; the connection adds delays and losses.
 *
 * Invariants (as in nats-server 2.15)
 * 1. Order of checks: size, fence, duplicate, bytes. A repeat whose fence no longer fits is `fenced`, not a duplicate.
 * 2. A fence compares with the last record *held* of the subject: 0 once a purge took them all.
 * 3. Sequences are never used twice within an incarnation.
 */
export interface MemoryStream {
  readonly definition: StreamDefinition;
  /** Grows whenever the stream is emptied: consumers of an earlier incarnation are gone. */
  readonly incarnation: number;
  append(subject: string, data: Uint8Array, options?: AppendOptions): AppendOutcome;
  get(sequence: number): LogRecord | undefined;
  last(subject: string): LogRecord | undefined;
  next(subject: string, sequence: number): LogRecord | undefined;
  bounds(): StreamBounds;
  countSubjects(subject: string): number;
  countBySubject(subject: string): ReadonlyMap<string, number>;
  remove(sequence: number): void;
  purgeBelow(sequence: number): void;
  /** Removes every record and restarts sequences; keeps the creation time only with `same`. */
  wipe(creation: 'new' | 'same'): void;
  /** Calls back after every change that may concern a consumer. */
  onChange(listener: () => void): Stop;
}

export function createMemoryStream(definition: StreamDefinition, clock: Clock): MemoryStream {
  let created = creationText(clock, 0);
  let incarnation = 1;
  let lastSequence = 0;
  let firstSequence = 1;
  let sizeBytes = 0;
  // Iterates in order of sequence, as records are only ever added at the end.
  const records = new Map<number, LogRecord>();
  const bySubject = new Map<string, number[]>();
  const messageIds = new Map<string, { sequence: number; atMs: number }>();
  const schedules = new Map<string, () => void>();
  const listeners = new Set<() => void>();

  const sizeOf = (subject: string, data: Uint8Array) => subject.length + data.length + RECORD_OVERHEAD_BYTES;

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function drop(record: LogRecord): void {
    records.delete(record.sequence);
    sizeBytes -= sizeOf(record.subject, record.data);
    const sequences = bySubject.get(record.subject) ?? [];
    if (sequences[0] === record.sequence) sequences.shift();
    else sequences.splice(sequences.indexOf(record.sequence), 1);
    if (sequences.length === 0) bySubject.delete(record.subject);
    while (firstSequence <= lastSequence && !records.has(firstSequence)) firstSequence += 1;
  }

  function expire(): void {
    const nowMs = clock.wallMs();
    if (definition.maxAgeMs > 0) {
      for (const record of records.values()) {
        if (nowMs - record.storedAtMs < definition.maxAgeMs) break;
        drop(record);
      }
    }
    for (const [id, entry] of messageIds) {
      if (nowMs - entry.atMs < definition.duplicateWindowMs) break;
      messageIds.delete(id);
    }
  }

  function store(subject: string, data: Uint8Array): number {
    lastSequence += 1;
    records.set(lastSequence, { subject, sequence: lastSequence, storedAtMs: clock.wallMs(), data });
    sizeBytes += sizeOf(subject, data);
    const sequences = bySubject.get(subject);
    if (sequences === undefined) bySubject.set(subject, [lastSequence]);
    else sequences.push(lastSequence);
    return lastSequence;
  }

  function freeSpace(neededBytes: number): boolean {
    if (definition.discard === 'new') return sizeBytes + neededBytes <= definition.maxBytes;
    for (const record of records.values()) {
      if (sizeBytes + neededBytes <= definition.maxBytes) break;
      drop(record);
    }
    return true;
  }

  /** A newer schedule on the same subject replaces the older one. */
  function plan(subject: string, sequence: number, schedule: { atMs: number; target: string }): void {
    schedules.get(subject)?.();
    for (const older of (bySubject.get(subject) ?? []).slice()) {
      const record = records.get(older);
      if (older !== sequence && record !== undefined) drop(record);
    }
    const cancel = clock.timer(Math.max(0, schedule.atMs - clock.wallMs()), () => {
      schedules.delete(subject);
      const record = records.get(sequence);
      if (record === undefined) return;
      drop(record);
      store(schedule.target, record.data);
      changed();
    });
    schedules.set(subject, cancel);
  }

  return {
    definition,
    get incarnation() {
      return incarnation;
    },
    append(subject, data, options = {}) {
      expire();
      const { expectedLastSequence, messageId, schedule } = options;
      if (data.length > LOG_LIMITS.brokerPayloadBytes) {
        return { kind: 'refused', reason: 'too_large', message: 'maximum payload exceeded' };
      }
      if (schedule !== undefined && !definition.schedules) {
        return { kind: 'refused', reason: 'other', message: 'message schedules are disabled' };
      }
      const lastOfSubject = bySubject.get(subject)?.at(-1) ?? 0;
      if (expectedLastSequence !== undefined && expectedLastSequence !== lastOfSubject) return { kind: 'fenced' };
      const first = messageId === undefined ? undefined : messageIds.get(messageId);
      if (first !== undefined) return { kind: 'acked', sequence: first.sequence, duplicate: true };
      if (!freeSpace(sizeOf(subject, data))) {
        return { kind: 'refused', reason: 'full', message: 'maximum bytes exceeded' };
      }
      const sequence = store(subject, data);
      if (messageId !== undefined) messageIds.set(messageId, { sequence, atMs: clock.wallMs() });
      if (schedule !== undefined) plan(subject, sequence, schedule);
      changed();
      return { kind: 'acked', sequence, duplicate: false };
    },
    get(sequence) {
      expire();
      return records.get(sequence);
    },
    last(subject) {
      expire();
      const sequence = bySubject.get(subject)?.at(-1);
      return sequence === undefined ? undefined : records.get(sequence);
    },
    next(subject, sequence) {
      expire();
      const held = /[*>]/.test(subject) ? [...records.keys()] : (bySubject.get(subject) ?? []);
      const found = held.find(
        (candidate) => candidate >= sequence && subjectMatches(subject, records.get(candidate)?.subject ?? ''),
      );
      return found === undefined ? undefined : records.get(found);
    },
    bounds() {
      expire();
      const { maxBytes } = definition;
      return { created, firstSequence, lastSequence, records: records.size, sizeBytes, maxBytes };
    },
    countSubjects(subject) {
      expire();
      return [...bySubject.keys()].filter((held) => subjectMatches(subject, held)).length;
    },
    countBySubject(subject) {
      expire();
      const held = [...bySubject].filter(([name]) => subjectMatches(subject, name));
      return new Map(held.map(([name, sequences]) => [name, sequences.length]));
    },
    remove(sequence) {
      const record = records.get(sequence);
      if (record !== undefined) drop(record);
    },
    purgeBelow(sequence) {
      for (const record of records.values()) {
        if (record.sequence >= sequence) break;
        drop(record);
      }
      changed();
    },
    wipe(creation) {
      incarnation += 1;
      if (creation === 'new') created = creationText(clock, incarnation);
      for (const cancel of schedules.values()) cancel();
      for (const collection of [records, bySubject, messageIds, schedules]) collection.clear();
      lastSequence = 0;
      firstSequence = 1;
      sizeBytes = 0;
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Creation times have nanoseconds, as the broker's; a counter makes two in one millisecond differ. */
function creationText(clock: Clock, count: number): string {
  return new Date(clock.wallMs()).toISOString().replace('Z', `${String(count).padStart(6, '0')}Z`);
}
