import { Agent, request } from 'node:http';
import { App, us_socket_local_port, type HttpResponse } from 'uWebSockets.js';
import { helperSpec, tellParent } from '../helpers/helper-process.ts';
import { readBody } from '../helpers/read-body.ts';
import type { SampleEvent } from '../load/sample-event.ts';

/** What the bare relay is told at its start. */
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
 * The reference of the outputs: the least a service with a stream and webhooks could do. It parses a body, answers, hands the
 * events to whoever reads its stream and posts the sampled ones: no keys, no players, no log, no retries, no signatures.
 */
function startBareRelay({ answers, hooks }: BareRelaySpec, onListening: (port: number) => void): void {
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
    // What is lost is missed where it should have arrived.
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
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('the bare relay found no port to listen on');
    onListening(us_socket_local_port(socket));
  });
}

function messageOf(record: object, id: string): string {
  return `id: ${id}\ndata: ${JSON.stringify({ type: 'event', ...record })}\n\n`;
}

const spec: BareRelaySpec = JSON.parse(helperSpec());
startBareRelay(spec, (port) => tellParent({ port }));
