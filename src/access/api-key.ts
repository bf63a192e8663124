import type { Tier } from '../../core/vocabulary/documents/documents.ts';
import type { Role } from '../../core/vocabulary/documents/users.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';

export type KeyKind = 'client' | 'server';

/** An API key as routes see it. */
export interface ApiKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly game: string;
  readonly environment: Environment;
  readonly tier: Tier;
  /** Requests per minute; null means no limit. */
  readonly limitPerMinute: number | null;
  /** What it may do (key-scopes.ts). Of no use for a person, who has a role. */
  readonly scopes: ReadonlySet<string>;
  /** Whether it is a client key whose requests need a player token. */
  readonly requiresPlayerToken: boolean;
  /** The organisation that owns the game. */
  readonly tenant: string;
  /** Namespace of the game's player ids, which are UUIDv5. */
  readonly namespace: string;
  /** Present if a person sent the request from the console. The id is then the user's. */
  readonly user?: { readonly email: string; readonly role: Role; readonly session: string };
}
