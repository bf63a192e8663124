import type { Readiness } from '../../api/route/request-context.ts';
import type { ProcessGroup } from '../../settings/config.ts';
import type { Server } from '../../gateway/server.ts';
import { sleep, type Clock } from '../../../core/kernel/clock.ts';
import { joinMetrics } from '../../../core/kernel/metrics/join-metrics.ts';
import { LOCAL_LIMITS } from '../limits.ts';
import { PROCESS_LIMITS } from '../../process/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { ProcessMetrics } from '../../../core/kernel/metrics/process-metrics.ts';
import type { OwnPortMessage } from '../own-ports.ts';
import { readEndpoints } from '../processes/run-files.ts';

/**
 * The metrics of all processes of a group, from any of them: a scrape of the shared port reaches a random one.
 * Every series has the label `process`, and `local_process_up` says which processes answered.
 */
export async function groupMetrics(
  { number, count, dataDir }: ProcessGroup,
  metrics: Pick<ProcessMetrics, 'ownText' | 'groupText' | 'processUp'>,
): Promise<string> {
  const urls = readEndpoints(dataDir)?.processes ?? {};
  const texts = await Promise.all(
    Array.from({ length: count }, (_, place) => {
      const other = place + 1;
      return other === number ? metrics.ownText() : textOf(urls[other]);
    }),
  );
  for (const [place, text] of texts.entries()) {
    metrics.processUp.set({ process: String(place + 1) }, text === undefined ? 0 : 1);
  }
  return joinMetrics([...texts.filter((text) => text !== undefined), await metrics.groupText()]);
}

/** `undefined`: the process does not run, or does not answer in time. */
async function textOf(url: string | undefined): Promise<string | undefined> {
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(LOCAL_LIMITS.groupMetricsMs) });
    const text = await response.text();
    return response.ok ? text : undefined;
  } catch {
    return undefined;
  }
}

export interface JoinPortOptions {
  server: Pick<Server, 'listenApart'>;
  readiness: () => Readiness;
  /** Joins the shared ports. */
  listen: () => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/**
 * Opens a port of this process, reports it to the supervisor, and joins the shared ports once the process is ready: the
 * kernel gives every process that listens its part of the connections, also one that cannot answer them yet.
 */
export async function joinPort(options: JoinPortOptions): Promise<{ stop(): void }> {
  const { server, readiness, listen, clock, logger } = options;
  const stop = new AbortController();
  process.send?.({ kind: 'own_port', port: await server.listenApart() } satisfies OwnPortMessage);

  async function listenWhenReady(): Promise<void> {
    while (!stop.signal.aborted && !readiness().ready) await sleep(clock, PROCESS_LIMITS.joinPortMs);
    if (!stop.signal.aborted) await listen();
  }

  listenWhenReady().catch((error: unknown) => {
    logger.error({ err: error }, 'this process cannot listen; it ends and must be restarted');
    process.exit(1);
  });
  return { stop: () => stop.abort() };
}
