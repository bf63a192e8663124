import { describe, expect, it } from 'vitest';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import { DROPPED, HELD_OUT, KEYED_STRATUM } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { aPlayer } from '../../testing-players.ts';
import type { Subject, Targeting } from '../../decision/targeting.ts';
import { explainFlag } from '../evaluate/explain-flag.ts';
import { flagsServed, served, servedAnew } from '../evaluate/serve.ts';
import { servedOf } from '../evaluate/served-of.ts';
import { aFlag, aRule, aSplitFlag, memberOf, playerIdOf } from '../evaluate/testing-flag.ts';
import { aRunning, triedTargeting } from './testing-experiment.ts';

const SHOP = aSplitFlag({ a: 1, b: 1, c: 1 }, { key: 'shop', rules: [aRule({ serve: { variant: 'c' } })] });
const HALVES = { a: 1, b: 1 };

const evaluate = (targeting: Targeting, subject: Subject) => {
  const found = targeting.flags.get('shop')?.evaluate(subject, targeting);
  if (found === undefined) throw new Error('no flag');
  return found;
};

/** Serves the player and records it. */
function serve(player: PlayerState, targeting: Targeting, some: Partial<Subject> = {}) {
  const answer = evaluate(targeting, { player, nowMs: 2_000, ...some });
  return { answer, ...record(player, targeting, [answer]) };
}

function record(player: PlayerState, targeting: Targeting, answers: ReturnType<typeof evaluate>[]) {
  const context = { game: 'demo', environment: 'live', at: 2_000 } as const;
  const facts: FlagsServed[] = served(player, servedAnew(player, answers, targeting), targeting, context);
  const next = facts.reduce(flagsServed, player);
  return { player: next, facts, kept: servedOf(next, 'shop'), mixed: facts.flatMap(({ mixed }) => mixed) };
}

const players = Array.from({ length: 400 }, (_, turn) => aPlayer({ id: playerIdOf(turn) }));
const countOf = (list: readonly unknown[], item: unknown) => list.filter((one) => one === item).length;

