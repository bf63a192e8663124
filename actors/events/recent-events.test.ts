import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/limits.ts';
import { decodeCommit, encodeCommit } from '../../streams/codec.ts';
import type { TrackItem } from '../vocabulary/commands.ts';
import { decide } from '../decide.ts';
import { evolve } from '../evolve.ts';
import type { Fact } from '../vocabulary/facts.ts';
import { createDraft } from '../runtime/draft.ts';
import type { EntityState, PlayerState } from '../vocabulary/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing.ts';
import type { CallerKind } from '../vocabulary/scope.ts';

const ID = aPlayer().id;

const item = (eventId: string, some: Partial<TrackItem> = {}): TrackItem => ({
  index: 0,
  playerId: ID,
  eventId,
  remember: true,
  eventName: 'win',
  properties: '{}',
  sessionId: null,
  timestamp: 2_000,
  ...some,
});
const BROKEN: Partial<TrackItem> = { quarantine: { schemaVersion: 1, faults: [] } };

/** The results of one player's events in order; `by` is the kind of key. */
function after(player: PlayerState, ...events: [item: TrackItem, by?: CallerKind][]) {
  const draft = createDraft(() => player);
  const statuses = events.map(([one, by]) => {
    const command = aCommand({ kind: 'TrackEvents', items: [one] }, by === undefined ? {} : { by });
    const reply = decide(draft, command, definitionsOf());
    return reply.kind === 'tracked' ? reply.results[0]?.status : reply.kind;
  });
  return { statuses, facts: draft.facts, state: draft.get(ID) };
}

describe('an event_id', () => {
  it('of a client key leaves the same event_id of a server key free, and the reverse', () => {
    expect(
      after(aPlayer(), [item('e'), 'client'], [item('e'), 'server'], [item('e'), 'client'], [item('e'), 'server'])
        .statuses,
    ).toEqual(['accepted', 'accepted', 'duplicate', 'duplicate']);
  });

  it('stored before kinds were recorded matches both kinds', () => {
    const recentEvents = [{ eventId: 'e', eventName: 'win', timestamp: 1, receivedAt: 1 }];
    expect(after(aPlayer({ recentEvents }), [item('e'), 'client'], [item('e'), 'server']).statuses).toEqual([
      'duplicate',
      'duplicate',
    ]);
  });

  it('of a server key is kept, however many a client key sends', () => {
    const many = Array.from({ length: LIMITS.recentEvents + 9 }, (_, n): [TrackItem, CallerKind] => [
      item(`c${n}`),
      'client',
    ]);
    const { statuses, state } = after(
      aPlayer(),
      [item('s'), 'server'],
      ...many,
      [item('s'), 'server'],
      [item('c0'), 'client'],
    );
    expect(statuses.slice(-2)).toEqual(['duplicate', 'accepted']);
    expect(state?.kind === 'player' && state.recentEvents.length).toBe(LIMITS.recentEvents + 1);
  });

  it('of a quarantined event is released although the other kind of key used the same one', () => {
    const release = { number: 1, quarantinedAt: 2_000, by: 'server' } as const;
    const { statuses, facts, state } = after(
      aPlayer(),
      [item('e', BROKEN), 'server'],
      [item('e'), 'client'],
      [item('e', { remember: false, release }), 'server'],
      [item('e'), 'server'],
    );
    expect(statuses).toEqual(['quarantined', 'accepted', 'accepted', 'duplicate']);
    expect(facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [fact.by] : []))).toEqual(['client', 'server']);
    expect(state?.kind === 'player' && state.recentEvents).toMatchObject([{ by: 'server' }, { by: 'client' }]);
  });

  it('of a released event leaves the same one of the other kind of key unchanged, also after a rebuild', () => {
    const release = { number: 1, quarantinedAt: 2_000, by: 'server' } as const;
    const { facts, state } = after(
      aPlayer(),
      [item('e', BROKEN), 'server'],
      [item('e', { eventName: 'loss' }), 'client'],
      [item('e', { remember: false, release }), 'server'],
    );
    const stored = { partition: 0, epoch: 1, owner: 'o', committedAt: 2_000, position: null, configRevision: 0 };
    expect(rebuilt(aPlayer(), decodeCommit(encodeCommit({ ...stored, facts: [...facts] })).facts)).toEqual(state);
  });
});

/** The player rebuilt from the facts in FACTS. */
function rebuilt(player: PlayerState, facts: readonly Fact[]): EntityState {
  let state: EntityState = player;
  for (const fact of facts) {
    if (fact.kind !== 'EntitySnapshot' && fact.kind !== 'SnapshotMark') state = evolve(state, fact);
  }
  return state;
}

describe('the source of an event', () => {
  it('is stored in its fact: the caller’s kind of key, or the service for recorded purchases and sessions', () => {
    const draft = createDraft(() => aPlayer());
    const purchase = { kind: 'RecordPurchase', playerId: ID, amount: 1, currency: null, productId: null } as const;
    const session = { kind: 'RecordSession', playerId: ID, sessionId: 's', startedAt: null, endedAt: null } as const;
    const forged = item('e', { eventName: 'purchase', remember: false });
    decide(draft, aCommand({ kind: 'TrackEvents', items: [forged] }, { by: 'client' }), definitionsOf());
    decide(draft, aCommand({ kind: 'TrackEvents', items: [forged] }), definitionsOf());
    decide(draft, aCommand({ ...purchase, transactionId: null, eventId: 'p' }, { by: 'client' }), definitionsOf());
    decide(draft, aCommand({ ...session, durationSeconds: 1, eventId: 's' }, { by: 'server' }), definitionsOf());
    const events = draft.facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [[fact.eventName, fact.by]] : []));
    expect(events).toEqual([
      ['purchase', 'client'],
      ['purchase', undefined],
      ['purchase', 'service'],
      ['session_recorded', 'service'],
    ]);
  });
});
