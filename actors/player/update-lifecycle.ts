import { isActivity } from '../../core/vocabulary/facts/event-tracked.ts';
import { churnChangesAt, isHighRisk } from '../churn/churn-changes.ts';
import { churnRisk } from '../churn/churn-risk.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { Draft } from '../decision/decision.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { nextStage, stageAfterActivity } from './lifecycle.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';
import type { LifecycleStage } from '../../core/vocabulary/state/lifecycle-stages.ts';

/*
 * Owns the changes of a player's lifecycle stage and churn risk, by activity and by time.
 *
 * Invariant: with unchanged thresholds, the due time (`lifecycleDueAt`) is never later than the next change by time. It
 * may be earlier; the timer then changes nothing and finds the next due time. So an event of an active player costs one
 * comparison, and the due time moves about once a week.
 */

/**
 * Updates stage and churn risk of the players that the facts from `since` on concern.
 * @param nowMs the time the command was received, epoch milliseconds
 */
export function updateLifecycle(draft: Draft, since: number, thresholds: LifecycleThresholds, nowMs: number): void {
  const { facts } = draft;
  const until = facts.length;
  /** The player whose activity was handled last: most events of a batch follow others of the same player. */
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
 * Runs the timer of a player's `lifecycleDueAt`: emits the changes due then and the next due time. Evaluates the risk
 * no earlier than the player was last seen. Each call advances the due time; after an outage the caller repeats it.
 */
export function evaluateLifecycle(draft: Draft, state: PlayerState, thresholds: LifecycleThresholds): void {
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

/** Facts that are not listed are not activity of the player. */
const EFFECTS: { readonly [K in DomainFact['kind']]?: Effect } = {
  EventTracked: 'activity',
  SessionSynced: 'activity',
  PurchaseRecorded: 'activity',
  SessionOpened: 'play',
  SessionRecorded: 'play',
  SessionClosed: 'play',
  PlayerAbsorbed: 'playtime',
  GuestReleased: 'playtime',
};

/** A session that its client ends is activity; one that expires or is replaced is not, nor a server's second report. */
function effectOf(fact: DomainFact): Effect | undefined {
  if (fact.kind === 'EventTracked' && !isActivity(fact)) return undefined;
  if (fact.kind === 'PurchaseRecorded' && fact.firstReportedAt !== undefined) return undefined;
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
  // Activity without play can only lower a risk.
  if (played || current.churnHigh) current = updateChurn(draft, current, nowMs);
  const { lifecycleDueAt: dueAt, lastSeenAt } = current;
  // Possible only after the game shortened its thresholds.
  const isFar = dueAt === 0 || dueAt > lastSeenAt + thresholds.atRiskDays * DAY_MS;
  if (!changes && !played && current === state && !isFar) return;
  reviewLifecycle(draft, current, thresholds, nowMs);
}

/** Moves a due time that is too late to an earlier time; also used after the game's thresholds change. */
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
  // A gateway's clock may be behind the clock of the previous change.
  const changedAt = Math.max(at, state.lifecycleChangedAt);
  draft.emit({ kind: 'LifecycleChanged', entityId, game, environment, externalId, at, changedAt, from, to });
  return playerOf(draft, entityId);
}

/** Emits a fact if the risk becomes high or stops being high. Campaigns and webhooks react only to the former. */
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
 * The time of the next change of stage or risk, epoch milliseconds; 0: never. Not before `earliestMs`: shortened
 * thresholds may put a change in the past, and it then takes effect now.
 */
export function nextChangeAt(
  { limits }: Pick<Draft, 'limits'>,
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
