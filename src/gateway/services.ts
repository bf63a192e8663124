import type { SqlReader } from '../api/console/sql/sql-reader.ts';
import { createQueryRunner } from '../api/analytics/query-runner.ts';
import { createDefinitionTexts } from '../api/flags/definition-texts.ts';
import { createNameWarnings } from '../api/definitions/name-warnings.ts';
import { createListLoader } from '../api/segments/lists/list-loader.ts';
import { createPasswordHashes, type PasswordHashes } from '../../core/kernel/secrets/password-hash.ts';
import type { Backend } from '../api/route/backend.ts';
import type { GatewayMerges } from './merges/merges.ts';
import { createChallenges } from '../access/challenges.ts';
import { createOpenIdProvider } from '../access/openid.ts';
import { createStreamTokens } from '../access/stream-tokens.ts';
import { createReceiptClaims } from '../receipts/receipt-claims.ts';
import { createReceiptQueue } from '../receipts/receipt-queue.ts';
import type { StoreVerifier } from '../receipts/store-verifier.ts';
import { notingFlags } from './backend/used-flags.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import type { Log } from '../../streams/log/log.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { UseTimes } from '../../streams/use-times.ts';
import type { Services } from '../api/route/request-context.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { EventSchemas } from '../event-schemas/event-schemas.ts';
import type { Config } from '../settings/config.ts';

type Ports = Pick<
  Services,
  | 'readiness'
  | 'segmentProgress'
  | 'analytics'
  | 'freshness'
  | 'writeRefusal'
  | 'segmentPreviews'
  | 'scorer'
  | 'scoringModels'
  | 'operations'
  | 'webhookOperations'
  | 'eventTracer'
  | 'targeting'
>;

export interface ServiceDeps extends Ports {
  config: Partial<Pick<Config, 'openId' | 'guardrailSeconds'>>;
  configStore: ConfigStore;
  backend: Backend;
  /** For the state that gateways share: rate counts and stream tokens. */
  log: Log;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Services['metrics'];
  /** What `/metrics` answers, except on a port of this process; default: the metrics of this process. */
  metricsText?: (() => Promise<string>) | undefined;
  /** Hashes the passwords of people; tests pass cheap ones. */
  passwords?: PasswordHashes;
  /** Asks the stores about receipts. */
  stores: StoreVerifier;
  /** Runs statements of people; default: there is no account for them. */
  sql?: Pick<SqlReader, 'run'>;
}

/** When flags and API keys were last used. */
interface Uses {
  flags: UseTimes;
  keys: UseTimes;
}

/** What the routes of one process use. */
export function createServices(
  deps: ServiceDeps,
  eventSchemas: EventSchemas,
  use: Uses,
  { merges, provenPlayer }: Pick<Services, 'provenPlayer'> & { merges: GatewayMerges },
): Services {
  const { clock, ids, metrics, config, configStore } = deps;
  return {
    backend: notingFlags(merges.backend, use.flags),
    merges,
    provenPlayer,
    flagUse: use.flags,
    keyUse: use.keys,
    config: configStore,
    unauditedWrites: configStore,
    clock,
    ids,
    metrics: deps.metricsText === undefined ? metrics : { ...metrics, text: deps.metricsText },
    readiness: deps.readiness,
    segmentProgress: deps.segmentProgress,
    analytics: deps.analytics,
    freshness: deps.freshness,
    queries: createQueryRunner({ analytics: deps.analytics, freshness: deps.freshness, clock }),
    writeRefusal: deps.writeRefusal,
    scorer: deps.scorer,
    scoringModels: deps.scoringModels,
    operations: deps.operations,
    webhookOperations: deps.webhookOperations,
    eventTracer: deps.eventTracer,
    targeting: deps.targeting,
    eventSchemas,
    streamTokens: createStreamTokens({ log: deps.log, clock, ids }),
    definitionTexts: createDefinitionTexts({ config: configStore, clock }),
    listLoader: createListLoader({ backend: merges.backend, config: configStore, clock, ids }),
    segmentPreviews: deps.segmentPreviews,
    challenges: createChallenges({ log: deps.log, clock, ids }),
    openId: config.openId && createOpenIdProvider({ settings: config.openId, clock, logger: deps.logger }),
    receipts: {
      queue: createReceiptQueue({ log: deps.log, clock, ids }),
      claims: createReceiptClaims(deps.log, clock),
      stores: deps.stores,
    },
    passwords: deps.passwords ?? createPasswordHashes(),
    sql: deps.sql ?? { run: async () => ({ kind: 'off' }) },
    nameWarnings: createNameWarnings({ knownNames: (query) => deps.analytics.knownNames(query), clock }),
  };
}
