import { isDeepStrictEqual } from 'node:util';
import type { FlagExposed, FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { mayLackRoom, SIM_LIMITS } from '../machines/sim-limits.ts';
import type { FlagHistory } from '../model/flags/flag-history.ts';
import type { ModelFlags } from '../model/flags/flag-set.ts';
import type { Attempt, History } from '../history.ts';
import { evaluated, periodIn, variantSeen } from '../model/flags/model-flags.ts';
import { isServed, predictExposure, predictServed } from '../model/flags/model-served.ts';
import type { Observer } from '../observer.ts';
import type { Timeline } from '../timeline.ts';
import type { World } from '../world.ts';
import type { PartitionLog } from './partition-log.ts';

/**
 * Explains an exposure that no caller's command caused: an earlier evaluation did. The log does not show its time and
 * revision, so any time since the first request at which the player was served exactly this will do.
 * @returns `undefined` when no evaluation explains it, or the player had seen that before
 */
export function explainExposure(
  fact: FlagExposed,
  state: PlayerState,
  { history, flags, timeline, tick }: Evaluations,
): { fact: FlagExposed; next: PlayerState } | undefined {
  const { entityId, flagKey, flagVersion, at } = fact;
  const first = history.attempts.find(
    ({ body, invokedTick }) =>
      body.kind === 'EvaluateFlags' &&
      body.exposes &&
      body.playerId === entityId &&
      body.flagKeys !== 'all' &&
      body.flagKeys.includes(flagKey) &&
      invokedTick < tick,
  );
  if (first === undefined) return undefined;
  const firstStep = stepsBy(timeline, first.invokedTick);
  const definitions = [...flags.between(0, tick)].filter((set) => set.get(flagKey)?.version === flagVersion);
  for (let step = timeline.steps.length; step >= firstStep; step--) {
    const then = timeline.at(step)(entityId);
    if (then?.kind !== 'player') return undefined;
    for (const set of definitions) {
      const flag = set.get(flagKey);
      const evaluation = flag && evaluated(then, flag, set);
      if (flag === undefined || evaluation === undefined || !isOf(fact, evaluation)) continue;
      const seen = { ...evaluation, flagVersion, period: evaluation.trial?.phase ?? periodIn(flag) };
      return predictExposure(state, seen, 'served', at);
    }
  }
  return undefined;
}

/** The number of steps whose records were stored by a tick. */
function stepsBy({ steps }: Timeline, tick: number): number {
  return steps.filter((step) => step.tick <= tick).length;
}

/** The evaluations that clients requested up to a tick. */
export interface Evaluations {
  history: History;
  flags: FlagHistory;
  timeline: Timeline;
  tick: number;
}

/**
 * Explains a `FlagsServed` fact: at some time since they were first requested, under some revision, the requested flags
 * served what the state did not contain yet.
 */
export function explainServed(
  fact: FlagsServed,
  state: PlayerState,
  { history, flags, now, timeline, tick }: Evaluations & { now: ModelFlags },
): { fact: FlagsServed; next: PlayerState } | undefined {
  /** By flag keys: the step after which they were first requested. */
  const requested = new Map<string, { keys: readonly string[] | 'all'; firstStep: number }>();
  for (const { body, invokedTick } of history.attempts) {
    if (body.kind !== 'EvaluateFlags' || body.playerId !== fact.entityId || invokedTick >= tick) continue;
    const text = String(body.flagKeys);
    if (!requested.has(text)) requested.set(text, { keys: body.flagKeys, firstStep: stepsBy(timeline, invokedTick) });
  }
  const sets = [...flags.between(0, tick)].toReversed();
  const earliest = Math.min(...[...requested.values()].map(({ firstStep }) => firstStep));
  let later: unknown;
  for (let step = timeline.steps.length; step >= earliest; step--) {
    const then = timeline.at(step)(fact.entityId);
    if (then?.kind !== 'player') return undefined;
    // At an earlier step with the same state no further flags were requested.
    if (then === later) continue;
    later = then;
    for (const set of sets) {
      for (const { keys, firstStep } of requested.values()) {
        if (step < firstStep) continue;
        const serving = (keys === 'all' ? [...set.keys()] : [...new Set(keys)])
          .toSorted()
          .flatMap((key) => set.get(key) ?? [])
          .map((flag) => ({ flag, evaluation: evaluated(then, flag, set) }))
          .filter((one) => !isServed(then, one, set));
        const own = predictServed(state, serving, now, fact.at);
        if (isDeepStrictEqual(own?.fact, fact)) return own;
      }
    }
  }
  return undefined;
}

/**
 * What an evaluation's reply contains must be in FACTS before the reply, so that no crash can make an event expose
 * anything else.
 * @param attempts attempts of the partition
 */
export function checkServed(world: World, attempts: readonly Attempt[], log: PartitionLog): void {
  for (const { body, invokedTick, outcome } of attempts) {
    if (body.kind !== 'EvaluateFlags' || outcome === undefined || outcome.reply === 'lost') continue;
    if (outcome.reply.kind !== 'flags') continue;
    const from = stepsBy(log.timeline, invokedTick);
    const steps = Array.from({ length: stepsBy(log.timeline, outcome.tick) - from + 1 }, (_, turn) => from + turn);
    for (const evaluation of outcome.reply.evaluations) {
      const isStored = steps.some((step) => {
        const state = log.timeline.at(step)(body.playerId);
        // Nothing remains of an earlier life, and the reply does not contain the period.
        return state?.kind !== 'player' || isKept(state, evaluation);
      });
      world.cover('served checked');
      if (isStored) continue;
      world.violate('served', `${body.playerId} was answered ${JSON.stringify(evaluation)}, which is not stored`);
    }
  }
}

function isKept({ servedFlags }: PlayerState, evaluation: FlagEvaluation): boolean {
  const kept = servedFlags.find(({ flagKey }) => flagKey === evaluation.flagKey);
  if (kept === undefined) return evaluation.reason === 'flag_disabled';
  if (kept.changes === SIM_LIMITS.servedChanges) return true;
  const { variantKey, value, reason, stratum, cluster, trial } = evaluation;
  if (kept.variantKey !== variantKey || kept.value !== value || kept.reason !== reason) return false;
  // The first assignment stays, of two evaluations that did not know of each other.
  if (trial !== undefined && trial.phase !== kept.trial?.phase) return trial.variant === kept.trial?.variant;
  if (trial === undefined && kept.trial !== undefined) return kept.stratum === undefined;
  return isDeepStrictEqual([kept.stratum, kept.cluster, kept.trial], [stratum, cluster, trial]);
}

/** Whether the exposure contains exactly the evaluation. Rules of two segments may serve the same value. */
function isOf(fact: FlagExposed, evaluation: FlagEvaluation): boolean {
  const { value, variantKey, reason, segmentId, stratum, cluster, trial } = evaluation;
  return (
    fact.value === value &&
    fact.variantKey === variantKey &&
    fact.reason === reason &&
    fact.segmentId === segmentId &&
    fact.stratum === stratum &&
    fact.cluster === cluster &&
    isDeepStrictEqual(fact.trial, trial)
  );
}

/**
 * After all faults are repaired, what was served must become an exposure, except at a change of owner, which may lose
 * it.
 * @param attempts attempts of the partition
 */
export function checkExposed(
  world: World,
  attempts: readonly Attempt[],
  log: PartitionLog,
  { flags, observer, calmTick }: { flags: FlagHistory; observer: Observer; calmTick: number },
): void {
  const states = log.timeline.upTo(Infinity);
  for (const { body, partition, invokedTick, invokedMs, outcome, configRevision } of attempts) {
    if (body.kind !== 'EvaluateFlags' || !body.exposes || invokedTick < calmTick) continue;
    // Without room in FACTS an owner serves flags and records nothing.
    if (mayLackRoom(world, invokedMs, Infinity)) continue;
    const state = states.get(body.playerId);
    if (outcome === undefined || outcome.reply === 'lost' || outcome.reply.kind !== 'flags') continue;
    if (state?.kind !== 'player') continue;
    const isFollowed = observer.commits.some(
      ({ record, tick }) => record.partition === partition && record.epoch === 0 && tick > invokedTick,
    );
    if (isFollowed) continue;
    for (const evaluation of outcome.reply.evaluations) {
      const { flagKey, reason } = evaluation;
      if (reason === 'flag_disabled' || reason === 'player_override') continue;
      const flag = flags.flagsAt(configRevision).get(flagKey);
      const { trial } = evaluation;
      const least = flag === undefined ? 0 : (trial?.phase ?? periodIn(flag));
      const variantKey = trial?.variant ?? variantSeen(evaluation);
      const isSeen = state.exposures.some(
        (seen) =>
          seen.flagKey === flagKey &&
          seen.variantKey === variantKey &&
          seen.experiment === trial?.experiment &&
          seen.period >= least &&
          (seen.drawn || evaluation.stratum === undefined),
      );
      world.cover('exposure checked');
      if (!isSeen)
        world.violate('exposure', `${body.playerId} was served ${flagKey} ${variantKey} without an exposure`);
    }
  }
}
