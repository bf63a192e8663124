import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type Fault,
  modelService,
  type ModelService,
  type Received,
} from '../typescript/test/support/model-service.ts';

/* The model of the service behind HTTP, on a port of its own, with the faults of networks and of hostile servers. */

/** What happens to a request. */
export type Trick =
  | Exclude<Fault, 'hang'>
  /** The request takes effect; its answer waits for `release`. */
  | 'held'
  /** An answer without an end. */
  | 'endless'
  | { raw: string; status?: number; headers?: Record<string, string> };

export interface Exchange {
  /** Of the world's clock, ms since 1970. */
  atMs: number;
  /** Which run of the client sent it. */
  life: number;
  path: string;
  body: Record<string, unknown>;
  text: string;
  /** The Idempotency-Key. */
  key: string | undefined;
  trick: Trick;
  /** Whether an earlier request of this run was still being worked on when this one came. */
  overlaps: boolean;
  state: 'working' | 'held' | 'over';
}

export interface ConformanceServer {
  readonly url: string;
  readonly service: ModelService;
  readonly exchanges: Exchange[];
  /** Bytes of endless answers that clients took. */
  readonly endlessBytes: number;
  /** Tricks of the next requests; afterwards `always` decides. */
  tricks: Trick[];
  always: (received: Received) => Trick;
  /** Number of the client's run, for the record. */
  life: number;
  /** Sends the held answers to the requests that are still open. */
  release(): void;
  close(): Promise<void>;
}

/** More than any client may take, so that a client without a bound fails instead of filling memory. */
const MOST_ENDLESS_BYTES = 64 * 1024 * 1024;

/** @param nowMs the world's time, ms since 1970 */
export async function startServer(nowMs: () => number): Promise<ConformanceServer> {
  const service = modelService(nowMs);
  const exchanges: Exchange[] = [];
  let waiting: (() => void)[] = [];
  let endlessBytes = 0;

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();

  const world: ConformanceServer = {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    service,
    exchanges,
    get endlessBytes() {
      return endlessBytes;
    },
    tricks: [],
    always: () => 'ok',
    life: 0,
    release() {
      const answers = waiting;
      waiting = [];
      for (const answer of answers) answer();
    },
    close: () =>
      new Promise((resolve) => {
        world.release();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return world;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { life } = world;
    const text = await bodyOf(incoming);
    const headers = namedHeaders(incoming);
    const path = incoming.url ?? '';
    const received = { method: incoming.method ?? '', path, body: parsed(text), headers, keepalive: false };
    const trick = world.tricks.shift() ?? world.always(received);
    const exchange: Exchange = {
      atMs: nowMs(),
      life,
      path,
      body: received.body,
      text,
      key: headers['Idempotency-Key'],
      trick,
      overlaps: exchanges.some((each) => each.life === life && each.state === 'working'),
      state: 'working',
    };
    exchanges.push(exchange);
    response.once('close', () => (exchange.state = 'over'));
    if (trick === 'endless') {
      exchange.state = 'held';
      return stream(response);
    }
    if (typeof trick === 'object' && 'raw' in trick) {
      return write(exchange, response, trick.status ?? 200, trick.raw, trick.headers);
    }
    if (headers['X-API-Key'] !== 'pk_test_1' || !headers['Content-Type']?.startsWith('application/json')) {
      return write(exchange, response, 401, failure('UNAUTHORIZED'));
    }
    service.faults = [trick === 'held' ? 'ok' : trick];
    const { method } = received;
    const signal = { aborted: false };
    const request = { method, headers, body: text, keepalive: false, redirect: 'error', signal } as const;
    try {
      const answer = await service.fetch(`http://service${path}`, request);
      const body = await answer.text();
      if (trick === 'held') {
        exchange.state = 'held';
        await new Promise<void>((resolve) => void waiting.push(resolve));
      }
      write(exchange, response, answer.status, body, passedHeaders(answer.headers));
    } catch {
      exchange.state = 'over';
      response.destroy();
    }
  }

  function stream(response: ServerResponse): void {
    response.sendDate = false;
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const chunk = Buffer.alloc(65_536, '[');
    const more = () => {
      if (response.destroyed || endlessBytes > MOST_ENDLESS_BYTES) return void response.destroy();
      endlessBytes += chunk.length;
      if (response.write(chunk)) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  }

  function write(
    exchange: Exchange,
    response: ServerResponse,
    status: number,
    body: string,
    headers: Record<string, string> = {},
  ): void {
    // Before the client can know of it, so that its next request does not overlap with this one.
    exchange.state = 'over';
    response.sendDate = false;
    const date = new Date(nowMs()).toUTCString();
    response.writeHead(status, { 'Content-Type': 'application/json', Date: date, ...headers });
    response.end(body);
  }
}

function failure(code: string): string {
  return JSON.stringify({ success: false, error: { code, message: 'No.', details: {} } });
}

function passedHeaders(headers: { get(name: string): string | null }): Record<string, string> {
  return Object.fromEntries(
    ['Retry-After', 'Idempotent-Replayed', 'X-Ignored-Fields'].flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The model looks headers up by the names that clients give them. */
function namedHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    ['X-API-Key', 'Content-Type', 'Idempotency-Key'].flatMap((name) => {
      const value = headers[name.toLowerCase()];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
