import { describe, expect, it } from 'vitest';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import { seededRandom } from '../../src/analysis/testing-samples.ts';
import { aPlayer } from '../testing-players.ts';
import type { EditEffect } from '../../core/vocabulary/edit-effects.ts';
import { effectOf } from './edit-effect.ts';
import { aFlag, aRule, aSplitFlag, memberOf, playerIdOf, targetingOf, variantsOf } from './evaluate/testing-flag.ts';
import { seenVariant } from './exposure/seen-variant.ts';

/**
 * A few kinds of players: members of each, both and none of two segments, on two levels, with a guild and without one;
 * 800 buckets of each.
 */
const KINDS = ['', 'seg_a', 'seg_b', 'seg_a seg_b'].flatMap((segments) =>
  [1, 2].flatMap((level) =>
    [true, false].map((hasGuild) => ({ segments: segments.split(' ').filter(Boolean).map(memberOf), level, hasGuild })),
  ),
);
const PLAYERS = KINDS.flatMap(({ segments, level, hasGuild }) =>
  Array.from({ length: 800 }, (_, turn) =>
    aPlayer({
      id: playerIdOf(turn),
      segments,
      attributes: JSON.stringify({ level, ...(hasGuild ? { guild: `guild ${turn % 400}` } : {}) }),
    }),
  ),
);
const SWITCH = aFlag({ key: 'switch', rules: [aRule()] });

type Drawn = Pick<FlagEvaluation, 'value' | 'stratum'> & { variant: string | null };

/** What the players of each kind get of the flag, if it is drawn for them. */
function drawnFrom(flag: FlagDocument, players = PLAYERS): (Drawn | undefined)[] {
  const targeting = targetingOf([flag, SWITCH]);
  const compiled = targeting.flags.get(flag.key);
  return players.map((player) => {
    const evaluation = compiled?.evaluate({ player, nowMs: 5_000 }, targeting);
    if (evaluation?.stratum === undefined) return undefined;
    const { value, stratum } = evaluation;
    return { value, stratum, variant: seenVariant(evaluation) };
  });
}

/** The effect of an edit on every player, by evaluating the flag before and after it. */
function effectOnPlayers(before: FlagDocument, after: FlagDocument, players = PLAYERS): EditEffect {
  const on = (flag: FlagDocument) => drawnFrom({ ...flag, enabled: true, prerequisites: [] }, players);
  const [was, is] = [on(before), on(after)];
  const isMoved = was.some((one, place) => {
    const other = is[place];
    return (
      one && other && (one.value !== other.value || one.stratum !== other.stratum || one.variant !== other.variant)
    );
  });
  if (isMoved) return 'reassigns';
  const [took, takes] = [drawnFrom(before, players), drawnFrom(after, players)];
  const joins = takes.some((one, place) => one !== undefined && took[place] === undefined);
  const leaves = took.some((one, place) => one !== undefined && takes[place] === undefined);
  if (joins) return leaves ? 'moves' : 'widens';
  return leaves ? 'narrows' : 'none';
}

const split = (weights: Record<string, number>, rule: Partial<FlagRule> = {}, some: Partial<FlagDocument> = {}) =>
  aSplitFlag(weights, { rules: [aRule(rule)], ...some });
const bool = (...rules: Partial<FlagRule>[]) => aFlag({ rules: rules.map((rule) => aRule(rule)) });
const AB = { a: 1, b: 1 };
const LEVEL_2 = { 'attributes.level': { $gte: 2 } };

