import { describe, expect, it } from 'vitest';
import { flagsOf, type Served } from '../flags/testing-served-flags.ts';
import { definitionsOf } from '../testing-players.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import type { TrackItem } from '../../core/vocabulary/commands/commands.ts';
import type { EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';
import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { aLife, BORN_MS, type Life, PLAYER, TTL_MS } from './testing-session.ts';
import type { Definitions } from '../decision/definitions.ts';

const T = BORN_MS + 60_000;

const factsOf = <K extends Fact['kind']>(life: Life, kind: K) =>
  life.facts.filter((fact): fact is Extract<(typeof life.facts)[number], { kind: K }> => fact.kind === kind);
const closings = (life: Life) =>
  factsOf(life, 'SessionClosed').map(({ sessionId, reason, at, endedAt, durationSeconds }) => ({
    sessionId,
    reason,
    at,
    endedAt,
    durationSeconds,
  }));
const failedWith = (code: string) => ({ kind: 'failure', code });

/** The given definitions with one more segment. */
function withSegment(conditions: JsonObject, definitions: Definitions = definitionsOf()): Definitions {
  const made = compileCondition(conditions);
  if (made.kind === 'invalid') throw new Error('does not compile');
  const segment = { id: 'seg_1', key: 'whales', condition: made.condition };
  return { ...definitions, segments: () => createSegmentSet([{ segment, conditions }]) };
}

describe('init', () => {
  it('opens a session, which counts at once, and returns the player', () => {
    const life = aLife();
    const reply = life.init(T, 'ses_1');
    expect(reply).toEqual({
      kind: 'sessionOpened',
      sessionId: 'ses_1',
      player: { id: PLAYER, externalId: 'ext-1', firstSeenAt: BORN_MS, lastSeenAt: T, attributes: '{}' },
      flags: [],
      unknownFlags: [],
      segmentKeys: [],
      serverTime: T,
    });
    expect(life.player()).toMatchObject({ sessionCount: 1, totalPlaytimeSeconds: 0, lastSeenAt: T });
  });

  it('fails with PLAYER_NOT_FOUND without a player', () => {
    expect(aLife().init(T, 'ses_1', { playerId: 'another' })).toMatchObject(failedWith('PLAYER_NOT_FOUND'));
  });

  it('keeps the known device if the request has none', () => {
    const life = aLife();
    const device = { platform: 'ios', osVersion: null, appVersion: '2.4.0', build: null, deviceModel: null };
    life.init(T, 'ses_1', { device });
    life.init(T + 1, 'ses_2');
    expect(life.player().device).toEqual(device);
  });

  it('keeps in each session the device on which it began', () => {
    const life = aLife();
    const device = { platform: 'ios', osVersion: null, appVersion: '2.4.0', build: null, deviceModel: null };
    life.init(T, 'ses_1', { device });
    life.init(T + 1, 'ses_2', { device: { ...device, platform: '', appVersion: '2.5.0' } });
    life.init(T + 2, 'ses_3');
    for (const id of ['ses_1', 'ses_2', 'ses_3']) life.end(T + 3, id, 1);
    const known = factsOf(life, 'SessionClosed').map(({ platform, appVersion }) => ({ platform, appVersion }));
    expect(known).toEqual([
      { platform: 'ios', appVersion: '2.4.0' },
      { platform: undefined, appVersion: '2.5.0' },
      { platform: undefined, appVersion: '2.5.0' },
    ]);
  });

  it('gives each event the device of its session, else of the latest init, unless the event names one', () => {
    const life = aLife();
    const told = (fact: EventTracked) => [fact.eventName, fact.platform, fact.appVersion, fact.build];
    const item = (some: Partial<TrackItem>): TrackItem => ({
      index: 0,
      playerId: PLAYER,
      eventId: `e-${some.eventName}`,
      remember: false,
      eventName: '',
      properties: '{}',
      sessionId: null,
      timestamp: T,
      ...some,
    });
    const send = (at: number, some: Partial<TrackItem>) => life.send(at, { kind: 'TrackEvents', items: [item(some)] });
    const device = { platform: 'ios', osVersion: null, appVersion: '2.4.0', build: '240', deviceModel: null };
    send(T, { eventName: 'before' });
    life.init(T, 'ses_1', { device });
    life.init(T + 1, 'ses_2', { device: { ...device, platform: 'android', appVersion: null, build: '241' } });
    life.sync(T + 2, 'ses_1', [{ eventName: 'first' }]);
    life.sync(T + 2, 'ses_2', [{ eventName: 'second' }]);
    send(T + 3, { eventName: 'server' });
    send(T + 3, { eventName: 'server in a session', sessionId: 'ses_1' });
    send(T + 3, { eventName: 'named', sessionId: 'ses_1', playedWith: { platform: 'web' } });
    life.end(T + 4, 'ses_1', 1, [{ eventName: 'last' }]);
    send(T + 5, { eventName: 'closed', sessionId: 'ses_1' });
    expect(factsOf(life, 'EventTracked').map(told)).toEqual([
      ['before', '', '', ''],
      ['first', 'ios', '2.4.0', '240'],
      ['second', 'android', '', '241'],
      ['server', 'android', '', '241'],
      ['server in a session', 'ios', '2.4.0', '240'],
      ['named', 'web', '', ''],
      ['last', 'ios', '2.4.0', '240'],
      ['closed', 'android', '', '241'],
    ]);
    expect(factsOf(life, 'SessionClosed')).toMatchObject([{ platform: 'ios', appVersion: '2.4.0', build: '240' }]);
  });

  it('returns the segments that the player enters by the device or the first session', () => {
    const device = { platform: 'ios', osVersion: null, appVersion: null, build: null, deviceModel: null };
    expect(aLife(withSegment({ platform: 'ios' })).init(T, 'ses_1', { device })).toMatchObject({
      segmentKeys: ['whales'],
    });
    const life = aLife(withSegment({ session_count: { $gte: 2 } }));
    expect(life.init(T, 'ses_1')).toMatchObject({ segmentKeys: [] });
    expect(life.init(T, 'ses_2')).toMatchObject({ segmentKeys: ['whales'] });
  });

  it('evaluates flags after it updates segments', () => {
    const flags = flagsOf({
      for_whales: ({ player }) => ({ value: player.segments.length > 0 ? 'true' : 'false' }),
    });
    const life = aLife(withSegment({ session_count: { $gte: 2 } }, flags));
    expect(life.init(T, 'ses_1')).toMatchObject({ flags: [{ flagKey: 'for_whales', enabled: false }] });
    expect(life.init(T, 'ses_2')).toMatchObject({ flags: [{ flagKey: 'for_whales', enabled: true }] });
  });

  it('returns each requested flag once, and lists unknown keys', () => {
    const life = aLife(flagsOf({ a: { value: 'true' }, b: { value: '"x"', variantKey: 'x' }, c: {} }));
    const flagKeys = ['b', 'gone', 'b', 'g'.repeat(500)];
    expect(life.init(T, 'ses_1', { flagKeys })).toMatchObject({
      flags: [{ flagKey: 'b', enabled: true, variant: 'x' }],
      unknownFlags: ['gone', 'g'.repeat(500)],
    });
    expect(life.player().sessions[0]?.flagKeys).toEqual(['b', 'gone']);
  });

  it.each([
    ['true', 'percentage_rollout', true],
    ['"text"', 'default', true],
    ['0', 'default', true],
    ['false', 'default', false],
    ['null', 'default', false],
    ['true', 'flag_disabled', false],
  ] as const)('a flag that serves %s by %s: enabled %s', (value, reason, enabled) => {
    expect(aLife(flagsOf({ a: { value, reason } })).init(T, 'ses_1')).toMatchObject({ flags: [{ enabled }] });
  });

  it('closes the oldest of four open sessions', () => {
    const life = aLife();
    for (let n = 1; n <= 4; n += 1) life.init(T + n * 1000, `ses_${n}`);
    life.sync(T + 9_500, 'ses_1');
    life.init(T + 20_000, 'ses_5');
    expect(life.player().sessions.map(({ sessionId }) => sessionId)).toEqual(['ses_2', 'ses_3', 'ses_4', 'ses_5']);
    // Playtime lasts until the last call, as no client ended the session.
    expect(closings(life)).toEqual([
      { sessionId: 'ses_1', reason: 'replaced', at: T + 20_000, endedAt: T + 9_500, durationSeconds: 8 },
    ]);
    expect(life.player()).toMatchObject({ sessionCount: 5, totalPlaytimeSeconds: 8 });
    expect(life.sync(T + 20_001, 'ses_1')).toMatchObject(failedWith('SESSION_NOT_FOUND'));
  });

  it('closes expired sessions before it counts the open ones', () => {
    const life = aLife();
    for (let n = 1; n <= 4; n += 1) life.init(T, `ses_${n}`);
    life.init(T + TTL_MS, 'ses_5');
    expect(closings(life).map(({ reason, at }) => [reason, at])).toEqual(
      Array.from({ length: 4 }, () => ['expired', T + TTL_MS]),
    );
  });
});

describe('expiry', () => {
  it('closes a session after its TTL, as of the due time, however late', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    life.sync(T + 100_900, 'ses_1', [{}]);
    life.look(T + 100_900 + TTL_MS - 1);
    expect(closings(life)).toEqual([]);
    life.look(T + 100 * TTL_MS);
    const dueAt = T + 100_900 + TTL_MS;
    expect(closings(life)).toEqual([
      { sessionId: 'ses_1', reason: 'expired', at: dueAt, endedAt: T + 100_900, durationSeconds: 100 },
    ]);
    expect(life.player()).toMatchObject({ sessions: [], totalPlaytimeSeconds: 100, lastSeenAt: T + 100_900 });
    life.look(T + 200 * TTL_MS);
    expect(closings(life)).toHaveLength(1);
  });

  it('fails a later call, even if no timer has run yet', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    const details = { session_id: 'ses_1', suggestion: expect.stringContaining('init') };
    const late = { ...failedWith('SESSION_NOT_FOUND'), details };
    expect(life.sync(T + TTL_MS, 'ses_1', [{}])).toEqual(late);
    expect(life.end(T + TTL_MS, 'ses_1', 5)).toEqual(late);
    expect(factsOf(life, 'EventTracked')).toEqual([]);
    expect(life.player().totalPlaytimeSeconds).toBe(0);
  });

  it('is postponed by a sync, and never moved back by a gateway with a slower clock', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    life.sync(T + TTL_MS - 1, 'ses_1');
    life.sync(T + 500, 'ses_1');
    expect(life.sync(T + 2 * TTL_MS - 2, 'ses_1')).toMatchObject({ kind: 'sessionSynced' });
  });
});

