import { Agent, request } from 'node:http';
import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import type { SampleEvent } from '../load/traffic/workload.ts';

/** A body that tracks events. */
export type Tracked = SampleEvent | { events: SampleEvent[] };

const STREAM = '/v1/events/events/stream';
/** Posts under way to one receiver: as many as the service makes to one webhook. */
const POSTS_AT_ONCE = 32;

/**
 * The least that a service with a stream and webhooks could do: it writes the events of a body to the readers of its
 * stream and posts the sampled ones. It has no keys, players, log, retries or signatures.
 * @param hooks where every sampled event is posted
 */
export function createBareOutputs(app: TemplatedApp, hooks: readonly string[]): (tracked: Tracked) => void {
  const agent = new Agent({ keepAlive: true, maxSockets: POSTS_AT_ONCE * Math.max(1, hooks.length) });
  const readers = new Set<HttpResponse>();
  let sequence = 0;

  function post(hook: string, record: SampleEvent & { event_id: string }): void {
    const metadata = { webhook_id: 'wh', delivery_attempt: 1 };
    const body = JSON.stringify({ id: record.event_id, type: `event.${record.event_name}`, data: record, metadata });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    // A lost post counts as missing at the receiver.
    request(hook, { method: 'POST', agent, headers }, (response) => void response.resume())
      .on('error', () => {})
      .end(body);
  }

  app.get(STREAM, (res) => {
    res.onAborted(() => readers.delete(res));
    res.cork(() => void res.writeHeader('Content-Type', 'text/event-stream').write('data: {"type":"connected"}\n\n'));
    readers.add(res);
  });

  return (tracked) => {
    sequence += 1;
    const at = new Date().toISOString();
    const events = 'events' in tracked ? tracked.events : [tracked];
    const records = events.map((event, index) => ({ event_id: `${sequence}-${index}`, ...event, timestamp: at }));
    const bytes = Buffer.from(
      records.map((record, index) => messageOf(record, `abcdef-${sequence}-${index}`)).join(''),
    );
    for (const reader of readers) reader.cork(() => void reader.write(bytes));
    for (const record of records) {
      if (record.properties['sampled'] !== true) continue;
      for (const hook of hooks) post(hook, record);
    }
  };
}

function messageOf(record: object, id: string): string {
  return `id: ${id}\ndata: ${JSON.stringify({ type: 'event', ...record })}\n\n`;
}