const CASES: [what: string, before: FlagDocument, after: FlagDocument, effect: EditEffect][] = [
  ['weights', split({ a: 90, b: 10 }), split({ a: 50, b: 50 }), 'reassigns'],
  ['weights in the same ratio', split({ a: 1, b: 3 }), split({ a: 25, b: 75 }), 'none'],
  ['a variant added', split(AB), split({ a: 1, b: 1, c: 1 }), 'reassigns'],
  ['a variant added without weight', split(AB), split({ a: 1, b: 1, c: 0 }), 'none'],
  ['a variant removed', split({ a: 1, b: 1, c: 1 }), split(AB), 'reassigns'],
  ['a variant removed that had no weight', split({ a: 1, c: 0, b: 1 }), split(AB), 'none'],
  [
    'a variant renamed',
    split(AB),
    split(AB, {}, { variants: variantsOf(AB).map((one) => ({ ...one, key: `${one.key}2` })) }),
    'reassigns',
  ],
  ['the order of variants', split(AB), split({ b: 1, a: 1 }), 'reassigns'],
  [
    'the value of a variant',
    split(AB),
    split(AB, {}, { variants: variantsOf(AB).map((one) => ({ ...one, value: 'x' })) }),
    'reassigns',
  ],
  ['the salt', split(AB), split(AB, {}, { salt: 'other' }), 'reassigns'],
  ['the percentage of variants up', split(AB, { percentage: 10 }), split(AB, { percentage: 50 }), 'widens'],
  ['the percentage of variants down', split(AB, { percentage: 50 }), split(AB, { percentage: 0.5 }), 'narrows'],
  ['the audience of variants wider', split(AB, { segmentId: 'seg_a' }), split(AB), 'widens'],
  [
    'the audience of variants to another',
    split(AB, { segmentId: 'seg_a' }),
    split(AB, { segmentId: 'seg_b' }),
    'moves',
  ],
  ['a condition for variants', split(AB), split(AB, { conditions: LEVEL_2 }), 'narrows'],
  [
    'a rule of variants added',
    split(AB, { segmentId: 'seg_a' }),
    split(AB, {}, { rules: [aRule({ segmentId: 'seg_a' }), aRule({ percentage: 30 })] }),
    'widens',
  ],
  [
    'a rule before it that serves the default',
    split(AB),
    split(AB, {}, { rules: [aRule({ segmentId: 'seg_a', value: false }), aRule()] }),
    'narrows',
  ],
  [
    'the default of variants',
    split(AB, { percentage: 50 }),
    split(AB, { percentage: 50 }, { defaultValue: 'none' }),
    'none',
  ],
  ['the switch off', split(AB), split(AB, {}, { enabled: false }), 'narrows'],
  ['the switch on', split(AB, {}, { enabled: false }), split(AB), 'widens'],
  ['a prerequisite', split(AB), split(AB, {}, { prerequisites: [{ flagKey: 'switch', value: false }] }), 'narrows'],
  [
    'a prerequisite removed',
    split(AB, {}, { prerequisites: [{ flagKey: 'switch', value: false }] }),
    split(AB),
    'widens',
  ],
  [
    'weights of a flag that is off',
    split(AB, {}, { enabled: false }),
    split({ a: 1, b: 3 }, {}, { enabled: false }),
    'reassigns',
  ],
  ['texts', split(AB), split(AB, { name: 'other' }, { name: 'Other', description: 'x' }), 'none'],
  ['a percentage of a boolean flag up', bool({ percentage: 10 }), bool({ percentage: 50 }), 'reassigns'],
  ['a percentage of a boolean flag down', bool({ percentage: 50 }), bool({ percentage: 10 }), 'reassigns'],
  ['a roll-out that begins', bool({ percentage: 0 }), bool({ percentage: 10 }), 'widens'],
  ['a roll-out that ends', bool({ percentage: 50 }), bool({ percentage: 100 }), 'narrows'],
  ['a roll-out that stops', bool({ percentage: 50 }), bool(), 'narrows'],
  [
    'the audience of a roll-out wider',
    bool({ percentage: 50, segmentId: 'seg_a' }),
    bool({ percentage: 50 }),
    'widens',
  ],
  [
    'another audience beside it',
    bool({ percentage: 50, segmentId: 'seg_a' }),
    bool({ percentage: 50, segmentId: 'seg_a' }, { percentage: 50, segmentId: 'seg_b' }),
    'widens',
  ],
  [
    'an audience with another percentage behind it',
    bool({ percentage: 50, segmentId: 'seg_a' }),
    bool({ percentage: 50, segmentId: 'seg_a' }, { percentage: 20 }),
    'widens',
  ],
  [
    'an audience with a higher percentage behind it',
    bool({ percentage: 50, segmentId: 'seg_a' }),
    bool({ percentage: 50, segmentId: 'seg_a' }, { percentage: 70 }),
    'reassigns',
  ],
  [
    'true for an audience before it',
    bool({ percentage: 50 }),
    bool({ segmentId: 'seg_b' }, { percentage: 50 }),
    'narrows',
  ],
  [
    'the order of two audiences',
    bool({ percentage: 20, segmentId: 'seg_a' }, { percentage: 50, segmentId: 'seg_b' }),
    bool({ percentage: 50, segmentId: 'seg_b' }, { percentage: 20, segmentId: 'seg_a' }),
    'none',
  ],
  [
    'the order of rules one of which holds out',
    bool({ percentage: 20, value: false }, { percentage: 50 }),
    bool({ percentage: 50 }, { percentage: 20, value: false }),
    'reassigns',
  ],
  [
    'priorities in the same order',
    bool({ percentage: 20, priority: 1 }, { percentage: 50, priority: 2 }),
    bool({ percentage: 20, priority: 3 }, { percentage: 50, priority: 4 }),
    'none',
  ],
  [
    'the default of a boolean flag',
    bool({ percentage: 50 }),
    { ...bool({ percentage: 50 }), defaultValue: true },
    'narrows',
  ],
  ['a schedule that is over', bool({ percentage: 50 }), bool({ percentage: 50, endAt: 4_000 }), 'narrows'],
  [
    'a percentage of a flag that is off',
    { ...bool({ percentage: 10 }), enabled: false },
    { ...bool({ percentage: 50 }), enabled: false },
    'reassigns',
  ],
];

