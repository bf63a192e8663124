import { createFakeClock, type FakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import type { DroppedItem } from '../../server/outbox/outbox.ts';
import { createServer, type Problem, type Server, type ServerOptions } from '../../server/server.ts';
import type { ServerAnswer, ServerPlatform, ServerRequest } from '../../server/server-platform.ts';

/* A game server with a fake clock, and a service that answers as the test says. */

export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  atMs: number;
}

/** `cut`: no answer. `hang`: never one. Data: a success in the envelope. */
export type Reply =
  | 'cut'
  | 'hang'
  | { data: unknown; headers?: Record<string, string> }
  | { status: number; code?: string; details?: unknown; headers?: Record<string, string>; text?: string };

export interface ServerWorld {
  clock: FakeClock;
  received: Received[];
  dropped: DroppedItem[];
  problems: Problem[];
  /** Answers each request. By default batches accept everything, and definitions are unknown (404). */
  reply: (received: Received) => Reply | Promise<Reply>;
  /** Streams that are open, as the service sees them. */
  streams: OpenStream[];
  platform: ServerPlatform;
  start(options?: Partial<ServerOptions>): Server;
  of(path: string): Received[];
}

export interface OpenStream {
  received: Received;
  isOpen: boolean;
  send(event: string, data: object): void;
  /** Sends bytes as they are. */
  write(text: string): void;
  end(): void;
  cut(): void;
}

export const CHANGES = '/v1/flags/changes';
export const DEFINITIONS = '/v1/flags/definitions';
export const BATCH = '/v1/events/events/batch';

export function createServerWorld(): ServerWorld {
  const clock = createFakeClock();
  let ids = 0;
  const world: ServerWorld = {
    clock,
    received: [],
    dropped: [],
    problems: [],
    reply: acceptAll,
    streams: [],
    platform: {
      wallMs: () => clock.wallMs(),
      steadyMs: () => clock.monotonicMs(),
      random: () => 0.5,
      newId: () => `id-${++ids}`,
      setTimer: (callback, delayMs) => clock.timer(delayMs, callback),
      fetch,
    },
    start(options = {}) {
      return createServer({
        baseUrl: 'http://service.test',
        key: 'sk_test_1',
        flags: false,
        onDropped: (item) => void world.dropped.push(item),
        onProblem: (problem) => void world.problems.push(problem),
        ...options,
        platform: { ...world.platform, ...options.platform },
      });
    },
    of: (path) => world.received.filter((each) => each.path === path),
  };

  async function fetch(url: string, request: ServerRequest): Promise<ServerAnswer> {
    const { pathname, searchParams } = new URL(url);
    const { method, headers, body: sent = '{}', signal } = request;
    const text = typeof sent === 'string' ? sent : await wholeText(sent, signal);
    const isJson = headers['Content-Type'] === undefined || headers['Content-Type'] === 'application/json';
    const body = isJson ? JSON.parse(text) : { text };
    const received = { method, path: pathname, query: searchParams, headers, body };
    const noted: Received = { ...received, atMs: clock.monotonicMs() };
    world.received.push(noted);
    const aborted = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    aborted.catch(() => {});
    const reply = await Promise.race([world.reply(noted), aborted]);
    if (reply === 'cut') throw new TypeError('fetch failed');
    if (reply === 'hang') return aborted;
    if (pathname === CHANGES && 'data' in reply) return streamed(noted, signal);
    const { headers: more = {} } = reply;
    const status = 'data' in reply ? 200 : reply.status;
    const answer = 'data' in reply ? JSON.stringify({ success: true, data: reply.data }) : errorText(reply);
    return {
      status,
      headers: new Headers({ 'X-Request-Id': `req_${world.received.length}`, ...more }),
      body: pieces(answer),
    };
  }

  function streamed(received: Received, signal: AbortSignal): ServerAnswer {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
    const stream: OpenStream = {
      received,
      isOpen: true,
      send: (event, data) => stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      write: (text) => controller?.enqueue(new TextEncoder().encode(text)),
      end() {
        stream.isOpen = false;
        controller?.close();
      },
      cut() {
        stream.isOpen = false;
        controller?.error(new Error('cut'));
      },
    };
    signal.addEventListener('abort', () => stream.isOpen && stream.cut());
    world.streams.push(stream);
    return { status: 200, headers: new Headers(), body };
  }

  return world;
}

/** The bytes of a text in two pieces, which may cut a character. */
async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const half = bytes.length >> 1;
  yield bytes.subarray(0, half);
  yield bytes.subarray(half);
}

/** A body that is sent while it is read. Fails as a broken connection does, if its source fails. */
async function wholeText(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) {
      signal.throwIfAborted();
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new TypeError('fetch failed', { cause });
  }
  return Buffer.concat(chunks).toString('utf8');
}

function errorText({ status, code, details = {}, text }: Extract<Reply, { status: number }>): string {
  if (text !== undefined) return text;
  const message = `It is ${status}.`;
  return code === undefined ? '<html>' : JSON.stringify({ success: false, error: { code, message, details } });
}

/** Results in which everything is accepted. */
export function accepted(items: unknown): { results: { index: number; event_id: unknown; status: string }[] } {
  const list: unknown[] = Array.isArray(items) ? items : [];
  return {
    results: list.map((item, index) => ({ index, event_id: Object(item).event_id, status: 'accepted' })),
  };
}

export function acceptAll({ path, body }: Received): Reply {
  if (path === BATCH) return { data: accepted(body['events']) };
  if (path === '/v1/flags/exposures') return { data: accepted(body['exposures']) };
  const purchase = /^\/v1\/players\/players\/([^/]+)\/purchase$/.exec(path);
  if (purchase !== null) return { data: { player_id: purchase[1] } };
  return { status: 404, code: 'NOT_FOUND' };
}
