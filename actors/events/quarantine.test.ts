import { array, assert, boolean, constantFrom, integer, oneof, property, record, constant } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { QUARANTINE_LIMITS } from './limits.ts';
import type { QuarantineReason, TrackItem } from '../../core/vocabulary/commands/commands.ts';
import { evolve } from '../evolve.ts';
import type { PlayerRegistered } from '../../core/vocabulary/facts/facts.ts';
import type { TrackResult } from '../../core/vocabulary/commands/replies.ts';
import { aCommand, aPlayer } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { countWithin } from '../computed/event-counters.ts';
import { releaseStatus } from './quarantine.ts';
import { NO_QUARANTINE } from '../../core/vocabulary/state/player.ts';
import { recall } from './recent-events.ts';

const ID = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const REASON: QuarantineReason = { schemaVersion: 3, faults: [{ path: '/level', message: 'must be integer' }] };
const base = { entityId: ID, game: 'demo', environment: 'live', at: 1_000 } as const;
const registered: PlayerRegistered = { ...base, kind: 'PlayerRegistered', player: aPlayer({ id: ID }) };

const anItem = (some: Partial<TrackItem> = {}): TrackItem => ({
  index: 0,
  playerId: ID,
  eventId: 'mine',
  remember: true,
  eventName: 'level_up',
  properties: '{"level":"x"}',
  sessionId: null,
  timestamp: 500,
  ...some,
});
const broken = (some: Partial<TrackItem> = {}) => anItem({ quarantine: REASON, ...some });
const releasing = (number: number, some: Partial<TrackItem> = {}) =>
  anItem({ remember: false, release: { number, quarantinedAt: 2_000 }, ...some });

/** One player, and the results of its events in order. */
function aPlayerOf() {
  const { draft, facts, states, player, when } = given([]);
  draft.emit(registered);
  return {
    facts,
    player: () => player(ID),
    states,
    send: (item: TrackItem, at = 2_000): TrackResult => {
      const command = aCommand({ kind: 'TrackEvents', items: [item] }, { receivedAt: at });
      const { reply } = when(command);
      const result = reply.kind === 'tracked' ? reply.results[0] : undefined;
      if (result === undefined) throw new Error(`answered with ${reply.kind}`);
      return result;
    },
    decide: (body: Parameters<typeof aCommand>[0], at = 2_000) => when(aCommand(body, { receivedAt: at })).reply,
  };
}

describe('an event that violates an enforced schema', () => {
  it('is quarantined with the reason, and changes nothing else', () => {
    const { facts, reply, states } = given([registered]).when(aCommand({ kind: 'TrackEvents', items: [broken()] }));
    expect(facts).toEqual([
      {
        ...base,
        at: 2_000,
        kind: 'EventQuarantined',
        eventId: 'mine',
        remember: true,
        eventName: 'level_up',
        properties: '{"level":"x"}',
        sessionId: null,
        timestamp: 500,
        externalId: 'ext-1',
        number: 1,
        reason: REASON,
      },
    ]);
    expect(reply).toMatchObject({ kind: 'tracked', results: [{ status: 'quarantined', eventId: 'mine' }] });
    const before = evolve(undefined, registered);
    expect(states.get(ID)).toEqual({
      ...before,
      recentEvents: [{ eventId: 'mine', eventName: 'level_up', timestamp: 500, receivedAt: 2_000, quarantined: true }],
      quarantine: { last: 1, released: [] },
    });
  });

  it('gets the same reply when repeated, without a second fact', () => {
    const { send, facts } = aPlayerOf();
    send(broken());
    const repeat = send(broken({ timestamp: 900 }), 3_000);
    expect(repeat).toMatchObject({ status: 'quarantined', repeated: true, timestamp: 500, receivedAt: 2_000 });
    expect(send(anItem(), 4_000)).toMatchObject({ status: 'quarantined', repeated: true });
    expect(facts).toHaveLength(2);
  });

  it('stays accepted if its id was accepted before', () => {
    const { send } = aPlayerOf();
    send(anItem());
    expect(send(broken(), 3_000)).toMatchObject({ status: 'duplicate', receivedAt: 2_000 });
  });

  it('asked for by a number that no event had tells whether its id was accepted, and changes nothing', () => {
    const { send, facts } = aPlayerOf();
    send(anItem());
    send(broken({ eventId: 'other' }));
    const count = facts.length;
    const never = Number.MAX_SAFE_INTEGER;
    expect(send(releasing(never), 3_000)).toMatchObject({ status: 'duplicate' });
    expect(send(releasing(never, { eventId: 'other' }), 3_000)).toMatchObject({ status: 'rejected' });
    expect(send(releasing(never, { eventId: 'new' }), 3_000)).toMatchObject({ status: 'rejected' });
    expect(facts).toHaveLength(count);
  });

  it('is refused if its player does not exist', () => {
    const { reply } = given([]).when(aCommand({ kind: 'TrackEvents', items: [broken()] }));
    expect(reply).toMatchObject({ results: [{ status: 'rejected', error: { code: 'PLAYER_NOT_FOUND' } }] });
  });
});