const OWN = {
  weights: [
    { key: 'a', weight: 9 },
    { key: 'b', weight: 1 },
  ],
};
const rules = (...some: Partial<FlagRule>[]) => split(AB, {}, { rules: some.map((rule) => aRule(rule)) });
const other = (...some: Partial<FlagRule>[]) => rules(...some.map((rule) => ({ segmentId: 'seg_b', ...rule })));

const SERVE_CASES: typeof CASES = [
  [
    'what another audience gets',
    rules({ segmentId: 'seg_a' }),
    rules({ segmentId: 'seg_a' }, { serve: OWN }),
    'widens',
  ],
  ['weights of a rule', rules({ serve: OWN }), rules({ serve: { weights: OWN.weights.toReversed() } }), 'reassigns'],
  [
    'weights of a rule in the same ratio',
    rules({ serve: OWN }),
    rules({ serve: { weights: OWN.weights.map(({ key, weight }) => ({ key, weight: weight * 10 })) } }),
    'none',
  ],
  [
    'weights of a rule that are those of the flag',
    rules({}),
    rules({
      serve: {
        weights: [
          { key: 'a', weight: 5 },
          { key: 'b', weight: 5 },
        ],
      },
    }),
    'none',
  ],
  ['weights of a rule that becomes one variant', rules({ serve: OWN }), rules({ serve: { variant: 'b' } }), 'narrows'],
  ['one variant that becomes weights', rules({ serve: { variant: 'b' } }), rules({ serve: OWN }), 'widens'],
  ['one variant that becomes another', rules({ serve: { variant: 'a' } }), rules({ serve: { variant: 'b' } }), 'none'],
  ['a value', rules({ serve: { value: 'x' } }), rules({ serve: { value: 'y' } }), 'none'],
  ['one variant for some', rules({}), rules({ segmentId: 'seg_a', serve: { variant: 'b' } }, {}), 'narrows'],
  [
    "the flag's weights that no rule serves",
    rules({ serve: OWN }),
    { ...rules({ serve: OWN }), variants: variantsOf({ a: 1, b: 3 }) },
    'none',
  ],
  [
    'weights of the rest',
    rules({ segmentId: 'seg_a' }),
    { ...rules({ segmentId: 'seg_a' }), defaultServe: OWN },
    'widens',
  ],
  [
    'weights of the rest, changed',
    { ...other({}), defaultServe: OWN },
    { ...other({}), defaultServe: { weights: OWN.weights.toReversed() } },
    'reassigns',
  ],
  [
    'a roll-out before weights of the rest',
    { ...rules({ percentage: 20 }), defaultServe: OWN },
    { ...rules({ percentage: 40 }), defaultServe: OWN },
    'reassigns',
  ],
  ['the salt of a rule', rules({ salt: 's' }), rules({ salt: 't' }), 'reassigns'],
  [
    'the salt of a roll-out of one variant',
    rules({ salt: 's', percentage: 50, serve: { variant: 'a' } }),
    rules({ salt: 't', percentage: 50, serve: { variant: 'a' } }),
    'none',
  ],
  ['what a rule is bucketed by', rules({}), rules({ bucketBy: 'attribute:guild' }), 'reassigns'],
  ['what a flag is bucketed by', rules({}), { ...rules({}), bucketBy: 'attribute:guild' }, 'reassigns'],
  [
    'a rule with another salt for others',
    other({ salt: 's' }),
    { ...rules({ segmentId: 'seg_b', salt: 's' }, { segmentId: 'seg_a', salt: 't' }) },
    'widens',
  ],
  ['the salt of a boolean rule', bool({ percentage: 50 }), bool({ percentage: 50, salt: 's' }), 'reassigns'],
  ['the salt of a boolean rule for all', bool({ salt: 's' }), bool({ salt: 't' }), 'none'],
  [
    'a percentage of the other salt',
    bool({ percentage: 20, salt: 's' }, { percentage: 50 }),
    bool({ percentage: 30, salt: 's' }, { percentage: 50 }),
    'reassigns',
  ],
  [
    'the order of two salts',
    bool({ percentage: 20, salt: 's' }, { percentage: 50 }),
    bool({ percentage: 50 }, { percentage: 20, salt: 's' }),
    'none',
  ],
  [
    'false for some of a boolean flag',
    bool({ percentage: 50 }),
    bool({ segmentId: 'seg_a', serve: { value: false } }, { percentage: 50 }),
    'narrows',
  ],
  [
    'false in place of the default',
    { ...bool({ percentage: 50 }), defaultValue: true },
    { ...bool({ percentage: 50, serve: { value: false } }), defaultValue: true },
    'widens',
  ],
  [
    'true for the rest',
    bool({ percentage: 50 }),
    { ...bool({ percentage: 50 }), defaultServe: { value: true } },
    'narrows',
  ],
];