describe('sync', () => {
  it('tracks events by timestamp, and equal timestamps in the order sent', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    const reply = life.sync(T + 1000, 'ses_1', [
      { eventName: 'c', timestamp: T + 3 },
      { eventName: 'a', timestamp: T - 9_999_999 },
      { eventName: 'b', timestamp: T + 2 },
      { eventName: 'd', timestamp: T + 3 },
    ]);
    expect(reply).toEqual({ kind: 'sessionSynced', eventsAccepted: 4, interventions: [], flags: [] });
    const tracked = factsOf(life, 'EventTracked');
    expect(tracked.map(({ eventName }) => eventName)).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(tracked.map(({ sessionId, at }) => `${sessionId} ${at}`))).toEqual(new Set([`ses_1 ${T + 1000}`]));
  });

  it('accepts an event_id once', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    const items = [{ eventId: 'mine' }, { eventId: 'mine' }, {}];
    expect(life.sync(T + 1, 'ses_1', items)).toMatchObject({ eventsAccepted: 2 });
    expect(life.sync(T + 2, 'ses_1', items.slice(0, 1))).toMatchObject({ eventsAccepted: 0 });
    expect(life.end(T + 3, 'ses_1', 0)).toMatchObject({ totalEvents: 2 });
  });

  it('merges the state updates after the events', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    life.sync(T + 1, 'ses_1', [{}], { stateUpdates: '{"level":3,"country":"SE"}' });
    life.sync(T + 2, 'ses_1', [{}], { stateUpdates: '{"level":null,"gold":1}' });
    expect(life.player().attributes).toBe('{"country":"SE","gold":1}');
    expect(factsOf(life, 'EventTracked').map(({ country }) => country)).toEqual(['', 'SE']);
    expect(life.player()).toMatchObject({ country: 'SE', lastSeenAt: T + 2 });
  });

  it('changes nothing if the attributes would grow too large', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    const keys = Object.fromEntries(Array.from({ length: 257 }, (_, n) => [`k${n}`, n]));
    const before = life.facts.length;
    const reply = life.sync(T + 1, 'ses_1', [{}], { stateUpdates: JSON.stringify(keys) });
    expect(reply).toMatchObject({
      ...failedWith('VALIDATION_ERROR'),
      details: { fields: [{ path: '/state_updates' }] },
    });
    expect(life.facts).toHaveLength(before);
  });

  it('returns the flags that changed since the last reply, for each session separately', () => {
    let serves: 'true' | 'false' = 'false';
    const definitions = flagsOf({ a: () => ({ value: serves }), b: { value: '1', variantKey: 'one' } });
    const life = aLife(definitions);
    life.init(T, 'ses_1');
    life.init(T, 'ses_2', { flagKeys: ['b'] });
    expect(life.sync(T + 1, 'ses_1')).toMatchObject({ flags: [] });
    serves = 'true';
    const change = [{ flagKey: 'a', enabled: true, variant: null, value: 'true', reason: 'default' }];
    expect(life.sync(T + 2, 'ses_1')).toMatchObject({ flags: change });
    expect(life.sync(T + 3, 'ses_1')).toMatchObject({ flags: [] });
    expect(life.sync(T + 4, 'ses_2')).toMatchObject({ flags: [] });
    expect(factsOf(life, 'SessionFlagsTold').map(({ sessionId, flags }) => [sessionId, flags.length])).toEqual([
      ['ses_1', 2],
      ['ses_2', 1],
      ['ses_1', 1],
    ]);
  });

  it('returns a flag whose value or reason alone changed', () => {
    let serves: Served = { value: '{"rows":3}', variantKey: 'control' };
    const life = aLife(flagsOf({ layout: () => serves }));
    expect(life.init(T, 'ses_1')).toMatchObject({ flags: [{ value: '{"rows":3}', reason: 'default' }] });
    const long = (last: string) => JSON.stringify(`${'x'.repeat(1_000)}${last}`);
    const changes: Served[] = [{ value: '{"rows":4}' }, { value: long('1') }, { value: long('2') }];
    changes.push({ value: long('2'), reason: 'segment_match' }, { value: '0', reason: 'segment_match' });
    for (const [turn, change] of changes.entries()) {
      serves = { variantKey: 'control', ...change };
      expect(life.sync(T + 2 * turn + 1, 'ses_1')).toMatchObject({ flags: [{ variant: 'control', ...change }] });
      expect(life.sync(T + 2 * turn + 2, 'ses_1')).toMatchObject({ flags: [] });
    }
  });

  it('returns created and deleted flags', () => {
    const before = flagsOf({ a: { value: 'true' }, b: { value: 'true' }, c: {} });
    const after = flagsOf({ b: { value: 'true' }, d: { value: 'true' } });
    let current = before;
    const life = aLife({ ...before, of: (...scope) => current.of(...scope) });
    life.init(T, 'ses_1');
    current = after;
    expect(life.sync(T + 1, 'ses_1')).toMatchObject({
      flags: [
        { flagKey: 'd', enabled: true },
        { flagKey: 'a', enabled: false, variant: null, value: 'null', reason: 'flag_disabled' },
        { flagKey: 'c', enabled: false, variant: null, value: 'null' },
      ],
    });
    expect(life.sync(T + 2, 'ses_1')).toMatchObject({ flags: [] });
    current = before;
    expect(life.sync(T + 3, 'ses_1')).toMatchObject({
      flags: [{ flagKey: 'a', enabled: true }, { flagKey: 'c', value: 'false' }, { flagKey: 'd' }],
    });
  });

  it('returns only the new flag if it sorts before others', () => {
    const later = flagsOf({ a: { value: 'true' }, b: { value: 'true' }, c: { value: 'true' } });
    let current = flagsOf({ b: { value: 'true' }, c: { value: 'true' } });
    const life = aLife({ ...later, of: (...scope) => current.of(...scope) });
    life.init(T, 'ses_1', { flagKeys: ['a', 'b', 'c'] });
    current = later;
    expect(life.sync(T + 1, 'ses_1')).toMatchObject({ flags: [{ flagKey: 'a' }] });
    expect(life.sync(T + 2, 'ses_1')).toMatchObject({ flags: [] });
  });

  it('returns the effects of its own events: the entered segment, and the flag that reads it', () => {
    const flags = flagsOf({ gift: ({ player }) => ({ value: player.segments.length > 0 ? 'true' : 'false' }) });
    const life = aLife(withSegment({ 'events.level_up.count_7d': { $gte: 2 } }, flags));
    life.init(T, 'ses_1');
    expect(life.sync(T + 1, 'ses_1', [{}])).toMatchObject({ flags: [] });
    expect(life.sync(T + 2, 'ses_1', [{}])).toMatchObject({ flags: [{ flagKey: 'gift', enabled: true }] });
  });

  it('counts an exposure when an event names a flag', () => {
    const life = aLife(flagsOf({ shop: { value: '"b"', variantKey: 'b', version: 3 } }));
    life.init(T, 'ses_1');
    expect(factsOf(life, 'FlagExposed')).toEqual([]);
    const seen = { eventName: 'shop_opened', properties: '{"flag_key":"shop"}' };
    life.sync(T + 1, 'ses_1', [seen, seen]);
    expect(factsOf(life, 'FlagExposed')).toMatchObject([{ flagKey: 'shop', flagVersion: 3, variantKey: 'b' }]);
  });

  it.each(['ses_unknown', 'ses_1'])('fails with SESSION_NOT_FOUND for %s of another player', (sessionId) => {
    const life = aLife();
    const other = '11111111-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
    life.init(T, 'ses_1');
    life.send(T, { kind: 'RegisterPlayer', playerId: other, externalId: 'o', createOnly: false, byClientKey: false });
    expect(life.sync(T + 1, sessionId, [{}], { playerId: other })).toMatchObject(failedWith('SESSION_NOT_FOUND'));
  });
});

