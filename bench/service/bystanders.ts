import { startHelper } from '../helpers/start-helper.ts';
import { call } from './call.ts';
import type { Service } from './service.ts';
import type { SseReaderReport, SseReaderSpec } from './sse-reader-main.ts';

const READER = new URL('./sse-reader-main.ts', import.meta.url);

/** Those who listen while events are tracked, so that every sink works: one reader of the event stream, one webhook. */
export interface Bystanders {
  readerPid: number;
  /** What the reader of the stream has seen so far. */
  seen(): Promise<SseReaderReport>;
  stop(): Promise<void>;
}

/**
 * Connects the reader and, on a deployment of our own, creates a webhook that every event is matched against and whose
 * filter none passes. A remote deployment gets no webhook: nothing is to stay behind there.
 */
export async function startBystanders(service: Service): Promise<Bystanders> {
  if (service.kind === 'local') await call(service, 'POST', '/v1/integrations/webhooks', JSON.stringify(NEVER));
  const spec: SseReaderSpec = { url: `${service.baseUrl}/v1/events/events/stream`, key: service.key };
  const reader = startHelper(READER, spec);
  await reader.next();
  return {
    readerPid: reader.pid,
    async seen() {
      reader.ask();
      const report: SseReaderReport = JSON.parse(await reader.next());
      return report;
    },
    stop: () => reader.stop(),
  };
}

const NEVER = {
  name: 'never fires',
  url: 'http://127.0.0.1:9/',
  events: ['event.*'],
  enabled: true,
  filters: { 'properties.level': { gt: 1_000_000 } },
};