describe('an edit of a flag', () => {
  it.each(SERVE_CASES)(
    'that changes what rules serve, of %s, has the effect that players feel',
    (_, before, after, effect) => {
      expect([effectOf(before, after), effectOnPlayers(before, after)]).toEqual([effect, effect]);
    },
  );

  it('of what rules serve, at random, has the effect that players feel', () => {
    const random = seededRandom(31);
    const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? from[0]!;
    const serves = (isBoolean: boolean): Partial<FlagRule> =>
      isBoolean
        ? pick<Partial<FlagRule>>({}, {}, { value: false }, { serve: { value: false } }, { serve: { value: true } })
        : pick<Partial<FlagRule>>(
            {},
            { serve: OWN },
            { serve: { variant: 'a' } },
            { serve: { value: 'x' } },
            { value: false },
          );
    const drawRule = (isBoolean: boolean): Partial<FlagRule> => ({
      segmentId: pick(null, 'seg_a', 'seg_b'),
      percentage: pick(0, 20, 50, 100, 100),
      priority: pick(1, 2),
      ...serves(isBoolean),
      ...pick({}, {}, { salt: 's' }, { bucketBy: 'attribute:guild' }),
    });
    const draw = (isBoolean: boolean): FlagDocument => ({
      ...(isBoolean ? bool() : rules()),
      rules: Array.from({ length: pick(1, 2, 3) }, () => aRule(drawRule(isBoolean))),
      ...(isBoolean
        ? pick({}, {}, { defaultValue: true }, { defaultServe: { value: true } })
        : pick({}, {}, { defaultServe: OWN }, { defaultServe: { variant: 'b' } })),
    });
    const effects = Array.from({ length: 80 }, (_, turn) => {
      const isBoolean = turn % 2 === 0;
      const before = draw(isBoolean);
      const edited = before.rules.map((rule) => (random() < 0.4 ? { ...aRule(drawRule(isBoolean)) } : rule));
      const after = random() < 0.2 ? draw(isBoolean) : { ...before, rules: edited };
      const effect = effectOf(before, after);
      expect([effectOnPlayers(before, after), before, after]).toEqual([effect, before, after]);
      return effect;
    });
    expect(new Set(effects)).toEqual(new Set(['none', 'widens', 'narrows', 'moves', 'reassigns']));
  });

  it.each(CASES)('of %s has the effect that players feel', (_, before, after, effect) => {
    expect([effectOf(before, after), effectOnPlayers(before, after)]).toEqual([effect, effect]);
  });

  it('of rules at random has the effect that players feel', () => {
    const random = seededRandom(30);
    const few = PLAYERS.filter((_, place) => place % 15 === 0);
    const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? from[0]!;
    const drawRule = (): Partial<FlagRule> => ({
      segmentId: pick(null, 'seg_a', 'seg_b'),
      ...pick({}, {}, { conditions: LEVEL_2 }),
      percentage: pick(0, 20, 50, 50, 100),
      value: random() < 0.8,
      priority: pick(1, 2),
    });
    const draw = () => bool(...Array.from({ length: pick(0, 1, 2, 3) }, drawRule));
    const effects = Array.from({ length: 150 }, () => {
      const before = draw();
      // Most edits change one of the rules.
      const rules = before.rules.map((rule) => (random() < 0.4 ? { ...rule, ...drawRule() } : rule));
      const after = random() < 0.3 ? draw() : { ...before, rules };
      const effect = effectOf(before, after);
      expect([effectOnPlayers(before, after, few), before.rules, after.rules]).toEqual([
        effect,
        before.rules,
        after.rules,
      ]);
      return effect;
    });
    expect(new Set(effects)).toEqual(new Set(['none', 'widens', 'narrows', 'moves', 'reassigns']));
  });

  it('that archives or restores it lets players leave or join', () => {
    const archived = { ...split(AB), archivedAt: 5_000 };
    expect([effectOf(split(AB), archived), effectOf(archived, split(AB))]).toEqual(['narrows', 'widens']);
  });

  it('of weights that nobody gets at the time reassigns: players may come back with the earlier ones', () => {
    expect(effectOf(split(AB, { percentage: 0 }), split({ a: 1, b: 2 }, { percentage: 0 }))).toBe('reassigns');
    expect(effectOf(split(AB), split({ a: 1, b: 0 }))).toBe('reassigns');
  });

  it('with more audiences than can be tried reassigns a boolean flag, and no other', () => {
    const rules = (percentage: number) =>
      Array.from({ length: 12 }, (_, turn) => aRule({ segmentId: `seg_${turn}`, percentage }));
    expect(effectOf(aFlag({ rules: rules(10) }), aFlag({ rules: rules(0) }))).toBe('reassigns');
    expect(effectOf(split(AB, {}, { rules: rules(10) }), split(AB, {}, { rules: rules(0) }))).toBe('moves');
  });
});
