import { describe, expect, it } from 'vitest';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import type { BucketBy } from '../../core/vocabulary/documents/flag-serve.ts';
import { KEYED_STRATUM, SEVERAL_KEYS } from '../../core/vocabulary/facts/flag-reason.ts';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aPlayer } from '../testing-players.ts';
import { splitsOf } from './draw/strata.ts';
import { explainFlag } from './evaluate/explain-flag.ts';
import { aFlag, aRule, aSplitFlag, compiled, memberOf, playerIdOf, targetingOf } from './evaluate/testing-flag.ts';

const NONE = targetingOf([]);
const flagOf = (rules: Partial<FlagRule>[], some: Partial<FlagDocument> = {}) =>
  aSplitFlag({ a: 1, b: 1 }, { rules: rules.map((rule) => aRule(rule)), ...some });
const evaluate = (flag: FlagDocument, player: Partial<PlayerState> = {}, context?: JsonObject) =>
  compiled(flag).evaluate(
    { player: aPlayer(player), nowMs: 2_000, ...(context === undefined ? {} : { context }) },
    NONE,
  );
const OWN = {
  weights: [
    { key: 'a', weight: 3 },
    { key: 'b', weight: 1 },
  ],
};
const PAYERS = { conditions: { is_payer: true } };

/** The share of 20,000 players who get each variant or value, to the nearest percent. */
function shares(flag: FlagDocument, playerOf: (turn: number) => Partial<PlayerState> = () => ({})) {
  const made = compiled(flag);
  const counts: Record<string, number> = {};
  for (let turn = 0; turn < 20_000; turn += 1) {
    const player = aPlayer({ id: playerIdOf(turn), ...playerOf(turn) });
    const { variantKey, value } = made.evaluate({ player, nowMs: 2_000 }, NONE);
    counts[variantKey ?? value] = (counts[variantKey ?? value] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Math.round(count / 200)]));
}

describe('a rule serves', () => {
  it('a value: payers 4.99, others 0.99', () => {
    const price = aFlag({
      flagType: 'number',
      defaultServe: { value: 0.99 },
      rules: [aRule({ ...PAYERS, serve: { value: 4.99 } })],
    });
    expect(evaluate(price, { isPayer: true })).toEqual({
      flagKey: 'new-shop',
      value: '4.99',
      variantKey: null,
      reason: 'percentage_rollout',
      period: 0,
    });
    expect(evaluate(price, { isPayer: false })).toMatchObject({ value: '0.99', reason: 'default', period: 0 });
    expect(evaluate({ ...price, enabled: false })).toMatchObject({ value: 'null', reason: 'flag_disabled' });
  });

  it.each<[FlagDocument['flagType'], Json]>([
    ['string', 'long'],
    ['json', { rows: [1, null] }],
    ['json', null],
    ['number', 0],
    ['boolean', false],
  ])('values of the type %s', (flagType, value) => {
    const flag = aFlag({
      flagType,
      defaultValue: flagType === 'boolean' ? true : null,
      rules: [aRule({ serve: { value } })],
    });
    expect(evaluate(flag)).toMatchObject({ value: JSON.stringify(value), variantKey: null });
  });

  it('one variant, to whom it is for, and nothing is drawn', () => {
    const flag = flagOf([{ segmentId: 'seg_a', serve: { variant: 'b' } }, {}]);
    const member = evaluate(flag, { segments: [memberOf('seg_a')] });
    expect(member).toMatchObject({ variantKey: 'b', value: '"b"', reason: 'segment_match', period: 0 });
    expect(member.stratum).toBeUndefined();
    expect(evaluate(flag)).toMatchObject({ stratum: 10_000, period: 1 });
  });

  it('variants by weights of its own, a stratum of their own', () => {
    const flag = flagOf([{ ...PAYERS, serve: OWN }, {}]);
    expect(shares(flag, () => ({ isPayer: true }))).toEqual({ a: 75, b: 25 });
    expect(shares(flag, () => ({ isPayer: false }))).toEqual({ a: 50, b: 50 });
    const { stratum = 0 } = evaluate(flag, { isPayer: true });
    expect(stratum).toBeGreaterThan(10_000);
    expect(stratum).toBeLessThan(KEYED_STRATUM);
    expect(splitsOf(flag)).toEqual([
      {
        stratum: 10_000,
        arms: [
          { variantKey: 'a', weight: 1 },
          { variantKey: 'b', weight: 1 },
        ],
      },
      {
        stratum,
        arms: [
          { variantKey: 'a', weight: 3 },
          { variantKey: 'b', weight: 1 },
        ],
      },
    ]);
    // Equal lists are one draw, whichever rule has them.
    const doubled = { weights: OWN.weights.map(({ key, weight }) => ({ key, weight: weight * 2 })) };
    expect(evaluate(flagOf([{ serve: doubled }])).stratum).toBe(stratum);
    expect(
      evaluate(
        flagOf([
          {
            serve: {
              weights: [
                { key: 'a', weight: 2 },
                { key: 'b', weight: 2 },
              ],
            },
          },
        ]),
      ).stratum,
    ).toBe(10_000);
    // Another salt draws again: what a player gets by one rule says nothing of the other.
    expect(evaluate(flagOf([{ serve: OWN, salt: 'other' }])).stratum).not.toBe(stratum);
  });

  it('and the default serves, in the place of the default value', () => {
    expect(shares(flagOf([{ percentage: 20, serve: { variant: 'a' } }], { defaultServe: OWN }))).toEqual({
      a: 80,
      b: 20,
    });
    expect(evaluate(flagOf([], { defaultServe: { variant: 'b' } }))).toMatchObject({
      variantKey: 'b',
      reason: 'default',
    });
    // `false` serves the default value, not what the rest gets.
    expect(evaluate(flagOf([{ value: false }], { defaultServe: { variant: 'b' } }))).toMatchObject({ value: 'null' });
  });

  it('nothing, if the flag does not have the variant: it does not compile', () => {
    for (const flag of [
      flagOf([{ serve: { variant: 'gone' } }]),
      flagOf([{ serve: { weights: [{ key: 'a', weight: 0 }] } }]),
      flagOf([], { defaultServe: { variant: 'gone' } }),
    ]) {
      expect(() => compiled(flag)).toThrow('does not compile');
    }
  });
});

