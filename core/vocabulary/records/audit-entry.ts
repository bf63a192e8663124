import type { ConfigEnvironment } from '../documents/documents.ts';

/**
 * A change that a person, an API key or an operator made. It goes to AUDIT twice: as `begun` before the change is
 * stored, and with its outcome afterwards. From there it reaches the tables `audit_entries` and, with a version of a
 * definition, `definition_changes`, where the second replaces the first.
 */
export interface AuditEntry {
  /** UUIDv7: the identity of the entry. */
  id: string;
  /** Epoch milliseconds; the same in both. */
  at: number;
  /** `_`: the deployment. */
  game: string;
  /** `_`: both environments. */
  environment: ConfigEnvironment;
  actor: AuditActor;
  /** Network address that the request came from, or the host of the command line. */
  network: string;
  /** Kind of the thing: a kind of document, `player` or `quarantine`. */
  kind: string;
  /** Id or key of the thing. */
  key: string;
  /** What happened to it: `created`, `changed`, `deleted`, or a more precise word. */
  action: string;
  /** The player that the change is about; empty: none. */
  playerId: string;
  /** JSON of the thing before and after, without secrets, bounded; empty: none. */
  before: string;
  after: string;
  outcome: AuditOutcome;
  /** The reason that came with the change; empty: none. */
  reason: string;
  /** The definition that it made or deleted. */
  definition?: DefinitionVersion;
}

/** A version of a definition, for its history. */
export interface DefinitionVersion {
  /** A deletion has the number after that of the version that it deletes. */
  version: number;
  /** JSON of the whole document, without secrets and ids of players; empty: deleted, or larger than the bound. */
  document: string;
}

export interface AuditActor {
  /** `service`: the service itself, as a guardrail of an experiment. */
  kind: 'user' | 'key' | 'cli' | 'service';
  /** Id of the user or key; the account of the command line; the part of the service. */
  id: string;
  /** E-mail address of a user; otherwise empty. */
  name: string;
}

/**
 * `begun`: the outcome is not known, because the process ended in between. `stored`: the change is in effect.
 * `refused`: it was not made. `unknown`: the broker or an owner did not answer in time.
 */
export type AuditOutcome = 'begun' | 'stored' | 'refused' | 'unknown';
