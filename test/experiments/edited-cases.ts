import { aFlag, aRule, aSplitFlag } from '../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';

const some = { periods: [{ period: 1, version: 1, since: Date.UTC(2026, 0, 20) }] };
const rollout = (percentage: number, rule: Partial<FlagRule> = {}) =>
  aFlag({ ...some, rules: [aRule({ percentage, ...rule })] });
const split = (weights: Readonly<Record<string, number>>, rule: Partial<FlagRule> = {}) =>
  aSplitFlag(weights, { ...some, rules: [aRule(rule)] });
const QUARTER = { conditions: { 'attributes.quarter': 0 } };
const PAYERS = { conditions: { is_payer: true } };

const weights = (a: number, b: number) => ({
  weights: [
    { key: 'a', weight: a },
    { key: 'b', weight: b },
  ],
});
const served = (...rules: Partial<FlagRule>[]) =>
  aSplitFlag({ a: 1, b: 1 }, { ...some, rules: rules.map((rule) => aRule(rule)) });
/** A draw that players share: with 1 other, with 0 to 4, or with 19. They behave alike. */
const by = (group: 'pair' | 'household' | 'guild') => ({ bucketBy: `attribute:${group}` }) as const;
/** A payer moves to another place, which has one player. */
const MOVES = { bucketBy: 'attribute:place' } as const;

/** Edits of experiments between variants that are the same, and the least players that then count, of 300 and 300. */
export const EDITED_CASES: readonly [what: string, before: FlagDocument, after: FlagDocument, least: number][] = [
  ['weights from 90/10 to 50/50', split({ a: 90, b: 10 }), split({ a: 50, b: 50 }), 300],
  ['a third variant removed', split({ a: 1, b: 1, c: 1 }), split({ a: 1, b: 1 }), 300],
  [
    'a roll-out of variants from 20 to 60 %',
    split({ a: 1, b: 1 }, { percentage: 20 }),
    split({ a: 1, b: 1 }, { percentage: 60 }),
    300,
  ],
  [
    'a roll-out of variants from 60 to 20 %',
    split({ a: 1, b: 1 }, { percentage: 60 }),
    split({ a: 1, b: 1 }, { percentage: 20 }),
    200,
  ],
  ['variants from a quarter to all', split({ a: 1, b: 1 }, QUARTER), split({ a: 1, b: 1 }), 600],
  ['variants from all to payers', split({ a: 1, b: 1 }), split({ a: 1, b: 1 }, PAYERS), 300],
  ['variants for payers, and then for all', split({ a: 1, b: 1 }, PAYERS), split({ a: 1, b: 1 }), 600],
  ['a boolean flag from 10 to 50 %', rollout(10), rollout(50), 300],
  ['a boolean flag for a quarter of the players', rollout(50, QUARTER), rollout(50, QUARTER), 100],
  ['a boolean flag from a quarter to all', rollout(50, QUARTER), rollout(50), 600],
  ['a boolean flag for payers', rollout(50, PAYERS), rollout(50, PAYERS), 100],
  ['a boolean flag from payers to all', rollout(50, PAYERS), rollout(50), 600],
  ['weights of a rule from 90/10 to 50/50', served({ serve: weights(9, 1) }), served({ serve: weights(1, 1) }), 300],
  [
    'payers at 80/20 by a rule, others at 50/50',
    served({ ...PAYERS, serve: weights(4, 1) }, {}),
    served({ ...PAYERS, serve: weights(4, 1) }, {}),
    300,
  ],
  [
    'payers at 80/20 by a rule that an edit adds',
    served({}),
    served({ ...PAYERS, serve: weights(4, 1), salt: 'payers' }, {}),
    200,
  ],
  ['one variant for payers, and then for nobody', served({ ...PAYERS, serve: { variant: 'b' } }, {}), served({}), 300],
  [
    'weights of the rest, beside a roll-out of one variant',
    { ...served({ percentage: 30, serve: { variant: 'b' } }), defaultServe: weights(2, 1) },
    { ...served({ percentage: 10, serve: { variant: 'b' } }), defaultServe: weights(2, 1) },
    150,
  ],
  [
    'two salts of a boolean flag',
    aFlag({ ...some, rules: [aRule({ ...QUARTER, percentage: 30, salt: 's' }), aRule({ percentage: 50 })] }),
    aFlag({ ...some, rules: [aRule({ percentage: 30, salt: 's' }), aRule({ percentage: 50 })] }),
    200,
  ],
  ['variants by pair', { ...served({}), ...by('pair') }, { ...served({}), ...by('pair') }, 600],
  ['variants by household', { ...served({}), ...by('household') }, { ...served({}), ...by('household') }, 600],
  [
    'variants at 2:1 by a household that a rule names',
    served({ serve: weights(2, 1), ...by('household') }),
    served({ serve: weights(2, 1), ...by('household') }),
    600,
  ],
  ['variants by guild', { ...served({}), ...by('guild') }, { ...served({}), ...by('guild') }, 600],
  [
    'a boolean flag at 40 % by household',
    { ...rollout(40), ...by('household') },
    { ...rollout(40), ...by('household') },
    600,
  ],
  [
    'variants at 90/10 by a place that payers change',
    { ...served({ serve: weights(9, 1) }), ...MOVES },
    { ...served({ serve: weights(9, 1) }), ...MOVES },
    600,
  ],
  [
    'a boolean flag at 10 % by a place that payers change',
    { ...rollout(10), ...MOVES },
    { ...rollout(10), ...MOVES },
    600,
  ],
];
