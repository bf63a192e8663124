import type { JsonText } from '../../../../core/kernel/text/json.ts';
import { NEVER_SEEN, type PlayerView } from '../../../../core/vocabulary/state/player.ts';

/** Ten-thousandths per unit of money. */
const MONEY_SCALE = 10_000;

/**
 * `data` of player.created and player.updated: the API's player (contract: Player), `player_id` as in every kind, and
 * the names of the changed fields. `attributes` is JSON text and is inserted unchanged.
 */
export function playerData(player: PlayerView, changed: readonly string[]): JsonText {
  const before = JSON.stringify({
    player_id: player.id,
    id: player.id,
    external_id: player.externalId,
    device_id: player.deviceId,
    email: player.email,
    lifecycle_stage: player.lifecycleStage,
    session_count: player.sessionCount,
    total_revenue: player.totalRevenue / MONEY_SCALE,
    is_payer: player.isPayer,
    is_test_player: player.isTestPlayer,
    first_seen_at: new Date(player.firstSeenAt).toISOString(),
    last_seen_at: player.lastSeenAt === NEVER_SEEN ? null : new Date(player.lastSeenAt).toISOString(),
  });
  return `${before.slice(0, -1)},"attributes":${player.attributes},"changed":${JSON.stringify(changed)}}`;
}
