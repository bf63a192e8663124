import { ANALYTICS_LIMITS } from './limits/analytics.ts';
import { AUDIT_LIMITS } from './limits/audit.ts';
import { CAMPAIGN_LIMITS } from './limits/campaigns.ts';
import { CLICKHOUSE_LIMITS } from './limits/clickhouse.ts';
import { CLICKHOUSE_SINK_LIMITS } from './limits/clickhouse-sink.ts';
import { COMMAND_LIMITS } from './limits/commands.ts';
import { CONSOLE_LIMITS } from './limits/console.ts';
import { COMPUTED_LIMITS } from './limits/computed.ts';
import { CONDITION_LIMITS } from './limits/conditions.ts';
import { DELIVERY_LIMITS } from './limits/deliveries.ts';
import { DELIVERY_QUEUE_LIMITS } from './limits/delivery-queue.ts';
import { EVENT_SCHEMA_LIMITS } from './limits/event-schemas.ts';
import { FRESHNESS_LIMITS } from './limits/freshness.ts';
import { GATEWAY_LIMITS } from './limits/gateway.ts';
import { IMPORT_LIMITS } from './limits/imports.ts';
import { LIST_LIMITS } from './limits/lists.ts';
import { LOCAL_LIMITS } from './limits/local.ts';
import { NAME_LIMITS } from './limits/names.ts';
import { LOG_LIMITS } from './limits/log.ts';
import { OWNER_LIMITS } from './limits/owners.ts';
import { PLAYER_LIMITS } from './limits/players.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { SCORING_LIMITS } from './limits/scoring.ts';
import { SEGMENT_LIMITS } from './limits/segment.ts';
import { STREAM_LIMITS } from './limits/stream.ts';
import { TARGETING_LIMITS } from './limits/targeting.ts';
import { WEBHOOK_LIMITS } from './limits/webhooks.ts';

/**
 * Every bound of the service. Each area in `limits/` states why its bounds have their values; the code that enforces a
 * bound states what happens at it. Sizes are in bytes and times in milliseconds unless the name says otherwise.
 *
 * Invariants
 * 1. A bound belongs to one area (test/unit/limits.test.ts).
 * 2. Areas import nothing: a bound that follows from another repeats its value and names it.
 */
export const LIMITS = {
  ...REQUEST_LIMITS,
  ...GATEWAY_LIMITS,
  ...COMMAND_LIMITS,
  ...LOG_LIMITS,
  ...OWNER_LIMITS,
  ...PLAYER_LIMITS,
  ...EVENT_SCHEMA_LIMITS,
  ...CONDITION_LIMITS,
  ...COMPUTED_LIMITS,
  ...TARGETING_LIMITS,
  ...LIST_LIMITS,
  ...NAME_LIMITS,
  ...CAMPAIGN_LIMITS,
  ...SCORING_LIMITS,
  ...CLICKHOUSE_SINK_LIMITS,
  ...ANALYTICS_LIMITS,
  ...CLICKHOUSE_LIMITS,
  ...SEGMENT_LIMITS,
  ...STREAM_LIMITS,
  ...FRESHNESS_LIMITS,
  ...WEBHOOK_LIMITS,
  ...DELIVERY_LIMITS,
  ...DELIVERY_QUEUE_LIMITS,
  ...LOCAL_LIMITS,
  ...IMPORT_LIMITS,
  ...CONSOLE_LIMITS,
  ...AUDIT_LIMITS,
} as const;

/** Bounds with any values. Components take those they enforce as an option, so that tests can pass others. */
export type Limits = {
  readonly [K in keyof typeof LIMITS]: (typeof LIMITS)[K] extends number ? number : (typeof LIMITS)[K];
};
