import type { Json } from '../../../core/kernel/text/json.ts';

export type JsonObject = { [key: string]: Json };

/** An event that was acknowledged to a client. */
export interface AckedEvent {
  eventId: string;
  /** The player's own counter, from 0. Clients send an event only after the one before it was acknowledged. */
  n: number;
  /** When the acknowledgement came, milliseconds since the run began. */
  ackedMs: number;
}

/** What a client recorded about one of its players. No other client writes to that player. */
export interface PlayerLog {
  externalId: string;
  /** '' until the registration is acknowledged. */
  id: string;
  /** The attributes after every acknowledged change, as the client computes them. */
  attributes: JsonObject;
  email: string | null;
  events: AckedEvent[];
}

/** Requests as the clients counted them. */
export interface Tally {
  /** Requests sent, retries included. */
  requests: number;
  retries: number;
  /** Requests with a successful answer. */
  acked: number;
  /** Answers with 503. */
  unavailable: number;
  /** Connections refused or cut. */
  cut: number;
  /** Attempts that timed out at the client and were retried. */
  timedOut: number;
}

/** The record of one client. */
export interface ClientLog {
  players: PlayerLog[];
  /** Answers that the API does not document, one message each. */
  violations: string[];
}

export const emptyTally = (): Tally => ({ requests: 0, retries: 0, acked: 0, unavailable: 0, cut: 0, timedOut: 0 });

/** JSON Merge Patch (RFC 7396), independent of the service's implementation so that the two can be compared. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
