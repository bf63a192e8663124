import type { Clock } from '../../../core/kernel/clock.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { contend } from '../../../streams/leases/lease.ts';
import type { Log } from '../../../streams/log/log.ts';
import { hasRecent, isWatched, startGuardrailKeeper } from '../../api/experiments/guardrails/guardrail-keeper.ts';
import type { Services, WriteContext } from '../../api/route/request-context.ts';
import type { AuditedRequests } from './audited-request.ts';

/* The guardrails of experiments, watched by one of the gateways: the holder of a lease. It writes as the service. */

/** How often the lease is looked at while nothing is watched. */
const UNWANTED_MS = 10_000;
const LEASE_KEY = 'guardrails';

export interface GuardrailWatchOptions {
  config: ConfigStore;
  services: Services;
  audited: Pick<AuditedRequests, 'writesAs'>;
  log: Pick<Log, 'bucket'>;
  /** The name of this process in its leases. */
  holder: string;
  everyMs: number;
  clock: Clock;
  logger: Logger;
}

/** @returns the function that stops it, and leaves the guardrails to another process */
export function startGuardrailWatch(options: GuardrailWatchOptions): () => Promise<void> {
  const { config, services, log, holder, everyMs, clock, logger } = options;
  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: LEASE_KEY,
    holder,
    clock,
    // A renewal costs an fsync, and most of the time nothing is watched.
    wanted: () => config.list('experiment').some((entry) => isWatched(entry) || hasRecent(entry, clock.wallMs())),
    unwantedMs: UNWANTED_MS,
    onAcquired() {},
    onLost() {},
  });
  const stopWatching = config.onChange(({ address }) => {
    if (address.kind === 'experiment' && !lease.held()) lease.wake();
  });
  const keeper = startGuardrailKeeper({
    config,
    services,
    clock,
    logger,
    everyMs,
    isHolder: () => lease.held() && services.writeRefusal() === undefined,
    contextOf: (scope, reason) => contextOf(scope, reason, options),
  });
  return async () => {
    stopWatching();
    await keeper.stop();
    await lease.release();
  };
}

/** The context of a write that waits for no second person: it turns something off. */
function contextOf(
  { game, environment }: Scope,
  reason: string,
  { config, services, audited, clock }: GuardrailWatchOptions,
): WriteContext | undefined {
  const held = config.get(gameAddress(game))?.document;
  if (held === undefined) return undefined;
  const { tenant, namespace } = held;
  return {
    services,
    key: {
      id: LEASE_KEY,
      kind: 'server',
      tier: 'growth',
      scopes: new Set(),
      game,
      environment,
      limitPerMinute: null,
      requiresPlayerToken: false,
      tenant,
      namespace,
    },
    player: undefined,
    origin: { game, environment, receivedAt: clock.wallMs(), by: 'server' },
    idempotency: undefined,
    faults: [],
    body: undefined,
    ignored: [],
    audited: undefined,
    propose: undefined,
    perform: undefined,
    writes: audited.writesAs({ actor: { kind: 'service', id: LEASE_KEY, name: '' }, network: '', reason }),
  };
}