describe('the salt of a rule', () => {
  it('makes its roll-out independent, and the same salt the same', () => {
    const of = (salt: string) => flagOf([{ percentage: 50, salt, serve: { variant: 'a' } }]);
    const [one, same, other] = [of('s'), { ...of('s'), salt: 'of another flag' }, of('t')].map(compiled);
    const included = (flag: typeof one, id: string) =>
      flag?.evaluate({ player: aPlayer({ id }), nowMs: 1 }, NONE).variantKey === 'a';
    let both = 0;
    for (let turn = 0; turn < 10_000; turn += 1) {
      const id = playerIdOf(turn);
      expect(included(one, id)).toBe(included(same, id));
      if (included(one, id) && included(other, id)) both += 1;
    }
    expect(both / 10_000).toBeCloseTo(0.25, 1);
  });

  it('of boolean rules divides players as the product of their shares says', () => {
    const flag = aFlag({
      rules: [
        aRule({ percentage: 20, salt: 's' }),
        aRule({ percentage: 50, salt: 't', serve: { value: false } }),
        aRule({ percentage: 60, salt: 's' }),
        aRule({ percentage: 30, salt: 'u' }),
      ],
    });
    // 0.2, then of 0.8 × 0.5 a half by the first salt again, then 0.3 of the rest of 0.2.
    expect(shares(flag)).toEqual({ true: 46, false: 54 });
    expect(evaluate(flag).stratum).toBe(4_600);
  });
});

