import { describe, expect, it } from 'vitest';
import { type Change, firstSteps, heldRollout, mergePatchOf, readAgainMs, rolloutOf, withStep } from './planned.ts';

const STEPS = firstSteps(5);
const of = (change: Partial<Parameters<typeof rolloutOf>[0]>, now = 5) =>
  rolloutOf({ rule: 2, begins: '', steps: STEPS, ...change }, now);
const changed = (place: number, change: object) =>
  STEPS.map((step, at) => (at === place ? { ...step, ...change } : step));

describe('a roll-out', () => {
  it('has the usual steps above the percentage of the rule, a day apart', () => {
    expect(firstSteps(0).map(({ percentage }) => percentage)).toEqual([5, 20, 50, 100]);
    expect(firstSteps(20).map(({ percentage }) => percentage)).toEqual([50, 100]);
    expect(of({})).toEqual({
      rollout: {
        rule: 2,
        steps: [{ percentage: 20 }, { percentage: 50, after: '1d' }, { percentage: 100, after: '1d' }],
      },
    });
  });

  it('begins at a time, which the first step has alone', () => {
    const begins = '2027-01-01T10:00:00.000Z';
    expect(of({ begins, steps: changed(1, { amount: 90, unit: 'm' }) })?.rollout?.steps.slice(0, 2)).toEqual([
      { percentage: 20, at: begins },
      { percentage: 50, after: '90m' },
    ]);
  });

  it.each<[string, Partial<Parameters<typeof rolloutOf>[0]>]>([
    ['no step', { steps: [] }],
    ['a time that is none yet', { begins: '2027-01-01' }],
    ['a percentage that is not given', { steps: changed(1, { percentage: undefined }) }],
    ['a percentage that is no number', { steps: changed(1, { percentage: NaN }) }],
    ['a percentage as before', { steps: changed(1, { percentage: 20 }) }],
    ['a lower percentage than now', { steps: changed(0, { percentage: 5 }) }],
    ['more than 100 %', { steps: changed(2, { percentage: 100.01 }) }],
    ['no time between steps', { steps: changed(1, { amount: undefined }) }],
    ['half a day between steps', { steps: changed(1, { amount: 0.5 }) }],
    ['a time of six digits', { steps: changed(1, { amount: 100_000 }) }],
  ])('is no plan with %s', (_, change) => {
    expect(of(change)).toBeUndefined();
  });

  it('takes any time of the first step, which is not sent', () => {
    expect(of({ steps: changed(0, { amount: undefined }) })).toEqual(of({}));
  });

  it('gets further steps', () => {
    expect(withStep(STEPS.slice(0, 2)).at(-1)).toEqual({ id: 2, percentage: 75, amount: 1, unit: 'd' });
    expect(withStep(STEPS).at(-1)).toMatchObject({ percentage: undefined });
    expect(withStep([])).toEqual([{ id: 0, percentage: 50, amount: 1, unit: 'd' }]);
  });
});

const CHANGE: Change = {
  id: '1',
  plan_id: 'p',
  at: '2026-12-01T10:00:00.000Z',
  state: 'held',
  patch: null,
  step: { rule: 'Payers', percentage: 20 },
  difference: [],
  reason: null,
  made_by: { kind: 'user', id: 'u', email: null },
  ended_at: '2026-12-01T09:00:00.000Z',
  version: null,
  why: null,
};

describe('a roll-out that was held', () => {
  const [made, first, second]: Change[] = [
    { ...CHANGE, id: '0', state: 'made', at: '2026-11-30T10:00:00.000Z', ended_at: '2026-11-30T10:00:01.000Z' },
    CHANGE,
    { ...CHANGE, id: '2', at: '2026-12-01T11:30:00.000Z', step: { rule: 'Payers', percentage: 50 } },
  ];
  const third = { ...CHANGE, id: '3', at: '2026-12-04T11:30:00.000Z', step: { rule: 'Payers', percentage: 100 } };

  it('goes on with the steps that were not made, as far apart as they were', () => {
    expect(heldRollout([made!, first!, second!, third])).toEqual({
      rule: 'Payers',
      steps: [
        { id: 0, percentage: 20, amount: 1, unit: 'm' },
        { id: 1, percentage: 50, amount: 90, unit: 'm' },
        { id: 2, percentage: 100, amount: 3, unit: 'd' },
      ],
    });
  });

  it.each<[string, Change[]]>([
    ['nothing was planned', []],
    ['steps wait', [CHANGE, { ...CHANGE, id: '2', plan_id: 'q', state: 'pending', ended_at: null }]],
    [
      'a later one was made',
      [CHANGE, { ...CHANGE, plan_id: 'q', state: 'made', ended_at: '2026-12-02T10:00:00.000Z' }],
    ],
    ['it was a change of fields', [{ ...CHANGE, step: null, state: 'cancelled' }]],
  ])('is none if %s', (_, changes) => {
    expect(heldRollout(changes)).toBeUndefined();
  });

  it('stays beside changes of fields', () => {
    expect(heldRollout([CHANGE, { ...CHANGE, id: '9', plan_id: 'q', step: null, state: 'pending' }])).toBeDefined();
  });
});

describe('the merge patch of a draft', () => {
  it.each<[string, Parameters<typeof mergePatchOf>, ReturnType<typeof mergePatchOf>]>([
    ['nothing', [{ a: 1, b: null }, { a: 1 }], {}],
    [
      'a field',
      [
        { name: 'A', on: true },
        { name: 'B', on: true },
      ],
      { name: 'B' },
    ],
    ['a default', [{ ends_at: 'x' }, { ends_at: null }], { ends_at: null }],
    ['a list as a whole', [{ r: [{ p: 1, s: null }] }, { r: [{ p: 2, s: null }] }], { r: [{ p: 2, s: null }] }],
    [
      'an object by its fields',
      [{ c: { a: 1, b: 2 } }, { c: { b: 3, d: { e: 1 } } }],
      { c: { a: null, b: 3, d: { e: 1 } } },
    ],
    ['an emptied object', [{ c: { a: { $gte: 1 } } }, { c: {} }], { c: { a: null } }],
    ['an object in the place of a value', [{ c: { a: 5 } }, { c: { a: { $gte: 5 } } }], { c: { a: { $gte: 5 } } }],
    ['a null that stays', [{ c: { a: null, b: 1 } }, { c: { a: null, b: 2 } }], { c: { b: 2 } }],
    ['a new null within an object', [{ c: { b: 1 } }, { c: { a: null, b: 1 } }], undefined],
    ['an object with a null', [{ c: null }, { c: { a: { b: null } } }], undefined],
  ])('has %s', (_, documents, patch) => {
    expect(mergePatchOf(...documents)).toEqual(patch);
  });
});

it('is read again soon after the next change is due', () => {
  const nowMs = Date.parse(CHANGE.at) - 5_000;
  expect(readAgainMs([], nowMs)).toBe(15_000);
  expect(readAgainMs([CHANGE, { ...CHANGE, state: 'pending' }], nowMs)).toBe(6_000);
  expect(readAgainMs([{ ...CHANGE, state: 'pending' }], nowMs + 60_000)).toBe(1_000);
  expect(readAgainMs([{ ...CHANGE, state: 'pending' }], 0)).toBe(15_000);
});
