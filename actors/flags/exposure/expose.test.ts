import { describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../../decision/limits.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExposeFlag, ServedNow, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Flag } from '../../decision/targeting.ts';
import { aCommand, definitionsOf } from '../../testing-players.ts';
import { given } from '../../testing/harness.ts';
import { aRule, aSplitFlag, compiled } from '../evaluate/testing-flag.ts';
import { aFlagDocument } from '../testing-served-flags.ts';

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
  period: 2,
  variantKey: 'b',
  value: '"layout_b"',
  reason: 'percentage_rollout',
  ...some,
});

describe('an exposure', () => {
  it('is a fact with what the player saw', () => {
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
        period: 2,
        attribution: 'served',
        variantKey: 'b',
        value: '"layout_b"',
        reason: 'percentage_rollout',
      },
    ]);
  });

  it('counts once per player, flag, period and variant', () => {
    const before = [...playerOf(), ...given(playerOf()).when(aCommand(expose())).facts];
    given(before)
      .when(aCommand(expose({ reason: 'segment_match' })))
      .thenFacts([]);
    given(before)
      .when(aCommand(expose({ flagVersion: 4 })))
      .thenFacts([]);
    for (const other of [{ flagKey: 'xp' }, { period: 3 }, { variantKey: 'a' }, { variantKey: null }]) {
      expect(given(before).when(aCommand(expose(other))).facts).toHaveLength(1);
    }
  });

  it('of a boolean flag, which has no variants, counts once per value', () => {
    const serves = (value: string) => aCommand(expose({ variantKey: null, value, reason: 'default' }));
    const off = [...playerOf(), ...given(playerOf()).when(serves('false')).facts];
    given(off).when(serves('false')).thenFacts([]);
    const { facts } = given(off).when(serves('true'));
    expect(facts).toMatchObject([{ kind: 'FlagExposed', variantKey: null, value: 'true' }]);
    for (const value of ['true', 'false']) expect(given([...off, ...facts]).when(serves(value)).facts).toEqual([]);
  });

  it('of a default counts once, whatever its value', () => {
    const serves = (value: string) => aCommand(expose({ variantKey: null, value, reason: 'default' }));
    const before = [...playerOf(), ...given(playerOf()).when(serves('null')).facts];
    expect(before).toHaveLength(playerOf().length + 1);
    given(before).when(serves('"x"')).thenFacts([]);
  });

  it('of a disabled flag never counts', () => {
    given(playerOf())
      .when(aCommand(expose({ reason: 'flag_disabled', variantKey: null })))
      .thenFacts([]);
  });

  it('never counts for an overridden player, even if the override follows the evaluation', () => {
    given(playerOf())
      .when(aCommand(expose({ reason: 'player_override' })))
      .thenFacts([]);
    const override = { kind: 'OverrideFlag', playerId: ID, flagKey: 'shop', value: '"layout_a"' } as const;
    const overridden = [...playerOf(), ...given(playerOf()).when(aCommand(override)).facts];
    given(overridden)
      .when(aCommand(expose({ reason: 'default', variantKey: null })))
      .thenFacts([]);
    expect(given(overridden).when(aCommand(expose({ flagKey: 'xp' }))).facts).toHaveLength(1);
  });

  it('never counts for a test player', () => {
    const test = aCommand(expose(), { environment: 'test' });
    given(playerOf('test')).when(test).thenFacts([]);
  });

  it('without a player emits nothing', () => {
    expect(given([]).when(aCommand(expose()))).toMatchObject({
      facts: [],
      reply: { kind: 'failure', code: 'PLAYER_NOT_FOUND' },
    });
    given(playerOf())
      .when(aCommand(expose(), { game: 'other' }))
      .thenFacts([]);
  });
});

