import { describe, expect, it } from 'vitest';
import type { ExposeFlag, TrackItem } from '../commands.ts';
import { aCommand, given } from '../testing.ts';
import { flagsOf } from './testing.ts';

const ID = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';

const playerOf = (environment: 'live' | 'test' = 'live') =>
  given([]).when(
    aCommand(
      { kind: 'RegisterPlayer', playerId: ID, externalId: 'ext-1', createOnly: false, byClientKey: false },
      { environment },
    ),
  ).facts;

const expose = (some: Partial<ExposeFlag> = {}): ExposeFlag => ({
  kind: 'ExposeFlag',
  playerId: ID,
  flagKey: 'shop',
  flagVersion: 3,
  variantKey: 'b',
  value: '"layout_b"',
  reason: 'percentage_rollout',
  ...some,
});

describe('an exposure', () => {
  it('is a fact that tells what was seen', () => {
    expect(given(playerOf()).when(aCommand(expose())).facts).toEqual([
      {
        kind: 'FlagExposed',
        entityId: ID,
        externalId: 'ext-1',
        game: 'demo',
        environment: 'live',
        at: 2_000,
        flagKey: 'shop',
        flagVersion: 3,
        variantKey: 'b',
        value: '"layout_b"',
        reason: 'percentage_rollout',
      },
    ]);
  });

  it('counts once per player, flag, version and variant', () => {
    const before = [...playerOf(), ...given(playerOf()).when(aCommand(expose())).facts];
    expect(given(before).when(aCommand(expose({ reason: 'segment_match' }))).facts).toEqual([]);
    for (const other of [{ flagKey: 'xp' }, { flagVersion: 4 }, { variantKey: 'a' }, { variantKey: null }]) {
      expect(given(before).when(aCommand(expose(other))).facts).toHaveLength(1);
    }
  });

  it('of a boolean flag counts once per value, as it has no variants', () => {
    const serves = (value: string) => aCommand(expose({ variantKey: null, value, reason: 'default' }));
    const off = [...playerOf(), ...given(playerOf()).when(serves('false')).facts];
    expect(given(off).when(serves('false')).facts).toEqual([]);
    const { facts } = given(off).when(serves('true'));
    expect(facts).toMatchObject([{ kind: 'FlagExposed', variantKey: null, value: 'true' }]);
    for (const value of ['true', 'false']) expect(given([...off, ...facts]).when(serves(value)).facts).toEqual([]);
  });

  it('of a default counts once, whatever it is', () => {
    const serves = (value: string) => aCommand(expose({ variantKey: null, value, reason: 'default' }));
    const before = [...playerOf(), ...given(playerOf()).when(serves('null')).facts];
    expect(before).toHaveLength(playerOf().length + 1);
    expect(given(before).when(serves('"x"')).facts).toEqual([]);
  });

  it('never counts of a disabled flag', () => {
    expect(given(playerOf()).when(aCommand(expose({ reason: 'flag_disabled', variantKey: null }))).facts).toEqual([]);
  });

  it('never counts for an overridden player, nor where the override came after the evaluation', () => {
    expect(given(playerOf()).when(aCommand(expose({ reason: 'player_override' }))).facts).toEqual([]);
    const override = { kind: 'OverrideFlag', playerId: ID, flagKey: 'shop', value: '"layout_a"' } as const;
    const overridden = [...playerOf(), ...given(playerOf()).when(aCommand(override)).facts];
    expect(given(overridden).when(aCommand(expose({ reason: 'default', variantKey: null }))).facts).toEqual([]);
    expect(given(overridden).when(aCommand(expose({ flagKey: 'xp' }))).facts).toHaveLength(1);
  });

  it('never counts for a test player', () => {
    const test = aCommand(expose(), { environment: 'test' });
    expect(given(playerOf('test')).when(test).facts).toEqual([]);
  });

  it('of nobody is nothing', () => {
    expect(given([]).when(aCommand(expose()))).toMatchObject({ facts: [], reply: { kind: 'noted' } });
    expect(given(playerOf()).when(aCommand(expose(), { game: 'other' })).facts).toEqual([]);
  });
});

describe('a tracked event whose properties hold flag_key', () => {
  const definitions = flagsOf({
    shop: { value: '"layout_b"', variantKey: 'b', reason: 'percentage_rollout', version: 3 },
    // Serves by what the player did before: the client showed it before it tracked the event.
    first: ({ player, nowMs }) => ({ value: String(player.lastSeenAt < nowMs) }),
  });
  const item = (properties: unknown, eventId = 'e-1'): TrackItem => ({
    index: 0,
    playerId: ID,
    eventId,
    remember: true,
    eventName: 'flag_seen',
    properties: JSON.stringify(properties),
    sessionId: null,
    timestamp: 1_500,
  });
  const track = (...items: TrackItem[]) =>
    given(playerOf(), definitions).when(aCommand({ kind: 'TrackEvents', items }, { receivedAt: 3_000 })).facts;

  it('is an exposure of what the flag serves, in the same commit', () => {
    expect(track(item({ flag_key: 'shop', screen: 'main' }))).toMatchObject([
      { kind: 'EventTracked' },
      { kind: 'FlagExposed', at: 3_000, flagKey: 'shop', flagVersion: 3, variantKey: 'b', value: '"layout_b"' },
    ]);
  });

  it('is one of what the flag served before the event', () => {
    expect(track(item({ flag_key: 'first' }))).toMatchObject([{}, { kind: 'FlagExposed', value: 'true' }]);
  });

  it('counts once', () => {
    const twice = track(item({ flag_key: 'shop' }, 'e-1'), item({ flag_key: 'shop' }, 'e-2'));
    expect(twice.map(({ kind }) => kind)).toEqual(['EventTracked', 'FlagExposed', 'EventTracked']);
    const repeated = track(item({ flag_key: 'shop' }), item({ flag_key: 'shop' }));
    expect(repeated.map(({ kind }) => kind)).toEqual(['EventTracked', 'FlagExposed']);
  });

  it.each([
    ['no flag of the game', { flag_key: 'gone' }],
    ['no string', { flag_key: 5 }],
    ['further down', { ui: { flag_key: 'shop' } }],
    ['a value', { text: '"flag_key"', other: 'shop' }],
    ['__proto__', JSON.parse('{"flag_key":"__proto__"}')],
  ])('that is %s is just an event', (_, properties) => {
    expect(track(item(properties)).map(({ kind }) => kind)).toEqual(['EventTracked']);
  });

  it('does not count for a test player', () => {
    const command = aCommand({ kind: 'TrackEvents', items: [item({ flag_key: 'shop' })] }, { environment: 'test' });
    const { facts } = given(playerOf('test'), definitions).when(command);
    expect(facts.map(({ kind }) => kind)).toEqual(['EventTracked']);
  });
});
