import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';

/** The address of the stores of a game in one environment: a build for tests is another app than the released one. */
export function storesAddress({ game, environment }: Scope): DocumentAddress<'stores'> {
  return { game, environment, kind: 'stores', key: 'stores' };
}
