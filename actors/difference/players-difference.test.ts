import { describe, expect, it } from 'vitest';
import { NO_PART, type PreviewedChange } from '../../core/vocabulary/commands/preview.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import { aFlag, aRule, compiled, memberOf, players, targetingOf } from '../flags/evaluate/testing-flag.ts';
import { explainFlag } from '../flags/evaluate/explain-flag.ts';
import { placesIn } from './parts-of-players.ts';
import { playersWords } from './players-difference.ts';

const exact = (count: number) => ({ players: count, margin: 0, complete: true });
const about = (count: number, margin: number) => ({ players: count, margin, complete: false });

describe('the words for players', () => {
  it.each([
    [exact(12), exact(0), '12 more players'],
    [exact(0), exact(1_234), '1,234 fewer players'],
    [exact(3), exact(4), '3 more and 4 fewer players'],
    [exact(0), exact(0), undefined],
    [undefined, undefined, undefined],
    [about(4_031, 120), about(0, 3), 'about 4,000 more players (sampled)'],
    [about(4_031, 120), about(951, 60), 'about 4,000 more and about 950 fewer players (sampled)'],
    // It may as well be nothing.
    [about(40, 60), about(0, 3), undefined],
  ])('%j and %j', (more, fewer, words) => {
    expect(playersWords(more, fewer)).toBe(words);
  });
});

describe('the part of a flag that a player is in', () => {
  const lookup = { computed: () => undefined, hasSegment: () => true };
  const flags: [string, FlagDocument][] = [
    ['percentages', aFlag({ rules: [aRule({ percentage: 30 }), aRule({ percentage: 60, salt: 'other' })] })],
    ['priorities', aFlag({ rules: [aRule({ percentage: 50, priority: 2 }), aRule({ percentage: 20, priority: 1 })] })],
    [
      'segments and conditions',
      aFlag({ rules: [aRule({ segmentId: 'seg_a' }), aRule({ conditions: { is_payer: true }, value: false })] }),
    ],
    ['devices', aFlag({ bucketBy: 'device', rules: [aRule({ percentage: 50 }), aRule({ percentage: 100 })] })],
    ['times', aFlag({ rules: [aRule({ startAt: 9_000 }), aRule({ endAt: 9_000, percentage: 40 })] })],
    ['variants', aFlag({ flagType: 'json', variants: [{ key: 'a', value: 1, weight: 1 }], rules: [aRule()] })],
    ['a disabled flag', aFlag({ enabled: false, rules: [aRule()] })],
  ];

  it.each(flags)('is the rule that its explanation names: %s', (_, flag) => {
    const change: PreviewedChange = { of: 'flag', before: null, after: JSON.stringify(flag) };
    const places = placesIn(change, lookup);
    const targeting = targetingOf([flag]);
    const found = new Set<number>();
    for (const [turn, subject] of players(300).entries()) {
      const segments = turn % 3 === 0 ? [memberOf('seg_a')] : [];
      const player = {
        ...subject.player,
        segments,
        isPayer: turn % 2 === 0,
        deviceId: turn % 5 === 0 ? null : `d${turn}`,
      };
      const steps = explainFlag(compiled(flag), { ...subject, player }, targeting);
      const served = steps.find((step) => step.step === 'rule' && step.outcome === 'served');
      const rule = served?.step === 'rule' ? served.index : NO_PART;
      expect(places?.({ ...subject, player })).toEqual([NO_PART, rule]);
      found.add(rule);
    }
    if (flag.enabled && flag.flagType === 'boolean') expect(found.size).toBeGreaterThan(1);
  });

  it('is not known of a definition that does not compile', () => {
    const broken = aFlag({ rules: [aRule({ conditions: { new_field: 1 } })] });
    expect(placesIn({ of: 'flag', before: null, after: JSON.stringify(broken) }, lookup)).toBeUndefined();
  });
});
