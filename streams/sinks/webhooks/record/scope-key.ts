import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';

/** A game and environment as one key. */
export function scopeKey({ game, environment }: Scope): string {
  return `${environment} ${game}`;
}