describe('a running experiment', () => {
  it('draws variants by its own weights before the rules of the flag', () => {
    const targeting = triedTargeting(SHOP, aRunning([{ a: 3, b: 1 }]));
    const answers = players.map((player) => evaluate(targeting, { player, nowMs: 1 }));
    const shown = answers.map(({ variantKey }) => variantKey);
    expect(countOf(shown, 'a')).toBeGreaterThan(260);
    expect(countOf(shown, 'b')).toBeGreaterThan(70);
    expect(countOf(shown, 'a') + countOf(shown, 'b')).toBe(400);
    const [first] = answers;
    expect(first).toMatchObject({ value: JSON.stringify(first?.variantKey), reason: 'percentage_rollout' });
    expect(first?.trial).toEqual({ experiment: 'wide', phase: 1, variant: first?.variantKey });
    expect(new Set(answers.map(({ stratum }) => stratum)).size).toBe(1);
    expect(first?.stratum).toBeGreaterThan(10_000);
  });

  it('serves the values of a boolean flag', () => {
    const flag = aFlag({ key: 'shop', rules: [aRule({ percentage: 10 })] });
    const targeting = triedTargeting(flag, aRunning([{ false: 1, true: 1 }]));
    const answers = players.map((player) => evaluate(targeting, { player, nowMs: 1 }));
    expect(
      countOf(
        answers.map(({ value }) => value),
        'true',
      ),
    ).toBeGreaterThan(160);
    for (const { value, variantKey, trial } of answers) expect([trial?.variant, variantKey]).toEqual([value, null]);
  });

  it('takes in its traffic, its audience and its range of a layer, and leaves others to the rules', () => {
    const shares = (some: Partial<ExperimentDocument>, player: Partial<PlayerState> = {}) => {
      const targeting = triedTargeting(SHOP, aRunning([HALVES], some));
      const answers = players.map((one) => evaluate(targeting, { player: { ...one, ...player }, nowMs: 1 }));
      const inside = answers.filter(({ trial }) => trial !== undefined);
      expect(answers.filter(({ variantKey }) => variantKey === 'c')).toHaveLength(400 - inside.length);
      return inside.length / 400;
    };
    expect(shares({ traffic: 20 })).toBeCloseTo(0.2, 1);
    expect(shares({ traffic: 0 })).toBe(0);
    const members = { audience: { segmentId: 'seg_1' } };
    expect(shares(members)).toBe(0);
    expect(shares(members, { segments: [memberOf('seg_1')] })).toBe(1);
    expect(shares({ audience: { segmentId: null, conditions: { is_payer: true } } })).toBe(0);
    expect(shares({ audience: { segmentId: null, conditions: { is_payer: true } } }, { isPayer: true })).toBe(1);
    expect(shares({ audience: { segmentId: null, conditions: { is_payer: { $no: 1 } } } })).toBe(0);
    expect(shares({ layer: { key: 'shops', from: 0, to: 30 } })).toBeCloseTo(0.3, 1);
    expect(shares({ bucketBy: 'device' })).toBe(0);
  });

  it('shares no player with another one in its layer, and draws independently of it', () => {
    const at = (from: number, to: number, some: Partial<ExperimentDocument> = {}) =>
      triedTargeting(SHOP, aRunning([HALVES], { layer: { key: 'shops', from, to }, ...some }));
    const [low, high, other] = [
      at(0, 40),
      at(40, 100, { salt: 'y' }),
      at(0, 50, { layer: { key: 'x', from: 0, to: 50 } }),
    ];
    const isIn = (targeting: Targeting, player: PlayerState) =>
      evaluate(targeting, { player, nowMs: 1 }).trial !== undefined;
    for (const player of players) expect([isIn(low, player), isIn(high, player)].filter(Boolean)).toHaveLength(1);
    const both = players.filter((player) => isIn(low, player) && isIn(other, player));
    expect(both.length / 400).toBeCloseTo(0.2, 1);
  });

  it('serves the control to all in A/A mode, and counts the drawn variant', () => {
    const targeting = triedTargeting(SHOP, aRunning([HALVES], { mode: 'aa' }));
    const answers = players.map((player) => evaluate(targeting, { player, nowMs: 1 }));
    expect(new Set(answers.map(({ variantKey }) => variantKey))).toEqual(new Set(['a']));
    expect(
      countOf(
        answers.map(({ trial }) => trial?.variant),
        'b',
      ),
    ).toBeGreaterThan(160);
    const boolean = triedTargeting(aFlag({ key: 'shop' }), aRunning([{ false: 1, true: 1 }], { mode: 'aa' }));
    const shown = players.map((player) => evaluate(boolean, { player, nowMs: 1 }));
    expect(new Set(shown.map(({ value }) => value))).toEqual(new Set(['false']));
    expect(
      countOf(
        shown.map(({ trial }) => trial?.variant),
        'true',
      ),
    ).toBeGreaterThan(160);
  });
});

