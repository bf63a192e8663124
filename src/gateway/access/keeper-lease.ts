import type { Clock } from '../../../core/kernel/clock.ts';
import type { DocumentKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { contend } from '../../../streams/leases/lease.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { Services } from '../../api/route/request-context.ts';
import type { AuditedRequests } from './audited-request.ts';

/* The lease by which one of the gateways does what no request asks for. */

/** How often the lease is looked at while nothing needs its keeper. */
const UNWANTED_MS = 10_000;

/** What a keeper needs of its gateway. */
export interface KeeperOptions {
  config: ConfigStore;
  services: Services;
  audited: Pick<AuditedRequests, 'writesAs'>;
  log: Pick<Log, 'bucket'>;
  /** The name of this process in its leases. */
  holder: string;
  clock: Clock;
  logger: Logger;
}

/** What keeps documents of a kind, and which of them need it. */
export interface Kept<K extends DocumentKind> {
  key: string;
  kind: K;
  needs: (entry: ConfigEntry<K>) => boolean;
}

/**
 * Starts a keeper that works while this gateway holds the lease and may write.
 * @returns the function that stops it, and leaves the work to another process
 */
export function keepWithLease<K extends DocumentKind>(
  { key, kind, needs }: Kept<K>,
  { config, services, log, holder, clock }: KeeperOptions,
  start: (isHolder: () => boolean) => { stop: () => Promise<void> },
): () => Promise<void> {
  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key,
    holder,
    clock,
    // A renewal costs an fsync, and most of the time nothing needs the keeper.
    wanted: () => config.list(kind).some(needs),
    unwantedMs: UNWANTED_MS,
    onAcquired() {},
    onLost() {},
  });
  const stopWatching = config.onChange(({ address }) => {
    if (address.kind === kind && !lease.held()) lease.wake();
  });
  const keeper = start(() => lease.held() && services.writeRefusal() === undefined);
  return async () => {
    stopWatching();
    await keeper.stop();
    await lease.release();
  };
}
