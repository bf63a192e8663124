import { Agent, request } from 'node:http';
import { App, type HttpResponse } from 'uWebSockets.js';
import { listen, readBody } from './http-server.ts';
import { defineWorker } from './worker.ts';
import type { SampleEvent } from '../load/workload.ts';

export interface BareRelaySpec {
  /** Path → the body of its answer: the service's own, so that both send the same bytes. */
  answers: Record<string, string>;
  /** Where every sampled event is posted. */
  hooks: string[];
}

const STREAM = '/v1/events/events/stream';
/** Posts under way to one receiver: as many as the service makes to one webhook. */
const POSTS_AT_ONCE = 32;

/**
 * The reference of the outputs: the least that a service with a stream and webhooks could do. It parses a body,
 * answers, writes the events to the readers of its stream and posts the sampled ones. It has no keys, players, log,
 * retries or signatures.
 */
export const bareRelay = defineWorker(import.meta.url, async ({ answers, hooks }: BareRelaySpec) => {
  const app = App();
  const agent = new Agent({ keepAlive: true, maxSockets: POSTS_AT_ONCE * Math.max(1, hooks.length) });
  const readers = new Set<HttpResponse>();
  let sequence = 0;

  function relay(events: readonly SampleEvent[]): void {
    sequence += 1;
    const at = new Date().toISOString();
    const records = events.map((event, index) => ({ event_id: `${sequence}-${index}`, ...event, timestamp: at }));
    const text = records.map((record, index) => messageOf(record, `abcdef-${sequence}-${index}`)).join('');
    const bytes = Buffer.from(text);
    for (const reader of readers) reader.cork(() => void reader.write(bytes));
    for (const record of records) {
      if (record.properties['sampled'] !== true) continue;
      for (const hook of hooks) post(hook, record);
    }
  }

  function post(hook: string, record: SampleEvent & { event_id: string }): void {
    const metadata = { webhook_id: 'wh', delivery_attempt: 1 };
    const body = JSON.stringify({ id: record.event_id, type: `event.${record.event_name}`, data: record, metadata });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    // A lost post counts as missing at the receiver.
    request(hook, { method: 'POST', agent, headers }, (response) => void response.resume())
      .on('error', () => {})
      .end(body);
  }

  for (const [path, answer] of Object.entries(answers)) {
    app.post(path, (res) => {
      res.onAborted(() => {});
      readBody(res, (bytes) => {
        const body: SampleEvent | { events: SampleEvent[] } = JSON.parse(bytes.toString('utf8'));
        res.cork(() => void res.writeHeader('Content-Type', 'application/json').end(answer));
        relay('events' in body ? body.events : [body]);
      });
    });
  }
  app.get(STREAM, (res) => {
    res.onAborted(() => readers.delete(res));
    res.cork(() => void res.writeHeader('Content-Type', 'text/event-stream').write('data: {"type":"connected"}\n\n'));
    readers.add(res);
  });
  const baseUrl = await listen(app);
  return { baseUrl: () => baseUrl };
});

function messageOf(record: object, id: string): string {
  return `id: ${id}\ndata: ${JSON.stringify({ type: 'event', ...record })}\n\n`;
}
