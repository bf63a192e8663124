import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import { encodeCommit } from '../../core/codec/codec.ts';
import { factsSubject } from '../subjects.ts';
import type { Log } from '../log/log.ts';
import type { CommitRecord } from '../../core/vocabulary/facts/commit-record.ts';
import { NEW_CONTEXT } from '../../core/vocabulary/facts/event-context.ts';
import type { EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';

/** A tracked event for tests; everything that matters to a test is given by it. */
export function aTrackedEvent(some: Partial<EventTracked> = {}): EventTracked {
  return {
    kind: 'EventTracked',
    game: 'demo',
    environment: 'live',
    entityId: '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
    at: Date.UTC(2026, 0, 1, 12),
    eventId: 'event-1',
    remember: false,
    eventName: 'level_up',
    properties: '{"level":5}',
    sessionId: null,
    timestamp: Date.UTC(2026, 0, 1, 11, 59),
    externalId: 'ext-1',
    ...NEW_CONTEXT,
    lifecycleStage: 'active',
    ...some,
  };
}

/** A FACTS record for tests. */
export function aCommit(facts: Fact[], some: Partial<CommitRecord> = {}): CommitRecord {
  return {
    partition: 0,
    owner: 'owner-1',
    epoch: 1,
    committedAt: 1_000,
    position: null,
    configRevision: 0,
    facts,
    ...some,
  };
}

/** Commits facts to FACTS and answers the record's sequence. */
export async function commit(log: Log, facts: Fact[], some: Partial<CommitRecord> = {}): Promise<number> {
  const record = aCommit(facts, some);
  const outcome = await log.append(factsSubject(record.partition), encodeCommit(record));
  if (outcome.kind !== 'acked') throw new Error(`the commit was not stored: ${outcome.kind}`);
  return outcome.sequence;
}