describe('the end of a session', () => {
  it('returns the totals, final events included', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    const unlocked = (properties: string) => ({ eventName: 'achievement_unlocked', properties });
    const intervention = (eventName: string, properties = '{"intervention_id":"int_1"}') => ({ eventName, properties });
    life.sync(T + 10_000, 'ses_1', [
      unlocked('{"achievement_id":"first_win"}'),
      unlocked('{"achievement":"collector"}'),
      unlocked('{"achievement_id":7}'),
      unlocked('{"achievement_id":{}}'),
      unlocked('{}'),
      intervention('intervention_shown'),
      intervention('intervention_shown', '{}'),
    ]);
    const reply = life.end(T + 90_500, 'ses_1', 60, [
      unlocked('{"achievement_id":"first_win"}'),
      unlocked('{"achievement_id":"last"}'),
      intervention('intervention_clicked'),
    ]);
    expect(reply).toEqual({
      kind: 'sessionEnded',
      sessionId: 'ses_1',
      totalEvents: 10,
      durationSeconds: 60,
      achievements: ['first_win', 'collector', '7', 'last'],
      interventionsShown: 1,
      interventionsClicked: 1,
    });
    expect(life.player()).toMatchObject({ sessions: [], totalPlaytimeSeconds: 60, lastSeenAt: T + 90_500 });
    expect(factsOf(life, 'SessionClosed')).toMatchObject([
      { reason: 'ended', eventCount: 10, openedAt: T, endedAt: T + 90_500, achievements: { length: 4 } },
    ]);
  });

  it('limits the reported playtime to the time since the init', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    expect(life.end(T + 30_999, 'ses_1', 3_600)).toMatchObject({ durationSeconds: 30 });
    life.init(T, 'ses_2');
    // The clock of another gateway is behind.
    expect(life.end(T - 5_000, 'ses_2', 3_600)).toMatchObject({ durationSeconds: 0 });
  });

  it('happens once: a second end or a later sync fails with SESSION_NOT_FOUND and changes nothing', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    life.end(T + 1, 'ses_1', 0);
    const before = life.facts.length;
    expect(life.end(T + 2, 'ses_1', 0, [{}])).toMatchObject(failedWith('SESSION_NOT_FOUND'));
    expect(life.sync(T + 2, 'ses_1', [{}])).toMatchObject(failedWith('SESSION_NOT_FOUND'));
    expect(life.facts).toHaveLength(before);
  });
});

