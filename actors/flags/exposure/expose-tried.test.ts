import { describe, expect, it } from 'vitest';
import type { ExposeFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { evolve } from '../../evolve.ts';
import { aPlayer } from '../../testing-players.ts';
import { exposuresOf } from '../evaluate/evaluate-flags.ts';
import { flagsServed, served, servedAnew } from '../evaluate/serve.ts';
import { aRule, aSplitFlag } from '../evaluate/testing-flag.ts';
import { aRunning, triedTargeting } from '../experiment/testing-experiment.ts';
import { exposeFlag } from './expose.ts';
import { reportedExposure } from './expose-reported.ts';

const SHOP = aSplitFlag({ a: 1, b: 1, c: 1 }, { key: 'shop', rules: [aRule({ serve: { variant: 'c' } })] });
const EXPERIMENT = aRunning([{ a: 1, b: 1 }]);
const RUNNING = triedTargeting(SHOP, EXPERIMENT);
const CONTEXT = { game: 'demo', environment: 'live', at: 2_000 } as const;

const answerTo = (player: PlayerState, targeting = RUNNING): FlagEvaluation => {
  const found = targeting.flags.get('shop')?.evaluate({ player, nowMs: 1 }, targeting);
  if (found === undefined) throw new Error('no flag');
  return found;
};

const expose = (player: PlayerState, exposure: ExposeFlag, targeting = RUNNING) => {
  const { facts } = exposeFlag(player, exposure, () => targeting, CONTEXT);
  return facts.flatMap((fact) => (fact.kind === 'FlagExposed' ? [fact] : []));
};

/** An exposure of an evaluation in the process of a server. */
const reported = (player: PlayerState, variant: string, trial?: Trial): ExposeFlag => {
  const what = { flagVersion: 1, variant, reason: 'percentage_rollout', segmentId: undefined, trial } as const;
  const made = reportedExposure(SHOP, what);
  if (made.kind === 'invalid') throw new Error(made.fault.message);
  return { kind: 'ExposeFlag', playerId: player.id, ...made.exposure };
};

const player = aPlayer();
const { trial = { experiment: '', phase: 0, variant: '' }, stratum } = answerTo(player);
const other = trial.variant === 'a' ? 'b' : 'a';

describe('an exposure of an experiment', () => {
  it('has the experiment, its phase and its stratum, and counts once beside one of the flag', () => {
    const [first] = exposuresOf(player.id, [answerTo(player)], RUNNING);
    if (first === undefined) throw new Error('nothing is exposed');
    const facts = expose(player, first);
    expect(facts).toMatchObject([{ period: 1, trial, stratum, variantKey: trial.variant, attribution: 'served' }]);
    const seen = facts.reduce((state: Parameters<typeof evolve>[0], fact) => evolve(state, fact), player);
    if (seen?.kind !== 'player') throw new Error('no player');
    expect(seen.exposures).toMatchObject([{ experiment: 'wide', period: 1, variantKey: trial.variant, drawn: true }]);
    expect(expose(seen, first)).toEqual([]);
    const ended = triedTargeting(SHOP);
    const { trial: _, ...ofFlag } = { ...first, variantKey: trial.variant };
    expect(expose(seen, ofFlag, ended)).toHaveLength(1);
  });
});

describe('an exposure that a server reports', () => {
  it('counts in the phase in which the service draws the same variant', () => {
    expect(expose(player, reported(player, trial.variant, trial))).toMatchObject([
      { period: 1, trial, stratum, attribution: 'local' },
    ]);
    const later = triedTargeting(
      SHOP,
      aRunning([
        { a: 1, b: 1 },
        { a: 1, b: 1.2 },
      ]),
    );
    const now = answerTo(player, later);
    expect(expose(player, reported(player, trial.variant, trial), later)).toMatchObject([
      now.trial?.variant === trial.variant
        ? { period: 2, trial: now.trial, stratum: now.stratum }
        : { period: 1, trial },
    ]);
  });

  it('counts in the phase of the variant that the service has assigned', () => {
    const context = { ...CONTEXT };
    const facts = served(player, servedAnew(player, [answerTo(player)], RUNNING), RUNNING, context);
    const assigned = facts.reduce(flagsServed, player);
    const later = triedTargeting(
      SHOP,
      aRunning([
        { a: 1, b: 1 },
        { [other]: 1, [trial.variant]: 0 },
      ]),
    );
    expect(expose(assigned, reported(assigned, trial.variant, { ...trial, phase: 2 }), later)).toMatchObject([
      { period: 1, trial, stratum },
    ]);
    const [moved] = expose(assigned, reported(assigned, other, { ...trial, phase: 2, variant: other }), later);
    expect(moved).toMatchObject({ trial: { phase: 2, variant: other } });
    expect(moved?.stratum).toBeUndefined();
  });

  it('never counts for another variant than the one drawn, for an experiment that has ended, or for the flag', () => {
    const isCounted = (exposure: ExposeFlag, targeting = RUNNING) =>
      expose(player, exposure, targeting).map((fact) => [fact.trial?.experiment, fact.stratum !== undefined]);
    expect(isCounted(reported(player, other, { ...trial, variant: other }))).toEqual([['wide', false]]);
    expect(isCounted(reported(player, trial.variant, trial), triedTargeting(SHOP))).toEqual([['wide', false]]);
    expect(isCounted(reported(player, trial.variant))).toEqual([[undefined, false]]);
  });

  it('names a variant of the flag', () => {
    const what = { flagVersion: 1, variant: 'a', reason: 'percentage_rollout', segmentId: undefined } as const;
    const trialOf = (variant: string) => ({ ...what, trial: { ...trial, variant } });
    expect(reportedExposure(SHOP, trialOf('x'))).toMatchObject({
      kind: 'invalid',
      fault: { path: '/experiment/variant_key' },
    });
    for (const variant of ['holdout', 'dropped', 'b'])
      expect(reportedExposure(SHOP, trialOf(variant)).kind).toBe('exposure');
  });
});
