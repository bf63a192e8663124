import type { TargetingKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { Scope } from '../../../streams/config/key-scopes.ts';
import { type Role, ROLES } from '../../../core/vocabulary/documents/users.ts';

/*
 * What every route with a key declares about its callers: which people and keys may call it, what the audit holds of
 * it, and whether it waits for a second person. A route without one of them does not compile.
 *
 * `viewer` sees definitions, players and figures. `analyst` also asks ClickHouse for what costs time, and takes data
 * out. `editor` changes what players get. `admin` manages keys and people, erases players, and reads the audit.
 */

/** The decoded parts of a request, before validation. */
export interface RawInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Access {
  /** The lowest role that may call it from the console; `none`: no person may, it is for games and their servers. */
  role: Role | 'none';
  /** The scope that a key needs; `none`: no key may call it, it is for people. */
  scope: Scope | 'none';
  /**
   * `none`: requests of games, which are facts themselves, and reads of what holds no player. `writes`: every write of
   * a document has an entry, with the document before and after.
   */
  audit: 'none' | 'writes' | AuditedAction;
  /** Whether it waits in games that want a second person for live changes. Keys never wait. */
  approval: 'none' | Approval;
}

/** A change that may wait. Everything that decides what a flag or campaign serves has one. */
export interface Approval {
  /** Names the route in stored proposals, so it never changes. */
  id: string;
  /** What it changes. */
  of: TargetingKind;
  /** The definition's schedule holds the proof that it was made. Absent: the definition does. */
  in?: 'schedule';
  /** It waits only if the experiment runs or is paused: otherwise it changes nothing for players. */
  onceActive?: true;
}

/** What people and keys do to single players, lists and deliveries, with an entry for each request. */
export interface AuditedAction {
  kind: 'player' | 'flag' | 'campaign' | 'segment' | 'webhook' | 'quarantine';
  action: string;
  /** The parameter with the key of the thing. */
  key?: string;
  /** Whether it only reads. Servers do that all the time, and screens read again: people have one entry in minutes. */
  reads?: true;
  /** The parameter with the player's id. */
  player?: string;
  /** The thing, if the body names it. */
  named?: (body: unknown) => Partial<{ kind: string; key: string }>;
  /** Servers do it all the time, so only people's requests are audited. */
  peopleOnly?: true;
  /** What the entry shows of the request. It must hold nothing of a player that an erasure would have to delete. */
  shows?: (input: RawInput) => Record<string, unknown>;
}

/** Whether a role may do what needs at least another one. */
export function mayAct(role: Role, least: Role | 'none'): boolean {
  return least !== 'none' && ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The thing that a request acts on, by its parameters or its body. */
export function thingOf(
  { kind, key, player, named }: AuditedAction,
  { params = {}, body }: RawInput,
): { kind: string; key: string; playerId: string } {
  const playerId = player === undefined ? '' : (params[player] ?? '').toLowerCase();
  const thing = { kind, key: key === undefined ? playerId : (params[key] ?? ''), playerId };
  return named === undefined ? thing : { ...thing, ...named(body) };
}
