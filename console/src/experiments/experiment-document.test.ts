import { describe, expect, it } from 'vitest';
import type { Experiment } from '../definitions.ts';
import {
  conditionsFault,
  fixedIn,
  isOverdue,
  phaseBegunBy,
  sharesText,
  takenAway,
  variantsOf,
  writable,
} from './experiment-document.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const VARIANTS = [
  { key: 'control', weight: 50 },
  { key: 'wide', weight: 50 },
];
const RUNNING: Experiment = {
  key: 'wide_shop',
  name: 'Wide shop',
  hypothesis: '',
  flag_key: 'shop',
  mode: 'ab',
  audience: { segment_id: null },
  traffic: 20,
  variants: VARIANTS,
  bucket_by: 'player',
  salt: 'x',
  layer: null,
  primary: null,
  guardrails: [],
  plan: { alpha: 0.05, power: 0.8, mde: null, ends_at: '2026-11-27T12:00:00Z' },
  state: 'running',
  actions: ['pause', 'stop', 'ship'],
  phases: [
    { phase: 1, since: '2026-11-01T00:00:00Z', variants: VARIANTS },
    { phase: 2, since: '2026-11-02T00:00:00Z', variants: VARIANTS },
  ],
  alerts: [],
  winner: null,
  shipped: null,
  started_at: '2026-11-01T00:00:00Z',
  stopped_at: null,
  owner: 'economy',
  tags: [],
  note: '',
  managed_by: null,
  version: 3,
  created_at: '2026-11-01T00:00:00Z',
  updated_at: '2026-11-02T00:00:00Z',
};

describe('an edit of an experiment', () => {
  const edited = (variants: unknown) => ({ ...writable(RUNNING), variants });

  it('begins a phase if players would draw otherwise, and only while it is active', () => {
    const begun = (variants: unknown, held = RUNNING) => phaseBegunBy(held, edited(variants));
    const [control, wide] = VARIANTS;
    expect(begun(VARIANTS)).toBeUndefined();
    // The same shares.
    expect(begun(VARIANTS.map(({ key }) => ({ key, weight: 1 })))).toBeUndefined();
    // A variant without a weight draws nobody.
    expect(begun([...VARIANTS, { key: 'tall', weight: 0 }])).toBeUndefined();
    expect(begun([control, { ...wide, weight: 30 }])).toBe(3);
    expect(begun([control, { ...wide, weight: 30 }], { ...RUNNING, state: 'paused' })).toBe(3);
    expect(begun([control, { ...wide, weight: 30 }], { ...RUNNING, state: 'draft' })).toBeUndefined();
    // A person is still writing it.
    expect(begun('nothing')).toBe(3);
  });

  it('takes a variant from players', () => {
    expect(takenAway(RUNNING, edited(VARIANTS.slice(0, 1)))).toEqual(['wide']);
    expect(takenAway({ ...RUNNING, state: 'draft' }, edited([]))).toEqual([]);
  });

  it('keeps what the state fixes', () => {
    expect([...fixedIn('draft')]).toEqual([]);
    expect([fixedIn('running').has('/mode'), fixedIn('running').has('/traffic')]).toEqual([true, false]);
    expect([fixedIn('stopped').has('/mode'), fixedIn('stopped').has('/traffic')]).toEqual([true, true]);
  });

  it('cannot widen the audience by conditions that were begun', () => {
    const of = (conditions?: object) => conditionsFault({ audience: { segment_id: null, conditions } });
    expect([of(), of({}), of({ 'attributes.country': 'DE' }), of({ '': 1 })]).toEqual([
      undefined,
      'empty',
      undefined,
      'unfinished',
    ]);
  });
});

it('is overdue from its planned end on, while it is active', () => {
  const late = (some: Partial<Experiment>, now = NOW) => isOverdue({ ...RUNNING, ...some }, now);
  expect([late({}), late({}, NOW - 1), late({ state: 'stopped' }), late({ state: 'paused' })]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(late({ plan: { ends_at: null } })).toBe(false);
});

it('begins with the variants of the flag, those of a boolean one being its values', () => {
  expect(variantsOf({ flag_type: 'boolean', variants: [] })).toEqual([
    { key: 'false', weight: 50 },
    { key: 'true', weight: 50 },
  ]);
  const variants = [
    { key: 'a', value: 1, weight: 90 },
    { key: 'b', value: 2, weight: 10 },
  ];
  expect(sharesText(variantsOf({ flag_type: 'number', variants }))).toBe('a 90\u00A0%, b 10\u00A0%');
  const unweighted = variants.map((each) => ({ ...each, weight: 0 }));
  expect(variantsOf({ flag_type: 'number', variants: unweighted }).map(({ weight }) => weight)).toEqual([50, 50]);
});
