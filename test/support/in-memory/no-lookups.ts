import type { Lookups } from '../../../clickhouse-schema/queries/lookups/lookups.ts';

/** Lookups while ClickHouse does not answer. */
export function noLookups(): Lookups {
  const unavailable = async () => ({ kind: 'unavailable' }) as const;
  return {
    players: unavailable,
    exposures: unavailable,
    timeline: unavailable,
    schemaFaults: unavailable,
    newestOfName: unavailable,
    webhookHealth: unavailable,
    definitionVersions: unavailable,
  };
}
