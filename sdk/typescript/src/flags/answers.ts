import type { Operations } from '../generated/operations.ts';
import { isText, listOf } from '../wire/json.ts';

/*
 * Reads the answers of the service. Every function returns undefined for an answer of another shape, or one to another
 * request: proxies and captive portals answer 200 too, and nothing may leave the queue because of them.
 */

export type SyncAnswer = Operations['POST /v1/bff/game/sync']['answer'];
export type BatchResult = Operations['POST /v1/events/events/batch']['answer']['results'][number];
export type Intervention = SyncAnswer['interventions'][number];
export type Rejection = SyncAnswer['rejected'][number];
export type Warned = NonNullable<SyncAnswer['warnings']>[number];

/** What a flag is for the player. */
export interface FlagState {
  /** Whether the flag is on for the player and its value is neither `false` nor `null`. */
  readonly enabled: boolean;
  /** Key of the served variant, if the flag has any. */
  readonly variant?: string;
  /** What the flag serves, of the flag's type. Absent if the values of all flags are too large for one answer. */
  readonly value?: unknown;
  /** Why: `default`, `segment_match`, `percentage_rollout`, `flag_disabled` or `player_override`. */
  readonly reason?: string;
  /** Of the flag's experiments: another one begins when an edit changes who gets what. */
  readonly period?: number;
}

export function readRegistration(data: unknown, externalId: string): { playerId: string } | undefined {
  const { id, external_id: answered } = Object(data);
  return isText(id) && answered === externalId ? { playerId: id } : undefined;
}

export interface Opened {
  sessionId: string;
  flags: Record<string, FlagState>;
  segments: string[];
  serverMs: number;
}

export function readInit(data: unknown, playerId: string): Opened | undefined {
  const { player, session_id: sessionId, flags, segments, server_time: time } = Object(data);
  const serverMs = isText(time) ? Date.parse(time) : Number.NaN;
  if (!isText(sessionId) || !Number.isFinite(serverMs) || Object(player).player_id !== playerId) return undefined;
  return { sessionId, flags: readFlags(flags), segments: listOf(segments).filter(isText), serverMs };
}

export interface Synced {
  accepted: number;
  rejected: Rejection[];
  warned: Warned[];
  flags: Record<string, FlagState>;
  interventions: Intervention[];
}

/** @param sent how many events the request had */
export function readSync(data: unknown, sent: number): Synced | undefined {
  const { events_accepted: accepted, updated_flags: flags, interventions } = Object(data);
  const faulty = readRejected(data, sent);
  if (faulty === undefined || !isCount(accepted, sent - faulty.rejected.length)) return undefined;
  const offered = listOf(interventions).filter(isIntervention);
  return { ...faulty, accepted, flags: readFlags(flags), interventions: offered };
}

export function readEnd(
  data: unknown,
  sessionId: string,
  sent: number,
): Pick<Synced, 'rejected' | 'warned'> | undefined {
  const { session_summary: summary } = Object(data);
  return Object(summary).session_id === sessionId ? readRejected(data, sent) : undefined;
}

function readRejected(data: unknown, sent: number): Pick<Synced, 'rejected' | 'warned'> | undefined {
  const { rejected, warnings = [] } = Object(data);
  const named = (list: unknown): list is { index: number }[] =>
    Array.isArray(list) && list.every((each) => isCount(Object(each).index, sent - 1));
  if (!named(rejected) || !named(warnings)) return undefined;
  return { rejected: rejected.filter(isRejection), warned: warnings.filter(isWarned) };
}

/** @param ids the events of the request, in order: the answer has to name each of them */
export function readBatch(data: unknown, ids: readonly string[]): BatchResult[] | undefined {
  const { results } = Object(data);
  if (!Array.isArray(results) || results.length !== ids.length) return undefined;
  const isOurs = (result: unknown): result is BatchResult => {
    const { index, event_id: id, status } = Object(result);
    if (!isText(status) || !isCount(index, ids.length - 1)) return false;
    return id === ids[index] || (id === null && status === 'rejected');
  };
  return results.every(isOurs) ? results : undefined;
}

export function readFlags(value: unknown): Record<string, FlagState> {
  // Without a prototype, so that a flag named `constructor` is a flag.
  const flags: Record<string, FlagState> = Object.create(null);
  for (const [key, flag] of Object.entries(Object(value))) {
    const { enabled, variant, value, reason, period } = Object(flag);
    if (typeof enabled !== 'boolean' || !isFrozen(value, MOST_DEPTH)) continue;
    flags[key] = Object.freeze({
      enabled,
      value,
      ...(isText(variant) && { variant }),
      ...(isText(reason) && { reason }),
      ...(Number.isFinite(period) && { period }),
    });
  }
  return flags;
}

/** Freezes a value: listeners and `flags` give it to the game. False if it is nested too deep. */
function isFrozen(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(Object.freeze(value)).every((each) => isFrozen(each, depth - 1));
}

const MOST_DEPTH = 64;

function isRejection(value: object): value is Rejection {
  return isText(Object(Object(value).error).code);
}

function isWarned(value: object): value is Warned {
  return typeof Object(value).quarantined === 'boolean';
}

function isIntervention(value: unknown): value is Intervention {
  const { intervention_id: id, content } = Object(value);
  return isText(id) && typeof content === 'object' && content !== null;
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;
}