describe('players are put into buckets', () => {
  it.each<[BucketBy, (turn: number) => Partial<PlayerState>]>([
    ['device', (turn) => ({ deviceId: `device ${turn % 500}` })],
    ['attribute:guild', (turn) => ({ attributes: JSON.stringify({ guild: turn % 500 }) })],
    ['attribute:home.household', (turn) => ({ attributes: JSON.stringify({ home: { household: `h${turn % 500}` } }) })],
    ['attribute:home.household', (turn) => ({ attributes: JSON.stringify({ 'home.household': turn % 2 === 0 }) })],
  ])('by %s: who has the same gets the same', (bucketBy, playerOf) => {
    const flag = compiled(flagOf([{ percentage: 60 }], { bucketBy }));
    const given = new Map<string, string | null>();
    for (let turn = 0; turn < 2_000; turn += 1) {
      const player = aPlayer({ id: playerIdOf(turn), ...playerOf(turn) });
      const { variantKey } = flag.evaluate({ player, nowMs: 1 }, NONE);
      const key = JSON.stringify([player.deviceId, player.attributes]);
      expect(given.get(key) ?? variantKey).toBe(variantKey);
      given.set(key, variantKey);
    }
    expect(given.size).toBeLessThan(501);
  });

  it('by a device: a guest who signs in on it keeps the variant', () => {
    const flag = compiled(flagOf([{ percentage: 50 }], { bucketBy: 'device' }));
    const of = (id: string, deviceId: string) => flag.evaluate({ player: aPlayer({ id, deviceId }), nowMs: 1 }, NONE);
    const changed = { kept: 0, byPlayer: 0 };
    const byPlayer = compiled(flagOf([{ percentage: 50 }]));
    for (let turn = 0; turn < 500; turn += 1) {
      const [guest, account] = [playerIdOf(turn), playerIdOf(100_000 + turn)];
      if (of(guest, `d${turn}`).variantKey !== of(account, `d${turn}`).variantKey) changed.kept += 1;
      const [one, other] = [guest, account].map(
        (id) => byPlayer.evaluate({ player: aPlayer({ id }), nowMs: 1 }, NONE).variantKey,
      );
      if (one !== other) changed.byPlayer += 1;
    }
    expect(changed.kept).toBe(0);
    expect(changed.byPlayer).toBeGreaterThan(200);
  });

  it('by what the context names, before the stored one', () => {
    const flag = flagOf([{}], { bucketBy: 'attribute:guild' });
    const variants = Array.from(
      { length: 50 },
      (_, turn) => evaluate(flag, { attributes: '{"guild":"stored"}' }, { guild: `g${turn}` }).variantKey,
    );
    expect(new Set(variants)).toEqual(new Set(['a', 'b']));
    const stored = evaluate(flag, { attributes: '{"guild":"stored"}' });
    expect(evaluate(flag, { attributes: '{"guild":"stored"}' }, { other: 1 })).toEqual(stored);
    expect(evaluate(flag, {}, { guild: 'stored' })).toEqual(stored);
  });

  it.each([{}, { guild: '' }, { guild: null }, { guild: {} }, { guild: ['x'] }, { guild: 'x'.repeat(257) }])(
    'not at all without a value (%j): no rule that needs one includes them',
    (attributes) => {
      const player = { attributes: JSON.stringify(attributes) };
      const by = { bucketBy: 'attribute:guild' } as const;
      const none = { value: 'null', variantKey: null, reason: 'default', period: 0 };
      expect(evaluate(flagOf([{ percentage: 99.99, serve: { variant: 'a' } }], by), player)).toMatchObject(none);
      expect(evaluate(flagOf([{}], by), player)).toMatchObject(none);
      expect(evaluate(flagOf([], { ...by, defaultServe: OWN }), player)).toMatchObject(none);
      expect(evaluate(flagOf([{ ...by }, { serve: { variant: 'b' } }]), player)).toMatchObject({ variantKey: 'b' });
      expect(evaluate(aFlag({ rules: [aRule({ percentage: 50 })], ...by }), player)).toMatchObject({
        value: 'false',
        period: 0,
      });
      // A rule for all that draws nothing needs no bucket.
      expect(evaluate(flagOf([{ serve: { variant: 'a' } }], by), player)).toMatchObject({ variantKey: 'a' });
      const flag = flagOf([{ percentage: 50 }], by);
      const subject = { player: aPlayer(player), nowMs: 1 };
      expect(explainFlag(compiled(flag), subject, NONE)).toMatchObject([
        {},
        {},
        { step: 'rule', outcome: 'no_bucketing_value', bucket: null },
        { step: 'default', value: 'null' },
      ]);
    },
  );

  it('and the stratum says that they may change it', () => {
    const boolean = aFlag({ rules: [aRule({ percentage: 20 })], bucketBy: 'attribute:guild' });
    const player = { attributes: '{"guild":7}' };
    expect(evaluate(boolean, player).stratum).toBe(KEYED_STRATUM + 2_000);
    expect(evaluate(flagOf([{}], { bucketBy: 'attribute:guild' }), player).stratum).toBe(KEYED_STRATUM + 10_000);
  });

  it('and the cluster who shares the draw, whatever the salts are', () => {
    const guild = (number: number) => ({ attributes: JSON.stringify({ guild: number, team: 'x' }), deviceId: 'd-1' });
    const clusterOf = (flag: FlagDocument, number = 7) => evaluate(flag, guild(number)).cluster;
    const BY_GUILD = { bucketBy: 'attribute:guild' } as const;
    const cluster = clusterOf(flagOf([{}], BY_GUILD));
    expect(cluster).toBeGreaterThan(SEVERAL_KEYS);
    expect(cluster).toBeLessThan(2 ** 32);
    const half = aRule({ percentage: 50 });
    expect([
      clusterOf(flagOf([{ ...BY_GUILD, salt: 'other' }])),
      clusterOf(flagOf([], { ...BY_GUILD, defaultServe: OWN })),
      clusterOf(aFlag({ ...BY_GUILD, rules: [half] })),
      // The draw of the guild is shared, the one of the player is not.
      clusterOf(aFlag({ rules: [{ ...half, ...BY_GUILD }, half] })),
      // Nobody gets to the third rule.
      clusterOf(aFlag({ rules: [{ ...half, ...BY_GUILD }, aRule({ value: false }), { ...half, bucketBy: 'device' }] })),
    ]).toEqual(Array(5).fill(cluster));
    expect([
      clusterOf(flagOf([{}], BY_GUILD), 8),
      clusterOf(flagOf([{}], { bucketBy: 'attribute:team' })),
      clusterOf(flagOf([{}], { bucketBy: 'device' })),
    ]).not.toContain(cluster);
    const byTwo = aFlag({
      rules: [
        { ...half, ...BY_GUILD },
        { ...half, bucketBy: 'device' },
      ],
    });
    expect(clusterOf(byTwo)).toBe(SEVERAL_KEYS);
    // Nothing is drawn for the guild.
    for (const alone of [flagOf([{}]), flagOf([{ serve: { variant: 'b' } }], BY_GUILD), aFlag({ rules: [half] })]) {
      expect(evaluate(alone, guild(7))).not.toHaveProperty('cluster');
    }
  });
});

