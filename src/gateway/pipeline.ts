import type { Tier } from '../../core/vocabulary/documents/documents.ts';
import type { LiveFeed } from '../../streams/live-feed.ts';
import type { Config } from '../settings/config.ts';
import { SETTINGS_LIMITS } from '../settings/limits.ts';
import type { ChangesMetrics } from './sse/metrics.ts';
import { createAuditTrail } from '../../streams/audit/audit-trail.ts';
import { createEventSchemas } from '../event-schemas/event-schemas.ts';
import { within } from '../../core/kernel/clock.ts';
import { FLAG_API_LIMITS } from '../api/flags/limits.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { STREAM_API_LIMITS } from '../api/stream/limits.ts';
import { leaseHolder } from '../../streams/leases/lease-holder.ts';
import { startGuardrailWatch } from './access/guardrail-watch.ts';
import type { ReceiptMetrics } from '../receipts/metrics.ts';
import { startReceiptWorker } from '../receipts/receipt-worker.ts';
import { startScheduledChanges } from './access/scheduled-changes.ts';
import { createAuditedRequests } from './access/audited-request.ts';
import { createCallerAddresses } from '../../core/kernel/caller-address.ts';
import { createConsoleSessions } from './access/console/console-session.ts';
import { endLostSessions } from './access/console/end-lost-sessions.ts';
import { createKeyRing } from './access/keys/key-ring.ts';
import { createPlayerTokens } from './access/keys/player-tokens.ts';
import { createRateLimiter } from './access/limits/rate-limiter.ts';
import { createBodyReader } from './http/read/request-body.ts';
import type { PipelineDeps } from './steps/call.ts';
import { USE_LIMITS } from '../../streams/limits.ts';
import { createUseTimes } from '../../streams/use-times.ts';
import { CONFIG_LIMITS } from '../../streams/config/limits.ts';
import { createFlagChanges } from './sse/flag-changes.ts';
import { createStreamRegistry, type StreamRegistry } from './sse/stream-registry.ts';
import { createGatewayMerges } from './merges/merges.ts';
import { startMergeKeeper } from './merges/merge-keeper.ts';
import { createServices, type ServiceDeps } from './services.ts';

export interface PipelineOptions extends ServiceDeps {
  config: ServiceDeps['config'] & Pick<Config, 'trustedProxies'>;
  feed: LiveFeed;
  metrics: ServiceDeps['metrics'] & ChangesMetrics & ReceiptMetrics;
  /** The name of this process in its leases; default: one of its own. */
  holder?: string;
  /** Interval of heartbeats on streams of changed flags. */
  heartbeatMs?: number;
  /** Maximum of open streams of changed flags of one key, by its tier. */
  changesReadersOfKey?: Readonly<Record<Tier, number>>;
}

/** What all requests of one process share. */
export interface Pipeline {
  readonly steps: PipelineDeps;
  /** From now on: makes scheduled changes, watches guardrails, verifies receipts and goes on with merges. */
  startKeepers(): void;
  /** Ends the streams of events and of changed flags. */
  endStreams(): void;
  /** Stops the rest, once no request is open. */
  close(): Promise<void>;
}

