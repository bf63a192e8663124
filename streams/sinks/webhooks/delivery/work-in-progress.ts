import type { Logger } from '../../../../core/kernel/logger.ts';

/** The work that handling deliveries has started. */
export interface WorkInProgress {
  /** Registers work. A rejection is a bug; what it concerns is handed out again. */
  track(work: Promise<void>, giveBack: () => unknown): void;
  /** Resolves once all work has completed, including the work that it starts. */
  idle(): Promise<void>;
}

export function createWorkInProgress(logger: Logger): WorkInProgress {
  const inProgress = new Set<Promise<void>>();
  return {
    track(work, giveBack) {
      const promise = work
        .catch(async (error: unknown) => {
          logger.error({ err: error }, 'webhooks: handling a delivery failed; it will be repeated');
          await giveBack();
        })
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'webhooks: a delivery comes again only after its ack wait'),
        )
        .finally(() => inProgress.delete(promise));
      inProgress.add(promise);
    },
    async idle() {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}
