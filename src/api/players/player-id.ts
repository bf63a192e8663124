import { uuidv5 } from '../../kernel/ids.ts';
import type { ApiKey } from '../api-key.ts';

/** The id of a player: the same for every request that names the same external_id, without any index. */
export function playerIdOf(key: Pick<ApiKey, 'namespace' | 'environment'>, externalId: string): string {
  return uuidv5(key.namespace, `${key.environment}:${externalId}`);
}

/** Our own ids are of version 5. */
const PLAYER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * The ids of players a name may mean, likeliest first: a player's own id or an external_id. Callers may use UUIDs as their
 * external ids, so what looks like one of ours need not be one.
 */
export function playerIdsOf(key: Pick<ApiKey, 'namespace' | 'environment'>, name: string): string[] {
  const byExternalId = playerIdOf(key, name);
  return PLAYER_ID.test(name) ? [name.toLowerCase(), byExternalId] : [byExternalId];
}
