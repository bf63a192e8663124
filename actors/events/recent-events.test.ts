import { describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import { decodeCommit, encodeCommit } from '../../core/codec/codec.ts';
import type { TrackItem } from '../../core/vocabulary/commands/commands.ts';
import { decide } from '../decide.ts';
import { evolve } from '../evolve.ts';
import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import { createDraft } from '../runtime/term/draft.ts';
import { isAccepted, recall, remembered, type StoredEvents, withAccepted } from './recent-events.ts';
import type { RecentEvent } from '../../core/vocabulary/state/player.ts';
import type { EntityState, PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';

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

const remembering = (eventId: string): RecentEvent => ({ eventId, eventName: 'win', timestamp: 1, receivedAt: 1 });

/** More events of one time than a player's blocks hold. */
const FORGETTING = PLAYER_LIMITS.eventIdBytes / 8;

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
    const many = Array.from({ length: FORGETTING }, (_, n): [TrackItem, CallerKind] => [item(`c${n}`), 'client']);
    const { statuses, state } = after(
      aPlayer(),
      [item('s'), 'server'],
      ...many,
      [item('s'), 'server'],
      [item('c0'), 'client'],
    );
    expect(statuses.slice(-2)).toEqual(['duplicate', 'accepted']);
    expect(state?.kind === 'player' && state.recentEvents.length).toBeLessThan(PLAYER_LIMITS.recentEvents + 1);
  });

  it('is refused with the first answer for a day, also after a thousand newer ones', () => {
    const at = (nowMs: number, eventId: string, some: Partial<TrackItem> = {}) => ({
      ...aCommand({ kind: 'TrackEvents', items: [item(eventId, some)] }, { by: 'client' }),
      receivedAt: nowMs,
    });
    const world = given([aPlayer()]);
    world.when(at(5_000, 'first', { eventName: 'first_win', timestamp: 4_321 }));
    for (let n = 1; n <= 1_000; n++) world.when(at(5_000 + n * 60_000, `later-${n}`));
    world.when(at(5_000 + 17 * 3_600_000, 'later-1')).thenReply({ results: [{ status: 'duplicate' }] });
    world.when(at(5_000 + DAY_MS - 1, 'first', { eventName: 'other', timestamp: 9 })).thenReply({
      results: [{ status: 'duplicate', eventName: 'first_win', timestamp: 4_321, receivedAt: 5_000 }],
    });
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

describe('the ids that a player recognises', () => {
  const DAY = { ...PLAYER_LIMITS, recentEvents: 4, eventBlock: 8, eventIds: 20, eventIdBytes: 600 };
  const HOUR_MS = DAY_MS / 24;
  const NONE: StoredEvents = { recentEvents: [] };
  const event = (n: number, receivedAt: number, by: CallerKind = 'client'): RecentEvent => ({
    eventId: `e-${n}`,
    eventName: `name-${n % 3}`,
    timestamp: receivedAt - n,
    receivedAt,
    by,
  });
  const bytesOf = ({ olderEvents }: StoredEvents): number =>
    (olderEvents?.client ?? []).reduce((sum, block) => sum + block.length, 0);

  it('are those of the last day that fit, and always the newest', () => {
    for (const stepMs of [1, HOUR_MS, 3 * HOUR_MS]) {
      let stored: StoredEvents = NONE;
      for (let n = 0; n < 90; n++) {
        stored = { ...stored, ...remembered(stored, event(n, n * stepMs), DAY) };
        const known = (m: number) => recall(stored, `e-${m}`, 'client') !== undefined;
        const oldest = Array.from({ length: n + 1 }, (_, m) => m).findIndex(known);
        for (let m = oldest; m <= n; m++) expect(recall(stored, `e-${m}`, 'client')).toMatchObject(result(m, stepMs));
        expect(n - oldest + 1, `${n} of ${stepMs}`).toBeGreaterThanOrEqual(Math.min(n + 1, DAY.eventIds));
        // A block is dropped as a whole, and may hold more than the bound until it is.
        const isOverBytes = bytesOf(stored) > DAY.eventIdBytes - 150;
        const droppedInTime = oldest > 0 && n * stepMs - (oldest - 1) * stepMs < DAY_MS;
        if (droppedInTime) expect(isOverBytes, `${n} of ${stepMs}`).toBe(true);
        if (n - oldest + 1 > DAY.eventIds + DAY.eventBlock + DAY.recentEvents) {
          expect(bytesOf(stored)).toBeLessThanOrEqual(DAY.eventIdBytes);
          expect((n - oldest) * stepMs).toBeLessThan(DAY_MS + (DAY.eventBlock + DAY.recentEvents) * stepMs);
        }
      }
    }
    function result(m: number, stepMs: number) {
      const { eventId: _, ...rest } = event(m, m * stepMs);
      return rest;
    }
  });

  it('of one kind of key never displace those of the other', () => {
    let stored: StoredEvents = { ...NONE, ...remembered(NONE, event(0, 0, 'server'), DAY) };
    for (let n = 0; n < 500; n++) stored = { ...stored, ...remembered(stored, event(n, n), DAY) };
    expect(recall(stored, 'e-0', 'server')).toMatchObject({ by: 'server' });
    expect(recall(stored, 'e-0', 'client')).toBeUndefined();
    for (let n = 1; n < 30; n++) stored = { ...stored, ...remembered(stored, event(n, n, 'server'), DAY) };
    expect(recall(stored, 'e-0', 'server')).toMatchObject({ by: 'server' });
    expect(recall(stored, 'e-499', 'client')).toMatchObject({ by: 'client' });
  });

  it('take a bounded size however long the names of their events are; the oldest are dropped first', () => {
    const long = (n: number, characters: string): RecentEvent => ({
      ...event(n, n),
      eventName: characters.repeat(TEXT_LIMITS.nameLength).slice(String(n).length, TEXT_LIMITS.nameLength) + n,
    });
    for (const [characters, least] of [
      ['n', PLAYER_LIMITS.eventIds],
      ['名', 128],
    ] as const) {
      let stored: StoredEvents = NONE;
      for (let n = 0; n < 700; n++) {
        stored = { ...stored, ...remembered(stored, long(n, characters), PLAYER_LIMITS) };
        expect(bytesOf(stored)).toBeLessThanOrEqual(PLAYER_LIMITS.eventIdMostBytes);
        const known = (m: number) => recall(stored, `e-${m}`, 'client') !== undefined;
        for (let m = Math.max(0, n - least + 1); m <= n; m += 16) expect(known(m), `${m} of ${n}`).toBe(true);
      }
      // Short names fit again once the long ones are dropped, and are joined to whole blocks.
      for (let n = 700; n < 2_000; n++) stored = { ...stored, ...remembered(stored, event(n, n), PLAYER_LIMITS) };
      expect(recall(stored, 'e-1100', 'client')).toMatchObject({ eventName: 'name-2' });
      expect(stored.olderEvents?.client.length).toBeLessThan(20);
    }
  });

  it('of quarantined events become those of accepted ones, wherever they are stored', () => {
    for (const newer of [0, 3, 10, 19]) {
      let stored: StoredEvents = { ...NONE, ...remembered(NONE, { ...event(0, 0), quarantined: true }, DAY) };
      for (let n = 1; n <= newer; n++) stored = { ...stored, ...remembered(stored, event(n, n), DAY) };
      expect(isAccepted(stored, 'e-0', 'client')).toBe(false);
      const accepted = { eventId: 'e-0', eventName: 'mended', timestamp: 7, receivedAt: 77 };
      expect({ ...stored, ...withAccepted(stored, accepted, 'server') }).toEqual(stored);
      stored = { ...stored, ...withAccepted(stored, accepted, 'client') };
      expect(isAccepted(stored, 'e-0', 'client')).toBe(true);
      const first = recall(stored, 'e-0', 'client');
      expect(first).toMatchObject({ eventName: 'mended', timestamp: 7, receivedAt: 77, by: 'client' });
      expect(first).not.toHaveProperty('quarantined');
    }
  });

  it('of an unknown kind of key become those of accepted ones of both kinds, in blocks and in full', () => {
    const quarantined = (by: CallerKind): RecentEvent => ({ ...remembering('e'), quarantined: true, by });
    let stored: StoredEvents = { recentEvents: [] };
    stored = { ...stored, ...remembered(stored, quarantined('server'), PLAYER_LIMITS) };
    for (let n = 0; n < PLAYER_LIMITS.recentEvents; n++)
      stored = { ...stored, ...remembered(stored, { ...remembering(`more-${n}`), by: 'server' }, PLAYER_LIMITS) };
    stored = { ...stored, ...remembered(stored, quarantined('client'), PLAYER_LIMITS) };
    stored = { ...stored, ...withAccepted(stored, remembering('e'), undefined) };
    expect((['client', 'server'] as const).map((by) => isAccepted(stored, 'e', by))).toEqual([true, true]);
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
