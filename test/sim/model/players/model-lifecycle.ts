import type { ChurnRiskChanged, DomainFact } from '../../../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { SIM_LIMITS } from '../../machines/sim-limits.ts';
import type { ChurnFactor } from '../../../../core/vocabulary/state/churn-risk.ts';
import type { LifecycleStage } from '../../../../core/vocabulary/state/lifecycle-stages.ts';

/**
 * Lifecycle stages and churn risk as documented, with the model's own thresholds. The model recomputes them at every
 * step; the service skips most computations and must get the same results.
 */
export interface Lived {
  facts: DomainFact[];
  next: PlayerState;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const HIGH = 6_600;

/** The update of a player at its due time. */
export function predictTimed(state: PlayerState): Lived {
  const dueAt = state.lifecycleDueAt;
  const lived: Lived = { facts: [], next: state };
  const stage = stageInTime(state);
  if (stage !== undefined && stage.at <= dueAt) become(lived, stage.to, dueAt);
  const nowMs = Math.max(dueAt, state.lastSeenAt);
  validate(lived, nowMs);
  const times = changeTimes(lived.next, nowMs);
  schedule(lived, times.length === 0 ? 0 : Math.max(dueAt, Math.min(...times)), dueAt);
  return lived;
}

/** The consequences of a fact about a player. `state` is the player after the fact. */
export function afterFact(state: PlayerState, fact: DomainFact, at: number): Lived {
  const lived: Lived = { facts: [], next: state };
  // A session that expires or is replaced is not an action of the player, but its playtime counts.
  const isOnlyPlay = fact.kind === 'SessionClosed' && fact.reason !== 'ended';
  if (!DOINGS.has(fact.kind)) return lived;
  if (fact.kind === 'EventTracked' && fact.by === 'service' && NO_ACTIVITY.has(fact.eventName)) return lived;
  if (fact.kind === 'PurchaseRecorded' && fact.firstReportedAt !== undefined) return lived;
  const stage = isOnlyPlay ? state.lifecycleStage : stageInDoing(state);
  if (stage !== state.lifecycleStage) become(lived, stage, at);
  validate(lived, at);
  const times = changeTimes(lived.next, at);
  const nextMs = Math.max(at, Math.min(...times));
  const { lifecycleDueAt } = lived.next;
  if (times.length > 0 && (lifecycleDueAt === 0 || nextMs < lifecycleDueAt)) schedule(lived, nextMs, at);
  return lived;
}

/**
 * The stage, risk and due time of a player whose history was imported, from when it was first and last seen.
 * @param state the player with these times
 * @param isLatest whether the import holds the player's latest activity
 */
export function predictImportedLife(state: PlayerState, isLatest: boolean, at: number) {
  const { firstSeenAt, lastSeenAt, sessionCount, lifecycleStage: held } = state;
  const idleDays = (at - lastSeenAt) / DAY_MS;
  const ageDays = (at - firstSeenAt) / DAY_MS;
  const found: { stage: LifecycleStage; at: number } =
    idleDays >= 30
      ? { stage: 'churned', at: lastSeenAt + 30 * DAY_MS }
      : idleDays >= 7
        ? { stage: 'at_risk', at: lastSeenAt + 7 * DAY_MS }
        : ageDays >= 1
          ? { stage: 'active', at: firstSeenAt + DAY_MS }
          : sessionCount >= 2
            ? { stage: 'active', at }
            : { stage: 'new', at: firstSeenAt };
  const isBetterKnown = !isLatest && held !== 'new';
  const isSame = found.stage === held || (held === 'reactivated' && found.stage === 'active');
  const stage = isBetterKnown || isSame ? held : found.stage;
  const keepsTime = (isBetterKnown || isSame) && !(isLatest && found.stage === held);
  const stageChangedAt = keepsTime ? state.lifecycleChangedAt : found.at;
  const churnHigh = total(scored(state, Math.floor(at / DAY_MS))) >= HIGH;
  const times = changeTimes({ ...state, lifecycleStage: stage, lifecycleChangedAt: stageChangedAt, churnHigh }, at);
  return { stage, stageChangedAt, churnHigh, dueAt: times.length === 0 ? 0 : Math.max(at, Math.min(...times)) };
}

/** Events of the service that no player caused. */
export const NO_ACTIVITY: ReadonlySet<string> = new Set(['purchase_corrected', 'purchase_refunded']);

const DOINGS: ReadonlySet<DomainFact['kind']> = new Set([
  'EventTracked',
  'PurchaseRecorded',
  'SessionRecorded',
  'SessionOpened',
  'SessionSynced',
  'SessionClosed',
]);

function stageInDoing({ lifecycleStage, sessionCount, sessionsInStage }: PlayerState): LifecycleStage {
  if (lifecycleStage === 'churned') return 'reactivated';
  if (lifecycleStage === 'new') return sessionCount < 2 ? 'new' : 'active';
  if (lifecycleStage === 'reactivated') return sessionsInStage < 3 ? 'reactivated' : 'active';
  return 'active';
}

function stageInTime({ lifecycleStage, firstSeenAt, lastSeenAt }: PlayerState) {
  if (lifecycleStage === 'churned') return undefined;
  if (lifecycleStage === 'new') return { to: 'active', at: firstSeenAt + DAY_MS } as const;
  if (lifecycleStage === 'at_risk') return { to: 'churned', at: lastSeenAt + 30 * DAY_MS } as const;
  return { to: 'at_risk', at: lastSeenAt + 7 * DAY_MS } as const;
}

/** The time at which stage or risk change if nothing else happens. */
function changeTimes(state: PlayerState, nowMs: number): number[] {
  const today = Math.floor(nowMs / DAY_MS);
  const days = Array.from({ length: 40 }, (_, index) => today + 1 + index);
  const turn = days.find((day) => total(scored(state, day)) >= HIGH !== state.churnHigh);
  const stage = stageInTime(state);
  return [
    ...(stage === undefined ? [] : [stage.at]),
    ...(turn === undefined ? [] : [turn * DAY_MS + minutesOf(state.id)]),
  ];
}

function become(lived: Lived, to: LifecycleStage, at: number): void {
  const { id: entityId, game, environment, externalId, lifecycleStage: from, lifecycleChangedAt } = lived.next;
  const changedAt = Math.max(at, lifecycleChangedAt);
  lived.facts.push({ kind: 'LifecycleChanged', entityId, game, environment, externalId, at, changedAt, from, to });
  lived.next = { ...lived.next, lifecycleStage: to, lifecycleChangedAt: changedAt, sessionsInStage: 0 };
}

function validate(lived: Lived, at: number): void {
  const { id: entityId, game, environment, externalId, churnHigh, firstSeenAt } = lived.next;
  const today = Math.floor(at / DAY_MS);
  const parts = scored(lived.next, today);
  const score = total(parts);
  const high = score >= HIGH;
  if (high === churnHigh) return;
  const factors = Object.entries(parts)
    .map(([name, contribution]) => ({ factor: factorOf(name), description: '', contribution }))
    .sort((a, b) => b.contribution - a.contribution);
  const level = high ? 'high' : score < 3_300 ? 'low' : 'medium';
  const daysKnown = Math.min(28, Math.max(1, today - Math.floor(firstSeenAt / DAY_MS) + 1));
  const risk = { score, level, factors, confidence: Math.round((90 * daysKnown) / 28), predictedAt: at } as const;
  const base = { entityId, game, environment, externalId, at };
  lived.facts.push({ kind: 'ChurnRiskChanged', ...base, high, risk: { ...risk, factors } });
  lived.next = { ...lived.next, churnHigh: high };
}

function schedule(lived: Lived, dueAt: number, at: number): void {
  const { id: entityId, game, environment } = lived.next;
  lived.facts.push({ kind: 'LifecycleScheduled', entityId, game, environment, at, dueAt });
  lived.next = { ...lived.next, lifecycleDueAt: dueAt };
}

/** The model does not predict the texts of a risk. */
export function withoutWords(fact: DomainFact): DomainFact {
  if (fact.kind !== 'ChurnRiskChanged') return fact;
  const factors = fact.risk.factors.map((factor) => ({ ...factor, description: '' }));
  const wordless: ChurnRiskChanged = { ...fact, risk: { ...fact.risk, factors } };
  return wordless;
}

function scored({ activity, firstSeenAt, lastSeenAt }: PlayerState, today: number) {
  const weeks = Math.min(3, Math.max(1, (today - Math.floor(firstSeenAt / DAY_MS) + 1 - 7) / 7));
  const sessions = fallen(activity.sessions, activity.day, today, weeks);
  const playtime = fallen(activity.playtimeSeconds, activity.day, today, weeks);
  const idle = Math.min(1, Math.max(0, today - Math.floor(lastSeenAt / DAY_MS)) / 14);
  const left = 4_000 + (sessions === undefined ? 3_500 : 0) + (playtime === undefined ? 2_500 : 0);
  return {
    session_decline: Math.round(3_500 * (sessions ?? 0)),
    playtime_decline: Math.round(2_500 * (playtime ?? 0)),
    inactivity: Math.round(left * idle),
  };
}

/** The relative decline of an amount in the last 7 days; `undefined` if 28 days have none. */
function fallen(amounts: readonly number[], newest: number, today: number, weeks: number): number | undefined {
  const sum = (fromAge: number, toAge: number): number =>
    amounts.reduce((all, amount, back) => {
      const age = today - newest + back;
      return age >= fromAge && age <= toAge ? all + amount : all;
    }, 0);
  const recent = sum(-Infinity, 6);
  const before = sum(7, 27);
  if (recent + before === 0) return undefined;
  return before === 0 ? 0 : Math.max(0, 1 - (recent * weeks) / before);
}

const total = (parts: ReturnType<typeof scored>): number =>
  parts.session_decline + parts.playtime_decline + parts.inactivity;

function factorOf(name: string): ChurnFactor['factor'] {
  if (name === 'session_decline' || name === 'playtime_decline') return name;
  return 'inactivity';
}

/** A player's daily time, in milliseconds after midnight: FNV-1a (32 bit) of the id. */
function minutesOf(playerId: string): number {
  const hash = [...Buffer.from(playerId)].reduce((held, byte) => Math.imul(held ^ byte, 16_777_619), 2_166_136_261);
  return (hash >>> 0) % SIM_LIMITS.segmentJitterMs;
}