describe('a player with a variant', () => {
  const start = triedTargeting(SHOP, aRunning([HALVES]));
  const [first] = players.filter((player) => evaluate(start, { player, nowMs: 1 }).trial?.variant === 'a');
  if (first === undefined) throw new Error('nobody has a');
  const { player, answer, kept } = serve(first, start);

  it('is recorded with it once', () => {
    expect(kept).toMatchObject({ period: 1, trial: { experiment: 'wide', phase: 1, variant: 'a' }, mixed: false });
    expect(kept?.stratum).toBe(answer.stratum);
    expect(serve(player, start).facts).toEqual([]);
  });

  it.each<[string, ExperimentDocument]>([
    ['a reweight that would draw the other one', aRunning([HALVES, { a: 0, b: 1 }])],
    ['less traffic', aRunning([HALVES], { traffic: 0 })],
    ['another audience', aRunning([HALVES], { audience: { segmentId: 'seg_1' } })],
    ['another range of the layer', aRunning([HALVES], { layer: { key: 'x', from: 0, to: 0 } })],
    ['a pause', aRunning([HALVES], { state: 'paused' })],
    [
      'all of them',
      aRunning([HALVES, { b: 1, a: 0 }], { state: 'paused', traffic: 0, audience: { segmentId: 'seg_1' } }),
    ],
  ])('keeps variant and phase through %s', (_, experiment) => {
    const targeting = triedTargeting(SHOP, experiment);
    const again = serve(player, targeting);
    expect(again.answer).toEqual(answer);
    expect(again.facts).toEqual([]);
    const newcomer = evaluate(targeting, { player: first, nowMs: 1 });
    expect(newcomer.trial?.variant === 'a').toBe(false);
  });

  it('keeps it through an edit of the flag, an override and a disabled flag', () => {
    const edited = { ...SHOP, version: 2, periods: [...SHOP.periods, { period: 2, version: 2, since: 5 }] };
    expect(serve(player, triedTargeting(edited, aRunning([HALVES]))).facts).toEqual([]);
    const off = serve(player, triedTargeting({ ...SHOP, enabled: false }, aRunning([HALVES])));
    expect(off.answer).toMatchObject({ reason: 'flag_disabled', value: 'null' });
    expect(off.kept).toMatchObject({ reason: 'flag_disabled', trial: answer.trial });
    const back = serve(off.player, triedTargeting(SHOP, aRunning([HALVES, { b: 1, a: 0 }])));
    expect(back.answer).toEqual(answer);
    expect([...off.mixed, ...back.mixed]).toEqual([]);
    const overridden = serve({ ...player, overrides: [{ flagKey: 'shop', value: '"b"' }] }, start);
    expect(overridden.kept).toMatchObject({ variantKey: 'b', trial: answer.trial, mixed: true });
    expect(overridden.mixed).toEqual(['shop']);
    // Also with its own variant: else an override of many players would take only those of the other one out.
    const same = serve({ ...player, overrides: [{ flagKey: 'shop', value: '"a"' }] }, start);
    expect(same.kept).toMatchObject({ variantKey: 'a', trial: answer.trial, mixed: true });
    expect(same.mixed).toEqual(['shop']);
    const free = serve({ ...overridden.player, overrides: [] }, start);
    expect(free.kept).toMatchObject({ variantKey: 'a', stratum: answer.stratum, mixed: true });
    expect(free.mixed).toEqual([]);
  });

  it('gets the rules for good once its variant is taken out', () => {
    const without = triedTargeting(SHOP, aRunning([HALVES, { b: 1, c: 1 }]));
    const dropped = serve(player, without);
    expect(dropped.answer).toMatchObject({
      variantKey: 'c',
      trial: { experiment: 'wide', phase: 1, variant: DROPPED },
    });
    expect(dropped.answer.stratum).toBeUndefined();
    expect(serve(dropped.player, start).answer).toMatchObject({ variantKey: 'c', trial: { variant: DROPPED } });
    expect(dropped.mixed).toEqual([]);
  });

  it('is of the rules when the experiment has ended, and another one assigns anew', () => {
    const ended = serve(player, triedTargeting(SHOP));
    expect(ended.answer.variantKey).toBe('c');
    expect(ended.kept?.trial).toBeUndefined();
    expect(ended.kept?.earlier).toMatchObject([{ variant: 'a', period: 1, trial: answer.trial }]);
    const next = serve(ended.player, triedTargeting(SHOP, aRunning([{ b: 1 }], { key: 'next', salt: 'n' })));
    expect(next.kept?.trial).toEqual({ experiment: 'next', phase: 1, variant: 'b' });
    expect(next.mixed).toEqual([]);
  });

  it('keeps the first of two variants that were drawn before either was stored, and is marked', () => {
    const later = triedTargeting(SHOP, aRunning([HALVES, { a: 0, b: 1 }]));
    const second = evaluate(later, { player: first, nowMs: 1 });
    expect(second.trial).toMatchObject({ phase: 2, variant: 'b' });
    const both = record(player, later, [second]);
    expect(both.kept).toMatchObject({ variantKey: 'b', period: 1, trial: answer.trial, mixed: true });
    expect(both.kept?.stratum).toBeUndefined();
    expect(both.mixed).toEqual(['shop']);
    expect(serve(both.player, later).answer).toEqual(answer);
    const same = triedTargeting(SHOP, aRunning([HALVES, { a: 1, b: 0 }]));
    expect(record(player, same, [evaluate(same, { player: first, nowMs: 1 })]).facts).toEqual([]);
    const paused = triedTargeting(SHOP, aRunning([HALVES], { state: 'paused' }));
    const left = record(player, paused, [evaluate(paused, { player: first, nowMs: 1 })]);
    expect(left.kept).toMatchObject({ variantKey: 'c', trial: answer.trial, mixed: true });
  });

  it('changes its record although it has changed as often as a period allows', () => {
    if (kept === undefined) throw new Error('nothing is recorded');
    const { trial: _, ...bare } = kept;
    const restless = { ...player, servedFlags: [{ ...bare, changes: 1_000 }] };
    expect(serve(restless, start).kept?.trial).toEqual(answer.trial);
  });
});

