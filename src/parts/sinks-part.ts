import { startSinksThread } from '../process/sinks-thread.ts';
import type { Part } from '../process/stop-on-signal.ts';
import type { Base } from './base.ts';

/** The role `sinks`, in a thread of its own. */
export function startSinksPart({ node, holder, silentToSinks, metrics, logger }: Base): Part {
  const onFailed = (error: unknown): void => {
    logger.error({ err: error }, 'the sinks failed; this process ends and must be restarted');
    process.exit(1);
  };
  const thread = startSinksThread(node, holder, onFailed, (silences) => silentToSinks.report(silences));
  metrics.sinksFrom(() => thread.metrics());
  return { name: 'sinks', stop: () => thread.stop() };
}
