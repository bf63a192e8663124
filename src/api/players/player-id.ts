import { uuidv5 } from '../../../core/kernel/ids.ts';
import type { ApiKey } from '../../access/api-key.ts';

/** The id of a player, derived from its external_id, so no index is needed. */
export function playerIdOf(key: Pick<ApiKey, 'namespace' | 'environment'>, externalId: string): string {
  return uuidv5(key.namespace, `${key.environment}:${externalId}`);
}

/** Player ids are UUIDs of version 5. */
const PLAYER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * The player ids that a name may stand for, likeliest first: the name itself if it has the form of a player id, and the
 * id of the player with this external_id. Callers may use UUIDs as external ids.
 */
export function playerIdsOf(key: Pick<ApiKey, 'namespace' | 'environment'>, name: string): string[] {
  const byExternalId = playerIdOf(key, name);
  return PLAYER_ID.test(name) ? [name.toLowerCase(), byExternalId] : [byExternalId];
}
