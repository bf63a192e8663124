import type { ConfigEnvironment } from '../documents/documents.ts';

/**
 * A change that a person, an API key or an operator made. It goes to AUDIT twice: as `begun` before the change is
 * stored, and with its outcome afterwards. From there it reaches the table `audit_entries`, where the second replaces
 * the first.
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
}

export interface AuditActor {
  kind: 'user' | 'key' | 'cli';
  /** Id of the user or key; the account of the command line. */
  id: string;
  /** E-mail address of a user; otherwise empty. */
  name: string;
}

/**
 * `begun`: the outcome is not known, because the process ended in between. `stored`: the change is in effect.
 * `refused`: it was not made. `unknown`: the broker or an owner did not answer in time.
 */
export type AuditOutcome = 'begun' | 'stored' | 'refused' | 'unknown';