describe('a quarantined event that is replayed', () => {
  it('is tracked under its own id and timestamp, counts, and is received now', () => {
    const { send, facts, player } = aPlayerOf();
    send(broken());
    expect(send(releasing(1), 5_000)).toMatchObject({ status: 'accepted', timestamp: 500, receivedAt: 5_000 });
    expect(facts.find((fact) => fact.kind === 'EventTracked')).toMatchObject({
      eventId: 'mine',
      timestamp: 500,
      at: 5_000,
      release: { number: 1, quarantinedAt: 2_000 },
    });
    expect(player().quarantine).toEqual({ last: 1, released: [{ from: 1, to: 1 }] });
    expect(countWithin(player().counters, 'level_up', 1, 5_000)).toBe(1);
    expect(player().lastSeenAt).toBe(5_000);
  });

  it('is tracked once: a second replay changes nothing', () => {
    const { send, facts } = aPlayerOf();
    send(broken());
    send(releasing(1), 5_000);
    expect(send(releasing(1), 6_000)).toMatchObject({ status: 'duplicate' });
    expect(facts.filter((fact) => fact.kind === 'EventTracked')).toHaveLength(1);
  });

  it('makes a later repeat by its sender a duplicate', () => {
    const { send, facts } = aPlayerOf();
    send(broken());
    send(releasing(1), 5_000);
    expect(send(broken(), 6_000)).toMatchObject({ status: 'duplicate', timestamp: 500, receivedAt: 5_000 });
    expect(facts.filter((fact) => fact.kind === 'EventQuarantined')).toHaveLength(1);
  });

  it('is tracked once even when its id is no longer kept', () => {
    const { send, facts, player } = aPlayerOf();
    send(broken());
    for (let n = 0; n < PLAYER_LIMITS.eventIdBytes / 8; n++) send(anItem({ eventId: `later-${n}` }));
    expect(recall(player(), 'mine', undefined)).toBeUndefined();
    expect(send(releasing(1), 5_000).status).toBe('accepted');
    expect(send(releasing(1), 6_000).status).toBe('duplicate');
    expect(facts.filter((fact) => fact.kind === 'EventTracked' && fact.eventId === 'mine')).toHaveLength(1);
  });

  it('exposes no flag, because the flag shown at that time is unknown', () => {
    const { send, facts } = aPlayerOf();
    send(broken({ properties: '{"flag_key":"shop"}' }));
    send(releasing(1, { properties: '{"flag_key":"shop"}' }));
    expect(facts.map(({ kind }) => kind)).toEqual(['PlayerRegistered', 'EventQuarantined', 'EventTracked']);
  });

  it('is refused if it never existed', () => {
    const { send } = aPlayerOf();
    expect(send(releasing(1))).toMatchObject({ status: 'rejected', error: { code: 'NOT_FOUND' } });
  });

  it('is refused if its player was erased, also after a new registration', () => {
    const { send, decide, player } = aPlayerOf();
    send(broken());
    decide({ kind: 'ErasePlayer', playerId: ID });
    expect(send(releasing(1))).toMatchObject({ status: 'rejected', error: { code: 'PLAYER_NOT_FOUND' } });
    const registration = { externalId: 'ext-1', createOnly: false, byClientKey: false };
    decide({ kind: 'RegisterPlayer', playerId: ID, ...registration });
    expect(send(releasing(1))).toMatchObject({ status: 'duplicate' });
    expect(player().counters).toEqual([]);
    send(broken({ eventId: 'of the next life' }));
    expect(player().quarantine).toEqual({ last: 2, released: [{ from: 1, to: 1 }] });
    expect(send(releasing(2)).status).toBe('accepted');
  });
});