describe('the holdout of a game', () => {
  const holdout = { percentage: 20, salt: 'h' };
  const open = triedTargeting(SHOP, aRunning([HALVES], { traffic: 50 }), { holdout });
  const heldOut = players.filter((player) => evaluate(open, { player, nowMs: 1 }).trial?.variant === HELD_OUT);

  it('leaves its players to the rules, and counts those who would take part', () => {
    const without = triedTargeting(SHOP, aRunning([HALVES], { traffic: 50 }));
    const taking = players.filter((player) => evaluate(without, { player, nowMs: 1 }).trial !== undefined);
    expect(heldOut.length / taking.length).toBeCloseTo(0.2, 1);
    for (const player of heldOut) {
      expect(taking).toContain(player);
      const answer = evaluate(open, { player, nowMs: 1 });
      expect(answer).toMatchObject({ variantKey: 'c', trial: { experiment: 'wide', phase: 1, variant: HELD_OUT } });
      expect(answer.stratum).toBeUndefined();
    }
  });

  it('keeps them through phases and audiences until it no longer has them', () => {
    const [one] = heldOut;
    if (one === undefined) throw new Error('no player is held out');
    const { player } = serve(one, open);
    const later = triedTargeting(SHOP, aRunning([HALVES, { a: 1, b: 2 }], { audience: { segmentId: 'seg_1' } }), {
      holdout,
    });
    expect(serve(player, later).facts).toEqual([]);
    const freed = serve(player, triedTargeting(SHOP, aRunning([HALVES], { traffic: 50 })));
    expect(freed.kept?.trial?.variant).toMatch(/^[ab]$/);
    expect(freed.mixed).toEqual([]);
  });

  it('keeps them, in their phase, beside an override and a disabled flag', () => {
    const [one] = heldOut;
    if (one === undefined) throw new Error('no player is held out');
    const { player, kept: first } = serve(one, open);
    const second = aRunning([HALVES, { a: 1, b: 2 }]);
    const later = triedTargeting(SHOP, second, { holdout });
    const off = serve(player, triedTargeting({ ...SHOP, enabled: false }, second, { holdout }));
    expect(off.kept).toMatchObject({ reason: 'flag_disabled', trial: first?.trial });
    expect(serve(off.player, later).kept?.trial).toEqual(first?.trial);
    const overridden = serve({ ...player, overrides: [{ flagKey: 'shop', value: '"b"' }] }, later);
    expect(overridden.kept).toMatchObject({ variantKey: 'b', trial: first?.trial, mixed: false });
    expect(serve({ ...overridden.player, overrides: [] }, later).kept?.trial).toEqual(first?.trial);
    // An evaluation that did not know of the record yet found the player held out in the later phase.
    expect(record(player, later, [evaluate(later, { player: one, nowMs: 1 })]).facts).toEqual([]);
    const paused = triedTargeting(SHOP, aRunning([HALVES], { state: 'paused' }), {
      holdout: { percentage: 0, salt: 'h' },
    });
    expect(serve(overridden.player, paused).kept?.trial).toEqual(first?.trial);
    expect(serve({ ...overridden.player, overrides: [] }, paused).kept?.trial).toBeUndefined();
  });
});

