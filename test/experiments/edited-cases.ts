import { aFlag, aRule, aSplitFlag } from '../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';

const some = { periods: [{ period: 1, version: 1, since: Date.UTC(2026, 0, 20) }] };
const rollout = (percentage: number, rule: Partial<FlagRule> = {}) =>
  aFlag({ ...some, rules: [aRule({ percentage, ...rule })] });
const split = (weights: Readonly<Record<string, number>>, rule: Partial<FlagRule> = {}) =>
  aSplitFlag(weights, { ...some, rules: [aRule(rule)] });
const QUARTER = { conditions: { 'attributes.quarter': 0 } };
const PAYERS = { conditions: { is_payer: true } };

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
];
