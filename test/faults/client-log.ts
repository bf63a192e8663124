import type { Json } from '../../src/kernel/json.ts';

export type JsonObject = { [key: string]: Json };

/** An event whose acknowledgement a client holds. */
export interface AckedEvent {
  eventId: string;
  /** The player's own counter, from 0: the order in which the client sent, each after the one before was acknowledged. */
  n: number;
  /** When the acknowledgement came, milliseconds since the run began. */
  ackedMs: number;
}

/** What one client knows of one of its players: nobody else writes to it. */
export interface PlayerLog {
  externalId: string;
  /** '' until the registration is acknowledged. */
  id: string;
  /** The attributes after every acknowledged change, by the client's own reckoning. */
  attributes: JsonObject;
  email: string | null;
  events: AckedEvent[];
}

/** Requests as the clients counted them. */
export interface Tally {
  /** Requests sent, retries included. */
  requests: number;
  retries: number;
  /** Requests answered with what was asked for. */
  acked: number;
  /** Answers 503. */
  unavailable: number;
  /** Connections refused or cut. */
  cut: number;
  /** Given up by the client, then sent again. */
  timedOut: number;
}

/** What a client wrote down. */
export interface ClientLog {
  players: PlayerLog[];
  /** Answers that the API does not document, as sentences. */
  violations: string[];
}

export const emptyTally = (): Tally => ({ requests: 0, retries: 0, acked: 0, unavailable: 0, cut: 0, timedOut: 0 });

/** JSON Merge Patch (RFC 7396), written apart from the service's own so that the two can be compared. */
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
