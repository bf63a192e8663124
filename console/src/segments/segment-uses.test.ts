import { expect, it } from 'vitest';
import { countUses } from './segment-uses.ts';

it('counts each flag and campaign that uses a segment once, also as a trigger', () => {
  const usesOf = countUses(
    [
      { targeting_rules: [{ segment_id: 'payers' }, { segment_id: 'payers' }, { segment_id: null }] },
      { targeting_rules: [{ segment_id: 'whales' }] },
      { targeting_rules: [{ segment_id: null, conditions: { $not: { $inSegment: ['whales'] } } }] },
    ],
    [
      { audience: 'payers', trigger: { segment_entered: 'payers' } },
      { audience: null, trigger: { segment_exited: 'payers' } },
      { audience: null, trigger: { event: 'level_up', conditions: { $inSegment: ['whales'] } } },
    ],
  );
  expect(['payers', 'whales', 'nobody'].map(usesOf)).toEqual([
    { flags: 1, campaigns: 2 },
    { flags: 2, campaigns: 1 },
    { flags: 0, campaigns: 0 },
  ]);
});
