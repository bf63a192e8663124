import type { Dashboard } from './dashboard.ts';
import { CLICKHOUSE_SERVER } from './clickhouse-server.ts';
import { GAME_KPIS } from './game-kpis.ts';
import { NATS } from './nats.ts';
import { OVERVIEW } from './overview.ts';
import { PARTITIONS } from './partitions.ts';
import { SCORING } from './scoring.ts';
import { SINKS } from './sinks.ts';
import { STREAMS } from './streams.ts';
import { WEBHOOKS } from './webhooks.ts';

/** Every dashboard, in the order in which an operator looks at them. */
export const DASHBOARDS: readonly Dashboard[] = [
  OVERVIEW,
  PARTITIONS,
  SINKS,
  WEBHOOKS,
  STREAMS,
  SCORING,
  NATS,
  CLICKHOUSE_SERVER,
  GAME_KPIS,
];
