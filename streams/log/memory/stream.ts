import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../limits.ts';
import type { StreamDefinition } from '../stream-definitions.ts';
import type { AppendOptions, AppendOutcome, LogRecord, StreamBounds, Stop } from '../log.ts';
import { subjectMatches } from '../subject-match.ts';
import { createHeldRecords, sizeOf } from './held-records.ts';

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
  const held = createHeldRecords();
  const messageIds = new Map<string, { sequence: number; atMs: number }>();
  const schedules = new Map<string, () => void>();
  const listeners = new Set<() => void>();

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function expire(): void {
    const nowMs = clock.wallMs();
    if (definition.maxAgeMs > 0) {
      for (const record of held.all()) {
        if (nowMs - record.storedAtMs < definition.maxAgeMs) break;
        held.drop(record);
      }
    }
    for (const [id, entry] of messageIds) {
      if (nowMs - entry.atMs < definition.duplicateWindowMs) break;
      messageIds.delete(id);
    }
  }

  function store(subject: string, data: Uint8Array): number {
    return held.add(subject, data, clock.wallMs());
  }

  function freeSpace(neededBytes: number): boolean {
    if (definition.discard === 'new') return held.sizeBytes + neededBytes <= definition.maxBytes;
    for (const record of held.all()) {
      if (held.sizeBytes + neededBytes <= definition.maxBytes) break;
      held.drop(record);
    }
    return true;
  }

  /** A newer schedule on the same subject replaces the older one. */
  function plan(subject: string, sequence: number, schedule: { atMs: number; target: string }): void {
    schedules.get(subject)?.();
    for (const older of held.of(subject).slice()) {
      const record = held.get(older);
      if (older !== sequence && record !== undefined) held.drop(record);
    }
    const cancel = clock.timer(Math.max(0, schedule.atMs - clock.wallMs()), () => {
      schedules.delete(subject);
      const record = held.get(sequence);
      if (record === undefined) return;
      held.drop(record);
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
      const lastOfSubject = held.of(subject).at(-1) ?? 0;
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
      return held.get(sequence);
    },
    last(subject) {
      expire();
      const sequence = held.of(subject).at(-1);
      return sequence === undefined ? undefined : held.get(sequence);
    },
    next(subject, sequence) {
      expire();
      if (!/[*>]/.test(subject)) return held.get(held.of(subject).find((candidate) => candidate >= sequence) ?? 0);
      for (const record of held.all()) {
        if (record.sequence >= sequence && subjectMatches(subject, record.subject)) return record;
      }
      return undefined;
    },
    bounds() {
      expire();
      const { maxBytes } = definition;
      const { firstSequence, lastSequence, count: records, sizeBytes } = held;
      return { created, firstSequence, lastSequence, records, sizeBytes, maxBytes };
    },
    countSubjects(subject) {
      expire();
      return held.subjects().filter((name) => subjectMatches(subject, name)).length;
    },
    countBySubject(subject) {
      expire();
      const names = held.subjects().filter((name) => subjectMatches(subject, name));
      return new Map(names.map((name) => [name, held.of(name).length]));
    },
    remove(sequence) {
      const record = held.get(sequence);
      if (record !== undefined) held.drop(record);
    },
    purgeBelow(sequence) {
      for (const record of held.all()) {
        if (record.sequence >= sequence) break;
        held.drop(record);
      }
      changed();
    },
    wipe(creation) {
      incarnation += 1;
      if (creation === 'new') created = creationText(clock, incarnation);
      for (const cancel of schedules.values()) cancel();
      for (const collection of [held, messageIds, schedules]) collection.clear();
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
