import { describe, expect, it } from 'vitest';
import { aFlag, aRule, memberOf } from '../../../actors/flags/evaluate/testing-flag.ts';
import { aPlayer } from '../../../actors/testing-players.ts';
import type { FlagExposed, FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { FlagHistory } from '../model/flags/flag-history.ts';
import { createHistory } from '../history.ts';
import { createTimeline } from '../timeline.ts';
import { createWorld } from '../world.ts';
import { explainExposure, explainServed } from './check-exposures.ts';

/** Serves true to the members of two segments, by a rule for each. */
const FLAG = aFlag({
  rules: [aRule({ segmentId: 'seg_first', priority: 0 }), aRule({ segmentId: 'seg_second', priority: 1 })],
  periods: [{ period: 1, version: 1, since: 1_000 }],
});

/**
 * The explanation of an exposure of `segmentId`.
 * @param before the player's segments before a client evaluates the flag
 * @param since the segments after it
 */
function explain({ before, since, segmentId }: Explained) {
  const { state, evaluations } = evaluate({ before, since });
  return explainExposure(exposureOf(state, segmentId), state, evaluations);
}

/** The explanation of a record that the flag served the player `segmentId`'s rule. */
function explainRecord({ before, since, segmentId }: Explained) {
  const { state, evaluations } = evaluate({ before, since });
  return explainServed(servedOf(state, segmentId), state, { ...evaluations, now: new Map([[FLAG.key, FLAG]]) });
}

interface Explained {
  before: string[];
  since: string[];
  segmentId: string;
}

/** A player that was in `seg_second` first, in `before` when a client evaluates the flag, and in `since` after it. */
function evaluate({ before, since }: Pick<Explained, 'before' | 'since'>) {
  const world = createWorld(1);
  const history = createHistory(world);
  const timeline = createTimeline();
  const flags: FlagHistory = {
    flagsAt: () => new Map([[FLAG.key, FLAG]]),
    since: () => new Set([new Map([[FLAG.key, FLAG]])]),
    between: () => new Set([new Map([[FLAG.key, FLAG]])]),
  };
  const addState = (state: PlayerState, sequence: number): void => {
    timeline.addStep(new Map([[state.id, state]]), { sequence, tick: world.tick() });
    timeline.endRecord(sequence);
  };
  const playerIn = (segments: string[]): PlayerState => aPlayer({ segments: segments.map(memberOf) });
  const state = playerIn(since);

  addState(playerIn(['seg_second']), 1);
  addState(playerIn(before), 2);
  history.begin({
    gateway: 'n1',
    partition: 0,
    origin: { game: state.game, environment: state.environment, receivedAt: 0 },
    body: {
      kind: 'EvaluateFlags',
      playerId: state.id,
      flagKeys: [FLAG.key],
      context: '{}',
      exposes: true,
      by: 'server',
    },
  });
  addState(state, 3);
  return { state, evaluations: { history, flags, timeline, tick: world.tick() } };
}

function exposureOf({ id: entityId, game, environment, externalId }: PlayerState, segmentId: string): FlagExposed {
  const base = { kind: 'FlagExposed', entityId, game, environment, at: 2_000, externalId } as const;
  const flag = { flagKey: FLAG.key, flagVersion: 1, period: 1, attribution: 'served' } as const;
  return { ...base, ...flag, variantKey: null, value: 'true', reason: 'segment_match', segmentId };
}

function servedOf({ id: entityId, game, environment, externalId }: PlayerState, segmentId: string): FlagsServed {
  const what = { variantKey: null, value: 'true', reason: 'segment_match', segmentId } as const;
  const flag = { flagKey: FLAG.key, flagVersion: 1, period: 1, ...what, changes: 0, mixed: false, earlier: [] };
  const base = { kind: 'FlagsServed', entityId, game, environment, at: 2_000, externalId } as const;
  return { ...base, flags: [flag], mixed: [], forgotten: [] };
}

describe('explainExposure', () => {
  it('finds the evaluation if another segment serves the same value since', () => {
    const own = explain({ before: ['seg_first'], since: ['seg_second'], segmentId: 'seg_first' });
    expect(own?.fact).toMatchObject({ value: 'true', segmentId: 'seg_first' });
  });

  it('finds none for a segment by which the flag never served the value', () => {
    expect(explain({ before: ['seg_first'], since: ['seg_first'], segmentId: 'seg_third' })).toBeUndefined();
  });

  it('finds none for a segment that the player left before the request', () => {
    expect(explain({ before: ['seg_first'], since: ['seg_first'], segmentId: 'seg_second' })).toBeUndefined();
  });
});

describe('explainServed', () => {
  it('finds the evaluation if another segment serves the same value since', () => {
    const own = explainRecord({ before: ['seg_first'], since: ['seg_second'], segmentId: 'seg_first' });
    expect(own?.fact.flags).toMatchObject([{ value: 'true', segmentId: 'seg_first' }]);
  });

  it('finds none for a segment that the player left before the first request', () => {
    expect(explainRecord({ before: ['seg_first'], since: ['seg_first'], segmentId: 'seg_second' })).toBeUndefined();
  });
});