describe('an experiment by device', () => {
  it('gives a guest and its account on one device the same variant, in one cluster', () => {
    const targeting = triedTargeting(SHOP, aRunning([HALVES], { bucketBy: 'device' }));
    for (const { id } of players.slice(0, 40)) {
      const [guest, account] = ['guest', 'account'].map((who) =>
        evaluate(targeting, { player: aPlayer({ id: `${who} ${id}`, deviceId: `device ${id}` }), nowMs: 1 }),
      );
      expect(guest?.trial).toBeDefined();
      expect(guest).toEqual(account);
      expect(guest?.stratum).toBeGreaterThan(KEYED_STRATUM);
      expect(guest?.cluster).toBeGreaterThan(1);
    }
  });

  it('records an override, a disabled flag and other rules beside the variant once', () => {
    const targeting = triedTargeting(SHOP, aRunning([HALVES], { bucketBy: 'device' }));
    const off = triedTargeting({ ...SHOP, enabled: false }, aRunning([HALVES], { bucketBy: 'device' }));
    const { player, answer } = serve(aPlayer({ id: 'one', deviceId: 'device one' }), targeting);
    expect(answer.cluster).toBeGreaterThan(0);
    const overridden = serve({ ...player, overrides: [{ flagKey: 'shop', value: '"c"' }] }, targeting);
    expect(overridden.facts).toHaveLength(1);
    expect(serve(overridden.player, targeting).facts).toEqual([]);
    const disabled = serve(player, off);
    expect(disabled.facts).toHaveLength(1);
    expect(serve(disabled.player, off).facts).toEqual([]);
    const back = serve({ ...overridden.player, overrides: [] }, targeting);
    expect(back.kept).toMatchObject({ trial: answer.trial, cluster: answer.cluster, stratum: answer.stratum });
  });

  it('keeps variant and cluster of a player who changes the device', () => {
    const targeting = triedTargeting(SHOP, aRunning([HALVES], { bucketBy: 'device' }));
    for (const { id } of players.slice(0, 40)) {
      const { player, answer } = serve(aPlayer({ id, deviceId: `device ${id}` }), targeting);
      const moved = serve({ ...player, deviceId: `other ${id}` }, targeting);
      expect(moved.answer).toEqual(answer);
      expect(moved.facts).toEqual([]);
    }
  });
});

describe('the explanation', () => {
  const explained = (player: PlayerState, targeting: Targeting) => {
    const flag = targeting.flags.get('shop');
    return flag === undefined ? [] : explainFlag(flag, { player, nowMs: 1 }, targeting);
  };

  it('says what the experiment decided, and walks on to the rules if they decide', () => {
    const targeting = triedTargeting(SHOP, aRunning([HALVES], { traffic: 50 }), {
      holdout: { percentage: 20, salt: 'h' },
    });
    const outcomes = new Set<string>();
    for (const player of players) {
      const answer = evaluate(targeting, { player, nowMs: 1 });
      const steps = explained(player, targeting);
      const own = steps.find(({ step }) => step === 'experiment');
      if (own?.step !== 'experiment') throw new Error('no step of the experiment');
      outcomes.add(own.outcome);
      const isIn = answer.trial !== undefined && answer.trial.variant !== HELD_OUT;
      expect(own.outcome === 'drawn').toBe(isIn);
      expect(own.bucket !== null && own.bucket < 50).toBe(answer.trial !== undefined);
      expect(steps.find(({ step }) => step === 'rule')).toMatchObject({ outcome: isIn ? 'not_reached' : 'served' });
      expect(steps.at(-1)).toMatchObject({
        step: 'variant',
        variantKey: answer.trial === undefined ? 'c' : isIn ? answer.trial.variant : 'c',
      });
    }
    expect(outcomes).toEqual(new Set(['drawn', 'held_out', 'outside_percentage']));
  });

  it('says that a variant is kept', () => {
    const targeting = triedTargeting(SHOP, aRunning([HALVES]));
    const [one] = players;
    if (one === undefined) throw new Error('nobody');
    const { player, answer } = serve(one, targeting);
    const steps = explained(player, triedTargeting(SHOP, aRunning([HALVES, { a: 1, b: 9 }], { state: 'paused' })));
    expect(steps.find(({ step }) => step === 'experiment')).toMatchObject({
      experiment: 'wide',
      outcome: 'kept',
      phase: 1,
    });
    expect(steps.at(-1)).toEqual({ step: 'variant', bucket: null, variantKey: answer.trial?.variant });
  });
});