export function createPipeline(deps: PipelineOptions): Pipeline {
  const { clock, ids, config, configStore, logger } = deps;
  const eventSchemas = createEventSchemas(configStore, logger, clock);
  const flagUse = createUseTimes({
    subject: 'flags',
    log: deps.log,
    isThere: (scope, key) => configStore.get({ ...scope, kind: 'flag', key }) !== undefined,
    everyMs: FLAG_API_LIMITS.flagUseStoreMs,
    most: FLAG_API_LIMITS.flagKeysPerEnvironment,
    clock,
    logger,
  });
  const keyUse = createUseTimes({
    subject: 'keys',
    log: deps.log,
    isThere: (_, id) => keyRing.knows(id),
    everyMs: USE_LIMITS.keysEveryMs,
    most: CONFIG_LIMITS.keysKept,
    clock,
    logger,
  });
  const keyRing = createKeyRing(configStore, clock, keyUse);
  const consoleSessions = createConsoleSessions(configStore, clock);
  const playerTokens = createPlayerTokens(configStore, clock);
  const trail = createAuditTrail({ log: deps.log, clock, ids, logger, node: 'gateway' });
  const streams = openStreams(deps);
  keyRing.onChange(() => {
    const good = keyRing.ids();
    for (const one of streams.endable) one.endWhere((key) => key.user === undefined && !good.has(key.id));
  });
  const stopWatchingSessions = endLostSessions({
    config: configStore,
    sessions: consoleSessions,
    registries: streams.endable,
    clock,
  });
  const merges = createGatewayMerges({ owners: deps.backend, log: deps.log, clock, ids, logger });
  const services = createServices(
    deps,
    eventSchemas,
    { flags: flagUse, keys: keyUse },
    { merges, provenPlayer: (key, token) => playerTokens.proven(key, token) },
  );
  const audited = createAuditedRequests(configStore, trail, clock);
  let stopKeepers: () => Promise<unknown> = async () => {};
  return {
    startKeepers() {
      const holder = deps.holder ?? leaseHolder('gateway', ids.uuidv4());
      const keeping = { config: configStore, services, audited, log: deps.log, holder, clock, logger };
      const everyMs = (config.guardrailSeconds ?? SETTINGS_LIMITS.guardrailSeconds) * 1000;
      const mayWrite = (): boolean => services.writeRefusal() === undefined;
      const { backend, receipts } = services;
      const stops = [
        startScheduledChanges(keeping),
        startGuardrailWatch({ ...keeping, everyMs }),
        startMergeKeeper({ merges, log: deps.log, holder, mayWrite, onEnded: streams.endAbout, clock, logger }),
        startReceiptWorker({ ...deps, ...receipts, config: configStore, owners: backend }),
      ];
      stopKeepers = () => Promise.all(stops.map((stop) => stop()));
    },
    steps: {
      services,
      audited,
      trail,
      keyRing,
      consoleSessions,
      playerTokens,
      limiter: createRateLimiter(clock),
      callers: createCallerAddresses(config.trustedProxies),
      bodies: createBodyReader(clock),
      ...streams.steps,
      logger,
    },
    endStreams: streams.end,
    async close() {
      await within(clock, GATEWAY_LIMITS.auditCloseMs, stopKeepers());
      await within(clock, GATEWAY_LIMITS.auditCloseMs, trail.close());
      await within(clock, GATEWAY_LIMITS.serverCloseMs, Promise.all([flagUse.stop(), keyUse.stop()]));
      keyRing.stop();
      stopWatchingSessions();
      playerTokens.stop();
      eventSchemas.stop();
    },
  };
}

interface Streams {
  steps: Pick<PipelineDeps, 'eventStreams' | 'changeStreams' | 'uploads'>;
  /** What ends with the access of its caller. */
  endable: readonly StreamRegistry[];
  end: () => void;
  /** Ends the event streams about a player. */
  endAbout: (playerId: string) => void;
}

function openStreams(deps: PipelineOptions): Streams {
  const changes = createFlagChanges({
    config: deps.configStore,
    clock: deps.clock,
    metrics: deps.metrics,
    heartbeatMs: deps.heartbeatMs ?? GATEWAY_LIMITS.changesHeartbeatMs,
  });
  const [ofEvents, ofChanges, uploads] = [createStreamRegistry(), createStreamRegistry(), createStreamRegistry()];
  return {
    steps: {
      uploads,
      eventStreams: {
        source: deps.feed,
        streams: ofEvents,
        mostReaders: SHARED_LIMITS.streamReaders,
        mostOfKey: STREAM_API_LIMITS.streamReadersOfKey,
      },
      changeStreams: {
        source: changes,
        streams: ofChanges,
        mostReaders: GATEWAY_LIMITS.changesReaders,
        mostOfKey: deps.changesReadersOfKey ?? FLAG_API_LIMITS.changesReadersOfKey,
        mostOfCaller: GATEWAY_LIMITS.changesReadersOfCaller,
      },
    },
    endable: [ofEvents, ofChanges, uploads],
    endAbout: (playerId) => ofEvents.endAbout(playerId),
    end() {
      ofEvents.close();
      ofChanges.close();
      changes.stop();
    },
  };
}
