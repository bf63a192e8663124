import type { Tier } from '../../actors/vocabulary/documents.ts';
import type { Environment } from '../../actors/vocabulary/scope.ts';

export type KeyKind = 'client' | 'server';

/** An API key as its requests see it. */
export interface ApiKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly game: string;
  readonly environment: Environment;
  readonly tier: Tier;
  /** Requests per minute; null is unmetered. */
  readonly limitPerMinute: number | null;
  readonly scopes: ReadonlySet<string>;
  /** Whether it is a client key that acts with a player token only. */
  readonly requiresPlayerToken: boolean;
  /** The organisation that owns the game. */
  readonly tenant: string;
  /** The game's namespace: player ids are UUIDv5 over it. */
  readonly namespace: string;
}