/** A flag of texts with two variants, in its second period since version 3. */
const SHOP = aFlagDocument({
  flagType: 'multivariate',
  defaultValue: null,
  variants: [
    { key: 'a', value: 'layout_a', weight: 1 },
    { key: 'b', value: 'layout_b', weight: 1 },
  ],
  version: 3,
  periods: [
    { period: 1, version: 1, since: 1_000 },
    { period: 2, version: 3, since: 1_500 },
  ],
});
const flagOf = (document: FlagDocument): [string, Flag] => [
  document.key,
  {
    key: document.key,
    document,
    evaluate: () => {
      throw new Error('nothing is evaluated again');
    },
  },
];
const XP = aFlagDocument({ key: 'xp', version: 1 });
/** A boolean flag that includes half of the players; the player is one of them. */
const HALF = compiled(aFlagDocument({ key: 'half', version: 1, rules: [aRule({ percentage: 50 })], salt: 'salt 0' }));
const GUILDS = compiled(aSplitFlag({ a: 1, b: 1 }, { key: 'guilds', rules: [aRule()], bucketBy: 'attribute:guild' }));
const definitions = definitionsOf({
  flags: new Map([flagOf(SHOP), flagOf(XP), [HALF.key, HALF], [GUILDS.key, GUILDS]]),
});

