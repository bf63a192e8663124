import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What the proxy did to requests, by fault. */
export type FaultCounts = Record<'passed' | 'cut' | 'lost' | 'delayed' | 'limited' | 'unavailable' | 'swapped', number>;

/** A proxy that treats requests badly. */
export interface FaultyProxy {
  readonly url: string;
  readonly counts: FaultCounts;
  /** From now on every request passes. */
  mend(): void;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/**
 * Starts one in front of a service. Of ten requests at least four pass unharmed. The others are cut before they arrive,
 * lose their answer after they took effect, are delayed, get 429 or 503, or get the answer to another request.
 * @param random between 0 and 1
 */
export async function startFaultyProxy(target: string, random: () => number): Promise<FaultyProxy> {
  const counts: FaultCounts = { passed: 0, cut: 0, lost: 0, delayed: 0, limited: 0, unavailable: 0, swapped: 0 };
  let isMended = false;
  /** An answer that waits for another one to be exchanged with. */
  let held: { answer: Answer; exchange: (other: Answer) => void } | undefined;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming);
    const draw = isMended ? 1 : random();
    if (draw < 0.1) return cut(response, 'cut');
    if (draw < 0.2) return refuse(response, 429, 'limited');
    if (draw < 0.3) return refuse(response, 503, 'unavailable');
    if (draw < 0.4) await delay(random() * 100).then(() => (counts.delayed += 1));
    if (incoming.method === 'GET') return pipe(incoming, response);
    const answer = await forward(incoming, body);
    if (draw >= 0.4 && draw < 0.5) return cut(response, 'lost');
    if (draw >= 0.5 && draw < 0.6) return write(response, await exchanged(answer));
    counts.passed += 1;
    write(response, answer);
  }

  /** The answer to another request, if one is held soon enough; else the own one. */
  async function exchanged(answer: Answer): Promise<Answer> {
    if (held !== undefined) {
      const { answer: other, exchange } = held;
      held = undefined;
      counts.swapped += 2;
      exchange(answer);
      return other;
    }
    const own = { answer, exchange: (_other: Answer) => {} };
    const other = new Promise<Answer>((resolve) => (own.exchange = resolve));
    held = own;
    const result = await Promise.race([other, delay(400).then(() => answer)]);
    if (held === own) held = undefined;
    return result;
  }

  function cut(response: ServerResponse, fault: 'cut' | 'lost'): void {
    counts[fault] += 1;
    response.destroy();
  }

  function refuse(response: ServerResponse, status: 429 | 503, fault: 'limited' | 'unavailable'): void {
    counts[fault] += 1;
    const error = { code: status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'SERVICE_UNAVAILABLE', message: 'No.', details: {} };
    response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '1' });
    response.end(JSON.stringify({ success: false, error }));
  }

  /** A stream is passed on as it comes. */
  function pipe({ url, headers }: IncomingMessage, response: ServerResponse): void {
    const { host: _, ...passed } = headers;
    const outgoing = request(new URL(url ?? '/', target), { headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy()).end();
    response.on('close', () => outgoing.destroy());
  }

  function forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { host: _, ...passed } = headers;
      const outgoing = request(new URL(url ?? '/', target), { method, headers: passed }, (incoming) => {
        bodyOf(incoming).then(
          (answered) => resolve({ status: incoming.statusCode ?? 502, headers: incoming.headers, body: answered }),
          reject,
        );
      });
      outgoing.on('error', reject).end(body);
    });
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    counts,
    mend() {
      isMended = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const { connection: _, 'transfer-encoding': __, ...passed } = headers;
  response.writeHead(status, passed).end(body);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}
