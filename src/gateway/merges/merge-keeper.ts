import { type Cancel, type Clock, nextTick } from '../../../core/kernel/clock.ts';
import { isFailure } from '../../../core/kernel/errors.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { contend } from '../../../streams/leases/lease.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { StoredIntent } from '../../../streams/merges/merge-intents.ts';
import { SAGA_LIMITS } from './limits.ts';
import type { GatewayMerges } from './merges.ts';

/*
 * Goes on with merges whose requests ended before them, such as those of a gateway that was killed. One of the gateways
 * does it: the holder of a lease.
 */

export interface MergeKeeperOptions {
  merges: Pick<GatewayMerges, 'intents' | 'resume'>;
  log: Pick<Log, 'bucket'>;
  /** The name of this process in its leases. */
  holder: string;
  mayWrite: () => boolean;
  /** Called in every gateway when the merge of a guest has ended, or was taken back. */
  onEnded: (guestId: string) => void;
  clock: Clock;
  logger: Logger;
}

const LEASE_KEY = 'merges';
/** How often the lease is looked at while no merge needs the keeper. */
const UNWANTED_MS = 10_000;

/** @returns the function that stops it, and leaves the merges to another process */
export function startMergeKeeper(options: MergeKeeperOptions): () => Promise<void> {
  const { merges, log, holder, mayWrite, onEnded, clock, logger } = options;
  const watched = merges.intents.watch(onEnded);
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let cancel: Cancel = () => {};

  const isLate = ({ intent }: StoredIntent): boolean => clock.wallMs() - intent.at >= SAGA_LIMITS.intentAgeMs;
  const isNeeded = (): boolean => watched.open().some(isLate);

  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: LEASE_KEY,
    holder,
    clock,
    wanted: isNeeded,
    unwantedMs: UNWANTED_MS,
    onAcquired() {},
    onLost() {},
  });
  const mayGoOn = (): boolean => !stopped && lease.held() && mayWrite();

  async function goOn(stored: StoredIntent): Promise<void> {
    const ended = await merges.resume(stored);
    const { guestId: guest, does, game, environment } = stored.intent;
    const outcome = isFailure(ended) ? ended.code : ended.kind;
    logger.info({ guest, does, game, environment, outcome }, 'went on with a merge');
  }

  async function pass(): Promise<void> {
    const late = watched.open().filter(isLate);
    for (let from = 0; from < late.length && mayGoOn(); from += SAGA_LIMITS.keeperAtOnce) {
      await Promise.all(late.slice(from, from + SAGA_LIMITS.keeperAtOnce).map(goOn));
    }
  }

  function run(): void {
    if (isNeeded() && !lease.held()) lease.wake();
    running = (mayGoOn() ? pass() : Promise.resolve())
      .catch((error: unknown) => logger.error({ err: error }, 'merges could not go on; they are tried again'))
      .then(() => {
        if (!stopped) cancel = nextTick(clock, SAGA_LIMITS.keeperMs, run);
      });
  }
  cancel = nextTick(clock, SAGA_LIMITS.keeperMs, run);

  return async () => {
    stopped = true;
    cancel();
    await running;
    watched.stop();
    await lease.release();
  };
}