describe('the numbers of released events', () => {
  it('are kept in the fewest possible ranges', () => {
    assert(
      property(array(integer({ min: 1, max: 30 }), { maxLength: 60 }), (numbers) => {
        const { send, player } = aPlayerOf();
        for (let n = 1; n <= 30; n++) send(broken({ eventId: `e${n}`, remember: false }));
        const done = new Set<number>();
        for (const number of numbers) {
          expect(send(releasing(number, { eventId: `e${number}` })).status).toBe(
            done.has(number) ? 'duplicate' : 'accepted',
          );
          done.add(number);
        }
        const { released } = player().quarantine;
        const held = released.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
        expect(held).toEqual([...done].sort((one, other) => one - other));
        for (const [place, { from }] of released.entries()) {
          const before = released[place - 1];
          if (before !== undefined) expect(from).toBeGreaterThan(before.to + 1);
        }
      }),
    );
  });

  it('are bounded: at the maximum, only numbers that extend a range are released', () => {
    const released = Array.from({ length: QUARANTINE_LIMITS.quarantineRanges }, (_, n) => ({
      from: 2 + 3 * n,
      to: 2 + 3 * n,
    }));
    const full = { last: 100_000, released };
    expect(releaseStatus(full, 90_000)).toBe('full');
    expect(releaseStatus(full, 3)).toBe('unreleased');
    expect(releaseStatus(full, 1)).toBe('unreleased');
    expect(releaseStatus(full, 2)).toBe('released');
    expect(releaseStatus(NO_QUARANTINE, 1)).toBe('unknown');
  });
});

describe('events that are tracked, quarantined, repeated and replayed in any order', () => {
  const doings = array(
    oneof(
      record({ kind: constant('track' as const), id: integer({ min: 0, max: 9 }), broken: boolean(), own: boolean() }),
      record({ kind: constant('replay' as const), pick: integer({ min: 0, max: 20 }) }),
      record({ kind: constant('erase' as const), often: constantFrom(0, 0, 0, 0, 0, 1) }),
    ),
    { maxLength: 60 },
  );

  it('are each stored at most once, and the counters count the accepted ones', () => {
    assert(
      property(doings, (list) => {
        const { send, decide, facts, player, states } = aPlayerOf();
        /** The rows of ClickHouse: none is dropped, and those of earlier lives stay until their erasure. */
        const rows: TrackItem[] = [];
        let made = 0;
        let lifeBegan = 0;
        for (const doing of list) {
          if (doing.kind === 'track') {
            const eventId = doing.own ? `own-${doing.id}` : `made-${++made}`;
            const item = { eventId, remember: doing.own, eventName: 'level_up' };
            const { status, repeated } = send(doing.broken ? broken(item) : anItem(item));
            if (status === 'quarantined' && repeated === undefined) {
              const fact = facts.at(-1);
              if (fact?.kind !== 'EventQuarantined') throw new Error('it was not set aside');
              rows.push(releasing(fact.number, { eventId }));
            }
          } else if (doing.kind === 'replay') {
            const row = rows[doing.pick % Math.max(1, rows.length)];
            if (row !== undefined) send(row);
          } else if (doing.often === 1) {
            decide({ kind: 'ErasePlayer', playerId: ID });
            lifeBegan = facts.length;
            const registration = { externalId: 'ext-1', createOnly: false, byClientKey: false };
            decide({ kind: 'RegisterPlayer', playerId: ID, ...registration });
          }
        }
        const life = facts.slice(lifeBegan);
        const accepted = life.flatMap((fact) => (fact.kind === 'EventTracked' ? [fact] : []));
        const set = life.flatMap((fact) => (fact.kind === 'EventQuarantined' ? [fact.eventId] : []));
        expect(new Set(accepted.map(({ eventId }) => eventId)).size).toBe(accepted.length);
        expect(new Set(set).size).toBe(set.length);
        // Every accepted id that was quarantined before was released, each from the quarantine of this life.
        for (const { eventId, release } of accepted) expect(release !== undefined).toBe(set.includes(eventId));
        expect(states.get(ID)?.kind).toBe('player');
        expect(countWithin(player().counters, 'level_up', 1, 2_000)).toBe(accepted.length);
      }),
    );
  });
});
