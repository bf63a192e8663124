import type { FlagExposed } from '../../actors/facts.ts';
import type { PlayerState } from '../../actors/state.ts';
import type { PartitionLog } from './check-log.ts';
import type { FlagHistory } from './flag-history.ts';
import type { Attempt, History } from './history.ts';
import { evaluated, predictExposure, variantSeen } from './model-flags.ts';
import type { Observer } from './observer.ts';
import type { Timeline } from './timeline.ts';
import type { World } from './world.ts';

/**
 * What an exposure makes of a player that no command of a caller led to: an evaluation did, asked before it was stored. Of
 * which moment and revision it was doesn't show, so any will do at which the player was served just this.
 * @returns `undefined` when no evaluation explains it, or the player had seen that before
 */
export function explainExposure(
  fact: FlagExposed,
  state: PlayerState,
  { history, flags, timeline, tick }: { history: History; flags: FlagHistory; timeline: Timeline; tick: number },
): { fact: FlagExposed; next: PlayerState } | undefined {
  const { entityId, flagKey, flagVersion, at } = fact;
  const isAsked = history.attempts.some(
    ({ body, invokedTick }) =>
      body.kind === 'EvaluateFlags' &&
      body.exposes &&
      body.playerId === entityId &&
      body.flagKeys !== 'all' &&
      body.flagKeys.includes(flagKey) &&
      invokedTick < tick,
  );
  if (!isAsked) return undefined;
  const definitions = [...flags.between(0, tick)].filter((set) => set.get(flagKey)?.version === flagVersion);
  for (let step = timeline.steps.length; step >= 0; step--) {
    const then = timeline.at(step)(entityId);
    if (then?.kind !== 'player') return undefined;
    for (const set of definitions) {
      const flag = set.get(flagKey);
      const evaluation = flag && evaluated(then, flag, set);
      if (evaluation === undefined || !isOf(fact, evaluation)) continue;
      return predictExposure(state, evaluation, flagVersion, at);
    }
  }
  return undefined;
}

function isOf(fact: FlagExposed, { value, variantKey, reason }: ReturnType<typeof evaluated>): boolean {
  return fact.value === value && fact.variantKey === variantKey && fact.reason === reason;
}

/**
 * What was served once all was calm became an exposure, unless its owner was followed by another, with whom it may be lost.
 * @param asked attempts of the partition
 */
export function checkExposed(
  world: World,
  asked: readonly Attempt[],
  log: PartitionLog,
  { flags, observer, calmTick }: { flags: FlagHistory; observer: Observer; calmTick: number },
): void {
  const states = log.timeline.upTo(Infinity);
  for (const { body, partition, invokedTick, outcome, configRevision } of asked) {
    if (body.kind !== 'EvaluateFlags' || !body.exposes || invokedTick < calmTick) continue;
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
      const least = flags.flagsAt(configRevision).get(flagKey)?.version ?? 0;
      const variantKey = variantSeen(evaluation);
      const isSeen = state.exposures.some(
        (seen) => seen.flagKey === flagKey && seen.variantKey === variantKey && seen.flagVersion >= least,
      );
      world.cover('exposure looked for');
      if (!isSeen) world.violate('exposure', `${body.playerId} was served ${flagKey} ${variantKey}, and it counts not`);
    }
  }
}
