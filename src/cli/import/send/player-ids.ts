import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import { playerIdOf } from '../../../api/players/player-id.ts';

/** Players whose ids are kept: their lines often follow each other, and a hash takes 2 µs. About 20 MB. */
const KEPT = 100_000;

/** The ids of players by their external ids. */
export function createPlayerIds(namespace: string, environment: Environment): (externalId: string) => string {
  const kept = new Map<string, string>();
  return (externalId) => {
    let id = kept.get(externalId);
    if (id === undefined) {
      id = playerIdOf({ namespace, environment }, externalId);
      if (kept.size >= KEPT) kept.clear();
      kept.set(externalId, id);
    }
    return id;
  };
}
