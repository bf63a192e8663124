import type { ServerDeps } from '../../../src/gateway/server.ts';
import { noLookups } from './no-lookups.ts';

const down = async () => ({ kind: 'unavailable' }) as const;

/** A ClickHouse that is down. */
export const NO_ANALYTICS: ServerDeps['analytics'] = {
  segmentPlayers: down,
  flagOverrides: down,
  experiment: down,
  experimentReadout: down,
  experimentBaseline: down,
  experimentArrivals: down,
  holdout: down,
  erasure: down,
  playerRows: down,
  events: down,
  quarantined: down,
  webhookDeliveries: down,
  deliveredFact: down,
  eventDictionary: down,
  auditEntries: down,
  flagUsage: down,
  exposureDays: down,
  drawnPlayers: down,
  knownNames: down,
  campaignReport: down,
  scoringReport: down,
  webhookAttempts: down,
  version: down,
  ask: down,
  lookups: noLookups(),
};