describe('an Idempotency-Key', () => {
  const idempotency = { key: 'k', bodyHash: 'h' };

  it('of init returns the same session, even after it ended', () => {
    const life = aLife();
    const first = life.init(T, 'ses_1', { idempotency });
    life.end(T + 5_000, 'ses_1', 1);
    expect(life.init(T + 9_000, 'ses_other', { idempotency })).toEqual({ ...first, replayed: true });
    expect(life.player()).toMatchObject({ sessionCount: 1, sessions: [] });
  });

  it('of sync and end returns the first reply', () => {
    const life = aLife();
    life.init(T, 'ses_1');
    const synced = life.sync(T + 1, 'ses_1', [{}], { idempotency });
    expect(life.sync(T + 2, 'ses_1', [{}], { idempotency })).toEqual({ ...synced, replayed: true });
    const end = {
      kind: 'EndSession' as const,
      playerId: PLAYER,
      sessionId: 'ses_1',
      durationSeconds: 0,
      events: [],
      idempotency: { key: 'e', bodyHash: 'h' },
    };
    const ended = life.send(T + 3, end);
    expect(ended).toMatchObject({ kind: 'sessionEnded', totalEvents: 1 });
    expect(life.send(T + 3 + TTL_MS, end)).toEqual({ ...ended, replayed: true });
    expect(life.send(T + 4, { ...end, idempotency: { key: 'e', bodyHash: 'x' } })).toMatchObject(
      failedWith('CONFLICT'),
    );
  });
});