describe('a tracked event whose properties hold flag_key', () => {
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
  const shop = (some: Partial<ServedNow> = {}): ServedNow => ({
    flagKey: 'shop',
    flagVersion: 3,
    period: 2,
    variantKey: 'b',
    value: '"layout_b"',
    reason: 'percentage_rollout',
    ...some,
  });
  const xp = (value: string, some: Partial<ServedNow> = {}): ServedNow => ({
    flagKey: 'xp',
    flagVersion: 1,
    period: 1,
    variantKey: null,
    value,
    reason: 'default',
    ...some,
  });
  /** A live player to whom flags served these, one after the other. */
  const playerServed = (...flags: ServedNow[]) => {
    let facts: readonly DomainFact[] = playerOf();
    for (const flag of flags) {
      const serve = aCommand({ kind: 'ServeFlags', playerId: ID, flags: [flag] });
      facts = [...facts, ...given(facts, definitions).when(serve).facts];
    }
    return facts;
  };
  const track = (before: readonly DomainFact[], ...properties: unknown[]) => {
    const items = properties.map((one, index) => item(one, `e-${index}`));
    return given(before, definitions).when(aCommand({ kind: 'TrackEvents', items }, { receivedAt: 3_000 }));
  };
  /** What the event exposes; `unattributed`: nothing, and it is counted. */
  const exposes = (before: readonly DomainFact[], properties: unknown) => {
    const { facts, tallied } = track(before, properties);
    const fact = facts.find(({ kind }) => kind === 'FlagExposed');
    if (fact?.kind === 'FlagExposed') {
      return [fact.attribution, fact.variantKey, fact.value, fact.flagVersion, fact.period];
    }
    return tallied.length === 0 ? 'nothing' : tallied.join();
  };

  it('exposes the last served value, in the same record, and evaluates nothing', () => {
    const before = playerServed(shop({ segmentId: 'seg_1', reason: 'segment_match' }));
    expect(track(before, { flag_key: 'shop', screen: 'main' }).facts).toMatchObject([
      {
        kind: 'FlagExposed',
        at: 3_000,
        variantKey: 'b',
        value: '"layout_b"',
        reason: 'segment_match',
        segmentId: 'seg_1',
      },
      { kind: 'EventTracked', eventName: 'flag_seen' },
    ]);
    const twice = playerServed(xp('true', { reason: 'percentage_rollout' }), xp('false'));
    expect(exposes(twice, { flag_key: 'xp' })).toEqual(['served', null, 'false', 1, 1]);
  });

  it('follows its exposure, so that it can itself be the conversion', () => {
    expect(track(playerServed(shop()), { flag_key: 'shop' }).facts.map(({ kind }) => kind)).toEqual([
      'FlagExposed',
      'EventTracked',
    ]);
  });

  it('counts as unattributed if nothing was served and it names no variant', () => {
    expect(exposes(playerOf(), { flag_key: 'shop' })).toBe('unattributed');
    expect(exposes(playerOf(), { flag_key: 'shop', variant_key: 'b' })).toEqual(['named', 'b', '"layout_b"', 3, 2]);
    expect(exposes(playerOf(), { flag_key: 'half', variant_key: true })).toEqual(['named', null, 'true', 1, 1]);
    expect(exposes(playerOf(), { flag_key: 'shop', variant_key: 'z' })).toBe('unattributed');
  });

  it('exposes the variant it names: served last, served earlier or never served', () => {
    const before = playerServed(shop({ variantKey: 'a', value: '"layout_a"', flagVersion: 1, period: 1 }), shop());
    expect(exposes(before, { flag_key: 'shop', variant_key: 'b' })).toEqual(['served', 'b', '"layout_b"', 3, 2]);
    // The definition of its period is gone, and with it the value.
    expect(exposes(before, { flag_key: 'shop', variant_key: 'a' })).toEqual(['earlier', 'a', 'null', 1, 1]);
    expect(exposes(playerServed(shop()), { flag_key: 'shop', variant_key: 'a' })).toEqual([
      'mismatch',
      'a',
      '"layout_a"',
      3,
      2,
    ]);
    expect(exposes(playerServed(shop()), { flag_key: 'shop', variant_key: null })).toEqual([
      'mismatch',
      null,
      'null',
      3,
      2,
    ]);
    expect(exposes(playerServed(shop()), { flag_key: 'shop', variant_key: 'z' })).toBe('unattributed');
  });

  it('of a boolean flag may repeat the null variant of its evaluation, or name the value', () => {
    for (const named of [null, 'true', true, undefined, 7]) {
      expect(exposes(playerServed(xp('true')), { flag_key: 'xp', variant_key: named })).toEqual([
        'served',
        null,
        'true',
        1,
        1,
      ]);
    }
    expect(exposes(playerServed(xp('true')), { flag_key: 'xp', variant_key: 'false' })).toEqual([
      'mismatch',
      null,
      'false',
      1,
      1,
    ]);
  });

  it('is of the stratum that was served, and else of one that is found by evaluating', () => {
    const stratumOf = (before: readonly DomainFact[], properties: unknown) => {
      const fact = track(before, properties).facts.find(({ kind }) => kind === 'FlagExposed');
      return fact?.kind === 'FlagExposed' ? fact.stratum : 'nothing';
    };
    const drawn = xp('true', { reason: 'percentage_rollout', stratum: 2_500 });
    expect(stratumOf(playerServed(drawn), { flag_key: 'xp' })).toBe(2_500);
    expect(stratumOf(playerServed(drawn, xp('false')), { flag_key: 'xp', variant_key: 'true' })).toBe(2_500);
    expect(stratumOf(playerServed(drawn, xp('false')), { flag_key: 'xp' })).toBeUndefined();
    // A player of the experiment who shows what it never got is left out of it.
    expect(stratumOf(playerServed(drawn), { flag_key: 'xp', variant_key: 'false' })).toBe(2_500);
    expect(stratumOf(playerServed(xp('false')), { flag_key: 'xp', variant_key: 'true' })).toBeUndefined();
    expect(stratumOf(playerOf(), { flag_key: 'half', variant_key: 'true' })).toBe(5_000);
    expect(stratumOf(playerOf(), { flag_key: 'half', variant_key: 'false' })).toBeUndefined();
    expect(stratumOf(playerOf(), { flag_key: 'shop', variant_key: 'b' })).toBe(10_000);
    expect(stratumOf(playerServed(shop({ variantKey: null })), { flag_key: 'shop' })).toBeUndefined();
  });

  it('is of the cluster that was served, also after the player left it', () => {
    const draw = { stratum: 2 ** 31 + 10_000, cluster: 70 };
    const exposureOf = (before: readonly DomainFact[], properties: unknown) =>
      track(before, properties).facts.find(({ kind }) => kind === 'FlagExposed');
    const served = playerServed(shop(draw), shop({ ...draw, cluster: 80, variantKey: 'a', value: '"layout_a"' }));
    expect(exposureOf(served, { flag_key: 'shop' })).toMatchObject({ variantKey: 'a', ...draw, cluster: 80 });
    expect(exposureOf(served, { flag_key: 'shop', variant_key: 'b' })).toMatchObject({
      attribution: 'earlier',
      ...draw,
    });
    // The other guild got the same.
    const moved = playerServed(shop(draw), shop({ ...draw, cluster: 90 }));
    expect(exposureOf(moved, { flag_key: 'shop' })).toMatchObject({ variantKey: 'b', cluster: 90 });
  });

  it('that only the event names is of the cluster of now, if the flag draws that for it', () => {
    const seen = (variant: string, attributes: string) => {
      const patch = aCommand({ kind: 'PatchPlayer', playerId: ID, attributes });
      const before = [...playerOf(), ...given(playerOf()).when(patch).facts];
      const fact = track(before, { flag_key: 'guilds', variant_key: variant }).facts.find(
        ({ kind }) => kind === 'FlagExposed',
      );
      return fact?.kind === 'FlagExposed' ? [fact.stratum, fact.cluster] : 'nothing';
    };
    const draws = ['a', 'b'].map((variant) => seen(variant, '{"guild":7}'));
    expect(draws).toContainEqual([2 ** 31 + 10_000, expect.any(Number)]);
    expect(draws).toContainEqual([undefined, undefined]);
    for (const variant of ['a', 'b']) expect(seen(variant, '{}')).toEqual([undefined, undefined]);
  });

  it('counts again when the player becomes eligible, and once', () => {
    let facts = playerServed(xp('false'));
    const see = (eventId: string) => {
      const items = [item({ flag_key: 'xp' }, eventId)];
      const found = given(facts, definitions).when(aCommand({ kind: 'TrackEvents', items }, { receivedAt: 3_000 }));
      facts = [...facts, ...found.facts];
      return found.facts.flatMap((fact) => (fact.kind === 'FlagExposed' ? [fact.stratum ?? 'not drawn'] : []));
    };
    const serve = (stratum?: number) => {
      const flags = [xp('false', stratum === undefined ? {} : { stratum })];
      facts = [
        ...facts,
        ...given(facts, definitions).when(aCommand({ kind: 'ServeFlags', playerId: ID, flags })).facts,
      ];
    };
    expect([see('e-1'), see('e-2')]).toEqual([['not drawn'], []]);
    serve(5_000);
    expect([see('e-3'), see('e-4')]).toEqual([[5_000], []]);
    serve();
    expect(see('e-5')).toEqual([]);
  });

  it('exposes nothing for a flag that was disabled or overridden when served', () => {
    expect(
      exposes(playerServed(shop(), shop({ reason: 'flag_disabled', variantKey: null })), { flag_key: 'shop' }),
    ).toBe('nothing');
    expect(exposes(playerServed(shop({ reason: 'player_override' })), { flag_key: 'shop' })).toBe('nothing');
    const overridden = playerServed(
      shop({ reason: 'player_override' }),
      shop({ variantKey: 'a', value: '"layout_a"' }),
    );
    expect(exposes(overridden, { flag_key: 'shop', variant_key: 'b' })).toBe('nothing');
  });

  it('must name its variant after a flag changed too often to record all changes', () => {
    const changes = Array.from({ length: PLAYER_LIMITS.servedChanges + 3 }, (_, turn) => xp(String(turn % 2 === 0)));
    const facts = playerServed(...changes);
    expect(facts.filter(({ kind }) => kind === 'FlagsServed')).toHaveLength(PLAYER_LIMITS.servedChanges + 1);
    expect(exposes(facts, { flag_key: 'xp' })).toBe('unattributed');
    expect(exposes(facts, { flag_key: 'xp', variant_key: 'true' })).toMatchObject({ 1: null, 2: 'true' });
    const next = given(facts, definitions).when(
      aCommand({ kind: 'ServeFlags', playerId: ID, flags: [xp('true', { period: 2 })] }),
    );
    expect(next.facts).toMatchObject([{ flags: [{ changes: 0, mixed: false }] }]);
  });

  it('counts once per player', () => {
    const twice = track(playerServed(shop()), { flag_key: 'shop' }, { flag_key: 'shop' }).facts;
    expect(twice.map(({ kind }) => kind)).toEqual(['FlagExposed', 'EventTracked', 'EventTracked']);
  });

  it.each([
    ['not a flag of the game', { flag_key: 'gone' }],
    ['not a string', { flag_key: 5 }],
    ['nested deeper', { ui: { flag_key: 'shop' } }],
    ['inside a value', { text: '"flag_key"', other: 'shop' }],
    ['__proto__', JSON.parse('{"flag_key":"__proto__"}')],
  ])('%s exposes nothing', (_, properties) => {
    const { facts, tallied } = track(playerServed(shop()), properties);
    expect(facts.map(({ kind }) => kind)).toEqual(['EventTracked']);
    expect(tallied).toEqual([]);
  });

  it('does not count for a test player', () => {
    const command = aCommand({ kind: 'TrackEvents', items: [item({ flag_key: 'shop' })] }, { environment: 'test' });
    const { facts, tallied } = given(playerOf('test'), definitions).when(command);
    expect(facts.map(({ kind }) => kind)).toEqual(['EventTracked']);
    expect(tallied).toEqual([]);
  });
});