describe('the explanation of what rules serve', () => {
  const steps = (flag: FlagDocument, player: Partial<PlayerState> = {}) =>
    explainFlag(compiled(flag), { player: aPlayer(player), nowMs: 2_000 }, NONE).slice(2);

  it('names a variant that was not drawn, and one that was', () => {
    expect(steps(flagOf([{ serve: { variant: 'b' } }]))).toMatchObject([
      { step: 'rule', outcome: 'served' },
      { step: 'variant', bucket: null, variantKey: 'b' },
    ]);
    const { variantKey } = evaluate(flagOf([{ serve: OWN }]));
    expect(steps(flagOf([{ serve: OWN }]))).toMatchObject([
      { step: 'rule', outcome: 'served' },
      { step: 'variant', bucket: expect.any(Number), variantKey },
    ]);
    expect(steps(flagOf([], { defaultServe: { variant: 'b' } }))).toEqual([
      { step: 'default', value: '"b"' },
      { step: 'variant', bucket: null, variantKey: 'b' },
    ]);
    expect(steps(flagOf([{ serve: { value: 'x' } }]))).toHaveLength(1);
  });
});

describe('a prerequisite', () => {
  const flags = (needs: 'a' | 'b', value: Partial<FlagDocument> = {}) =>
    targetingOf([
      aSplitFlag({ a: 1, b: 1 }, { key: 'test', rules: [aRule({ ...PAYERS, serve: { variant: 'b' } })], ...value }),
      aFlag({ key: 'needs', prerequisites: [{ flagKey: 'test', variantKey: needs }], rules: [aRule()] }),
    ]);
  const served = (targeting: ReturnType<typeof flags>, isPayer: boolean) =>
    targeting.flags.get('needs')?.evaluate({ player: aPlayer({ isPayer }), nowMs: 1 }, targeting);

  it('may ask for a variant, whatever its value', () => {
    expect(served(flags('b'), true)).toMatchObject({ value: 'true' });
    const unmet = { value: 'false', reason: 'flag_disabled', prerequisiteKey: 'test' };
    expect(served(flags('a'), true)).toMatchObject(unmet);
    // The default has no variant.
    expect(served(flags('b', { defaultValue: 'b' }), false)).toMatchObject(unmet);
    expect(served(flags('b', { enabled: false }), true)).toMatchObject(unmet);
  });

  it('is explained by the variant', () => {
    const targeting = flags('a');
    const flag = targeting.flags.get('needs');
    expect(flag && explainFlag(flag, { player: aPlayer({ isPayer: true }), nowMs: 1 }, targeting)).toMatchObject([
      { step: 'enabled' },
      { step: 'prerequisite', required: null, requiredVariant: 'a', served: '"b"', servedVariant: 'b', passed: false },
    ]);
  });
});
