import type { QueryResult } from '../../query-result.ts';
import { type DefinitionVersionsQuery, findDefinitionVersions, type StoredVersion } from './definition-versions.ts';
import { findNewestOfName, type NewestOfNameQuery, type SampleEvent } from './newest-of-name.ts';
import { findExposures, type KnownExposure, type PlayerExposuresQuery } from './player-exposures.ts';
import { findPlayers, type FoundPlayer, type PlayerSearch } from './player-search.ts';
import { findTimeline, type TimelinePage, type TimelineQuery } from './player-timeline.ts';
import type { RunQuery } from './run-query.ts';
import { findSchemaFaults, type SchemaFault, type SchemaFaultsQuery } from './schema-faults.ts';
import { findWebhookHealth, type WebhookHealth, type WebhookHealthQuery } from './webhook-health.ts';

/** Questions about one player, a schema, a webhook or a definition. Each reads a bounded part of the rows. */
export interface Lookups {
  players(search: PlayerSearch): Promise<QueryResult<FoundPlayer[]>>;
  exposures(query: PlayerExposuresQuery): Promise<QueryResult<KnownExposure[]>>;
  timeline(query: TimelineQuery): Promise<QueryResult<TimelinePage>>;
  schemaFaults(query: SchemaFaultsQuery): Promise<QueryResult<SchemaFault[]>>;
  newestOfName(query: NewestOfNameQuery): Promise<QueryResult<SampleEvent[]>>;
  webhookHealth(query: WebhookHealthQuery): Promise<QueryResult<WebhookHealth>>;
  definitionVersions(query: DefinitionVersionsQuery): Promise<QueryResult<StoredVersion[]>>;
}

export function createLookups(runQuery: RunQuery): Lookups {
  return {
    players: (search) => findPlayers(runQuery, search),
    exposures: (query) => findExposures(runQuery, query),
    timeline: (query) => findTimeline(runQuery, query),
    schemaFaults: (query) => findSchemaFaults(runQuery, query),
    newestOfName: (query) => findNewestOfName(runQuery, query),
    webhookHealth: (query) => findWebhookHealth(runQuery, query),
    definitionVersions: (query) => findDefinitionVersions(runQuery, query),
  };
}
