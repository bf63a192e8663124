import { aFlag, aRule, aSplitFlag } from '../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';

const some = { periods: [{ period: 1, version: 1, since: Date.UTC(2026, 0, 20) }] };
const rollout = (percentage: number, quarter = false) =>
  aFlag({ ...some, rules: [aRule({ percentage, ...(quarter ? { conditions: { 'attributes.quarter': 0 } } : {}) })] });

/** Edits of experiments between variants that are the same, and the least players that then count, of 300 and 300. */
export const EDITED_CASES: readonly [what: string, before: FlagDocument, after: FlagDocument, least: number][] = [
  ['weights from 90/10 to 50/50', aSplitFlag({ a: 90, b: 10 }, some), aSplitFlag({ a: 50, b: 50 }, some), 300],
  ['a boolean flag from 10 to 50 %', rollout(10), rollout(50), 300],
  ['a boolean flag for a quarter of the players', rollout(50, true), rollout(50, true), 100],
  ['a boolean flag from a quarter to all', rollout(50, true), rollout(50), 600],
  [
    'a roll-out of variants from 20 to 60 %',
    aSplitFlag({ a: 1, b: 1 }, { ...some, rules: [aRule({ percentage: 20 })] }),
    aSplitFlag({ a: 1, b: 1 }, { ...some, rules: [aRule({ percentage: 60 })] }),
    300,
  ],
  ['a third variant removed', aSplitFlag({ a: 1, b: 1, c: 1 }, some), aSplitFlag({ a: 1, b: 1 }, some), 300],
];
