import type { Command } from '../../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState, PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Wrong } from './check-segments.ts';
import type { View } from '../model/model.ts';
import { predictCampaigns, predictScheduled } from '../model/model-campaigns.ts';
import type { ModelDefinitions } from '../model/model-definitions.ts';
import { afterFact, predictTimed } from '../model/players/model-lifecycle.ts';
import { predictSegments, type SegmentUpdate } from '../model/model-segments.ts';
import { predictExpiry, sessionsOverAt, type Called } from '../model/players/model-sessions.ts';

/**
 * Facts that no command caused, but time, an edit of a segment, a campaign's scheduled time, or an evaluation. They
 * come first in a record; overdue timers of a command's players come before the command.
 */
export function isOwnDoing(fact: DomainFact): boolean {
  return OWN_DOING.has(fact.kind) || isExpiry(fact) || isScheduled(fact);
}

/** Whether a campaign's scheduled time caused the fact. */
export function isScheduled(fact: DomainFact): boolean {
  return 'cause' in fact && fact.cause === 'schedule';
}

function isExpiry(fact: DomainFact): boolean {
  return fact.kind === 'SessionClosed' && fact.reason === 'expired';
}

export function unexplained(fact: DomainFact, wrong: Wrong): void {
  if (fact.kind === 'FlagExposed' || fact.kind === 'FlagsServed')
    wrong('exposure', `no evaluation explains it, or it repeats an earlier one: ${show(fact)}`);
  else if (COMPUTED.has(fact.kind)) wrong('computed', `neither definitions nor events explain ${show(fact)}`);
  else if (isOwnDoing(fact)) wrong('time', `not due, and no edit explains it: ${show(fact)}`);
  else wrong('exactly-its-facts', `the model does not explain ${show(fact)}`);
}

/** Facts with which a timed update of a player's stage and risk may begin. */
const LIVES: ReadonlySet<DomainFact['kind']> = new Set(['LifecycleChanged', 'ChurnRiskChanged', 'LifecycleScheduled']);

const OWN_DOING: ReadonlySet<DomainFact['kind']> = new Set([
  ...LIVES,
  'SegmentEntered',
  'SegmentExited',
  'SegmentsScheduled',
  'FlagsServed',
  'FlagExposed',
  'PropertiesChanged',
  'PropertyFilled',
  'PropertiesDropped',
]);

const COMPUTED: ReadonlySet<DomainFact['kind']> = new Set(['PropertiesChanged', 'PropertyFilled', 'PropertiesDropped']);

export interface OwnDoing {
  facts: DomainFact[];
  update: SegmentUpdate;
  reason: 'a stage' | 'time' | 'an edit' | 'an exposure' | 'a schedule' | 'a fill' | 'an end';
}

/** Predicts what time, or the sweep after an edit, does to a player. `undefined`: neither applies. */
export function predictOwn(
  fact: DomainFact,
  state: EntityState | undefined,
  definitions: ModelDefinitions,
  nowMs: number,
): OwnDoing | undefined {
  if (state?.kind !== 'player') return undefined;
  const { segments } = definitions;
  const { segmentsDueAt, lastSeenAt } = state;
  if (LIVES.has(fact.kind) || isExpiry(fact)) {
    const ownTimerAt = dueToPlayer(state);
    if (ownTimerAt > nowMs) return undefined;
    const at = Math.max(ownTimerAt, lastSeenAt);
    const life = predictDue(state, ownTimerAt);
    return withCampaigns(life.facts, predictSegments(life.next, segments, 'all', at), definitions, 'a stage');
  }
  const isDue = segmentsDueAt !== 0 && segmentsDueAt <= nowMs;
  const dueAt = Math.max(segmentsDueAt, lastSeenAt);
  const isTime = isDue && fact.at === dueAt;
  const update = predictSegments(state, segments, 'all', isTime ? dueAt : Math.max(nowMs, lastSeenAt));
  return withCampaigns([], update, definitions, isTime ? 'time' : 'an edit');
}

/** @param before the facts that led to this evaluation */
export function withCampaigns(
  before: readonly DomainFact[],
  update: SegmentUpdate,
  definitions: Pick<ModelDefinitions, 'campaigns' | 'campaignFactsPerCommand'>,
  reason: OwnDoing['reason'],
): OwnDoing {
  const facts = [...before, ...update.facts];
  const led = predictCampaigns(facts, () => update.next, definitions, update.atMs);
  const next = led.next.get(update.next.id) ?? update.next;
  return { facts: [...facts, ...led.facts], update: { ...update, next }, reason };
}

/**
 * Explains a fact by a campaign's scheduled time.
 * @param nowMs the owner's present
 * @param isEarly whether the owner's clock may have been ahead when it compared the time
 */
export function explainScheduled(
  fact: DomainFact,
  state: EntityState | undefined,
  { campaigns }: ModelDefinitions,
  nowMs: number,
  isEarly: boolean,
): OwnDoing | undefined {
  const campaign = 'campaignId' in fact ? campaigns.find(({ id }) => id === fact.campaignId) : undefined;
  if (state?.kind !== 'player' || campaign?.trigger.kind !== 'schedule') return undefined;
  if (campaign.trigger.at > nowMs && !isEarly) return undefined;
  const led = predictScheduled(campaign, state, nowMs);
  if (led === undefined) return undefined;
  const { facts, next } = led;
  return { facts, update: { facts: [], next, evaluated: [], atMs: fact.at }, reason: 'a schedule' };
}

/** The players that a command names. */
export function playersOf(body: Command['body']): string[] {
  if (body.kind === 'TrackEvents') return body.items.map(({ playerId }) => playerId);
  if (body.kind === 'ListPlayers') return body.playerIds;
  return 'playerId' in body ? [body.playerId] : [];
}

/** A player of a command with a timer that was due before the command was received. */
export function owing({ body, receivedAt }: Command, view: View): PlayerState | undefined {
  return playersOf(body)
    .map(view)
    .filter((state) => state?.kind === 'player')
    .find((state) => dueToPlayer(state) <= receivedAt);
}

/** The time at which time alone changes a player's stage, risk or sessions; Infinity: never. */
function dueToPlayer(state: PlayerState): number {
  return Math.min(state.lifecycleDueAt === 0 ? Infinity : state.lifecycleDueAt, sessionsOverAt(state));
}

/** The consequences at that time: sessions end first, because their playtime counts for the risk. */
function predictDue(state: PlayerState, dueAt: number): Called {
  const { facts: ends, next } = predictExpiry(state, dueAt);
  const all: Called = { facts: [...ends], next };
  const take = ({ facts, next: after }: Called): void => {
    all.facts.push(...facts);
    all.next = after;
  };
  for (const end of ends) take(afterFact(all.next, end, dueAt));
  if (all.next.lifecycleDueAt === dueAt) take(predictTimed(all.next));
  return all;
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 600);
}
