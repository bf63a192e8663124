import { describe, expect, it } from 'vitest';
import { NO_PART, type PreviewedChange } from '../../../core/vocabulary/commands/preview.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { explainFlag } from '../../flags/evaluate/explain-flag.ts';
import { aFlag, aRule, compiled, memberOf, players, targetingOf } from '../../flags/evaluate/testing-flag.ts';
import { placesIn } from './parts-of-players.ts';

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
