import { churnChangesAt, isHighRisk } from '../churn/churn-changes.ts';
import { churnRisk } from '../churn/churn-risk.ts';
import { DAY_MS } from '../../src/kernel/days.ts';
import type { Draft } from '../decision.ts';
import type { DomainFact } from '../vocabulary/facts.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { nextStage, stageAfterActivity } from './lifecycle.ts';
import type { LifecycleThresholds } from '../vocabulary/documents.ts';
import type { LifecycleStage } from '../vocabulary/player.ts';

/**
 * What becomes of a player's stage and churn risk.
 *
 * Both also change with time alone, and activity puts that off. So the state holds when to look next (`lifecycleDueAt`), which
 * may lie before the next change but never after it: when it comes and nothing is due, the next is found then. An event of
 * an active player leaves it where it is, which costs a comparison; it moves about once a week.
 */

/**
 * Emits what the facts from `since` on mean for the stage and churn risk of the players they are about.
 * @param nowMs when their command was received, epoch milliseconds
 */
export function updateLifecycle(draft: Draft, since: number, thresholds: LifecycleThresholds, nowMs: number): void {
  const { facts } = draft;
  const until = facts.length;
  /** The player of the fact before, once its activity has been settled: most events of a batch come in rows. */
  let active: string | undefined;
  for (let place = since; place < until; place++) {
    const fact = facts[place];
    if (fact === undefined) return;
    const effect = effectOf(fact);
    if (effect === undefined || (effect === 'activity' && fact.entityId === active)) continue;
    active = effect === 'playtime' ? undefined : fact.entityId;
    const state = draft.get(fact.entityId);
    if (state?.kind === 'player') updatePlayer(draft, state, effect, thresholds, nowMs);
  }
}

/**
 * Emits what is due at a player's `lifecycleDueAt`, and when to look next. Nothing is judged as of a time before the player
 * was last seen. Each call brings the due time forward, so a caller that was away for long calls it again and again.
 */
export function lookAtLifecycle(draft: Draft, state: PlayerState, thresholds: LifecycleThresholds): void {
  const dueAt = state.lifecycleDueAt;
  const nowMs = Math.max(dueAt, state.lastSeenAt);
  const next = nextStage(state, thresholds);
  let current = state;
  if (next !== undefined && next.at <= dueAt) current = changeStage(draft, current, next.to, dueAt);
  current = updateChurn(draft, current, nowMs);
  schedule(draft, current, nextChangeAt(draft, current, thresholds, nowMs, dueAt), dueAt);
}

/** `activity` moves `lastSeenAt`, `playtime` changes the daily buckets, `play` both. */
type Effect = 'activity' | 'play' | 'playtime';

/** What is not named here is nothing that a player did. */
const EFFECTS: { readonly [K in DomainFact['kind']]?: Effect } = {
  EventTracked: 'activity',
  SessionSynced: 'activity',
  PurchaseRecorded: 'activity',
  SessionOpened: 'play',
  SessionRecorded: 'play',
  SessionClosed: 'play',
};

/** Only the player ends a session; that it expires, or makes room for another, is nobody's doing. */
function effectOf(fact: DomainFact): Effect | undefined {
  return fact.kind === 'SessionClosed' && fact.reason !== 'ended' ? 'playtime' : EFFECTS[fact.kind];
}

function updatePlayer(
  draft: Draft,
  state: PlayerState,
  effect: Effect,
  thresholds: LifecycleThresholds,
  nowMs: number,
): void {
  const stage = effect === 'playtime' ? state.lifecycleStage : stageAfterActivity(state, thresholds);
  const changes = stage !== state.lifecycleStage;
  let current = changes ? changeStage(draft, state, stage, nowMs) : state;
  const played = effect !== 'activity';
  // Activity alone only lowers a risk.
  if (played || current.churnHigh) current = updateChurn(draft, current, nowMs);
  const { lifecycleDueAt: dueAt, lastSeenAt } = current;
  // It lies beyond that only where the game shortened its thresholds.
  const isFar = dueAt === 0 || dueAt > lastSeenAt + thresholds.atRiskDays * DAY_MS;
  if (!changes && !played && current === state && !isFar) return;
  reviewLifecycle(draft, current, thresholds, nowMs);
}

/**
 * Brings the next look at a player forward, where it would come too late; also after a change of its game's thresholds, which
 * change nothing by themselves.
 */
export function reviewLifecycle(
  draft: Draft,
  state: PlayerState,
  thresholds: LifecycleThresholds,
  nowMs: number,
): void {
  const { lifecycleDueAt: dueAt } = state;
  const next = nextChangeAt(draft, state, thresholds, nowMs, nowMs);
  if (next !== 0 && (dueAt === 0 || next < dueAt)) schedule(draft, state, next, nowMs);
}

function changeStage(draft: Draft, state: PlayerState, to: LifecycleStage, at: number): PlayerState {
  const { id: entityId, game, environment, externalId, lifecycleStage: from } = state;
  // A gateway's clock may be behind the one by which the stage changed before.
  const changedAt = Math.max(at, state.lifecycleChangedAt);
  draft.emit({ kind: 'LifecycleChanged', entityId, game, environment, externalId, at, changedAt, from, to });
  return playerOf(draft, entityId);
}

/** Entering high is told to the world, leaving it only ends it. */
function updateChurn(draft: Draft, state: PlayerState, at: number): PlayerState {
  const high = isHighRisk(state, at);
  if (high === state.churnHigh) return state;
  const { id: entityId, game, environment, externalId } = state;
  draft.emit({
    kind: 'ChurnRiskChanged',
    entityId,
    game,
    environment,
    externalId,
    at,
    high,
    risk: churnRisk(state, at),
  });
  return playerOf(draft, entityId);
}

/**
 * When stage or risk change next, epoch milliseconds; 0: never. Not before `earliestMs`: where a game shortened its
 * thresholds a change may be owed already, and it is owed from now on, not from a time before the game wanted it.
 */
function nextChangeAt(
  { limits }: Draft,
  state: PlayerState,
  thresholds: LifecycleThresholds,
  nowMs: number,
  earliestMs: number,
): number {
  const stageAt = nextStage(state, thresholds)?.at ?? Infinity;
  const at = Math.min(stageAt, churnChangesAt(state, nowMs, limits) ?? Infinity);
  return at === Infinity ? 0 : Math.max(at, earliestMs);
}

function schedule(draft: Draft, { id: entityId, game, environment }: PlayerState, dueAt: number, at: number): void {
  draft.emit({ kind: 'LifecycleScheduled', entityId, game, environment, at, dueAt });
}

function playerOf(draft: Draft, entityId: string): PlayerState {
  const state = draft.get(entityId);
  if (state?.kind !== 'player') throw new Error(`player ${entityId} is gone from its own draft`);
  return state;
}
