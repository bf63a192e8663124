import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { LookupFunction } from 'node:net';
import { systemClock } from '../../../core/kernel/clock.ts';
import { DELIVERY_HTTP_LIMITS } from '../../../streams/sinks/webhooks/delivery/http/limits.ts';
import { type HttpSenderOptions, createHttpSender } from '../../../streams/sinks/webhooks/delivery/http/http-sender.ts';
import type { DeliverySender } from '../../../streams/sinks/webhooks/delivery/sender.ts';
import { until } from '../../support/until.ts';
import { type Respond, startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

/** The sender over real HTTP, against receivers that misbehave in many ways. */

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function sender(some: Partial<HttpSenderOptions> = {}): DeliverySender {
  const made = createHttpSender({ clock: systemClock, allowPrivateHosts: ['127.0.0.1'], ...some });
  closing.push(() => made.close());
  return made;
}

async function receiver(respond?: Respond): Promise<WebhookReceiver> {
  const started = await startWebhookReceiver(respond);
  closing.push(() => started.stop());
  return started;
}

/** A receiver at the level of TCP: `onSocket` handles each connection. */
async function rawReceiver(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
}

function send(from: DeliverySender, url: string, timeoutMs = 5_000) {
  return from.send({
    url,
    headers: { 'Content-Type': 'application/json', 'Content-Length': '13' },
    body: Buffer.from('{"é":"\\n "}\n', 'utf8').subarray(0, 13),
    timeoutMs,
  });
}

describe('an exchange', () => {
  it('posts the exact bytes, and returns the status and the first bytes of the response', async () => {
    const { url, requests } = await receiver((_, response) => void response.writeHead(202).end('thanks'));
    expect(await send(sender(), url)).toEqual({ kind: 'answered', status: 202, responseStart: 'thanks' });
    expect(requests).toMatchObject([{ method: 'POST', path: '/hook', body: '{"é":"\\n "}\n' }]);
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '13' });
  });

  it('keeps its connection for the next attempt', async () => {
    const target = await receiver();
    const one = sender();
    for (let i = 0; i < 5; i++) await send(one, target.url);
    expect(target.requests).toHaveLength(5);
    expect(target.connections).toBe(1);
  });

  it('uses a new connection when the receiver has closed the idle one', async () => {
    let served = 0;
    const url = await rawReceiver((socket) => {
      let seen = 0;
      socket.on('data', () => {
        seen += 1;
        // Each second request of a connection is reset, as when the receiver's idle time-out ends at that moment.
        if (seen > 1) socket.resetAndDestroy();
        else {
          served += 1;
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
        }
      });
    });
    const one = sender();
    for (let i = 0; i < 3; i++) expect(await send(one, url)).toMatchObject({ kind: 'answered', status: 200 });
    expect(served).toBe(3);
  });

  it('ends with the final response after an informational one', async () => {
    const url = await rawReceiver((socket) =>
      socket.on('data', () =>
        socket.write(
          'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok',
        ),
      ),
    );
    const one = sender();
    for (let i = 0; i < 2; i++)
      expect(await send(one, url)).toEqual({ kind: 'answered', status: 202, responseStart: 'ok' });
  });

  it('opens a new connection after a response that closes its own', async () => {
    const target = await receiver((_, response) => void response.writeHead(200, { Connection: 'close' }).end('x'));
    const one = sender();
    for (let i = 0; i < 3; i++) expect(await send(one, target.url)).toMatchObject({ kind: 'answered', status: 200 });
    expect(target.connections).toBe(3);
  });

  it('does not repeat an attempt whose new connection is reset', async () => {
    let requests = 0;
    const url = await rawReceiver((socket) =>
      socket.on('data', () => {
        requests += 1;
        socket.resetAndDestroy();
      }),
    );
    expect(await send(sender(), url)).toEqual({ kind: 'connection_failed', reason: 'ECONNRESET' });
    expect(requests).toBe(1);
  });

  it('uses one connection for each attempt at the same time, and keeps them', async () => {
    const waiting: (() => void)[] = [];
    const target = await receiver((_, response) => void waiting.push(() => response.end('x')));
    const one = sender();
    for (let round = 0; round < 2; round++) {
      const sent = Array.from({ length: 5 }, () => send(one, target.url));
      await until('all have arrived', () => waiting.length === 5);
      for (const answer of waiting.splice(0)) answer();
      for (const outcome of await Promise.all(sent)) expect(outcome).toMatchObject({ kind: 'answered' });
    }
    expect(target.connections).toBe(5);
  });

  it.each([301, 302, 307, 308])('does not follow a redirect: %i', async (status) => {
    const target = await receiver();
    const { url } = await receiver((_, response) => void response.writeHead(status, { Location: target.url }).end());
    expect(await send(sender(), url)).toMatchObject({ kind: 'answered', status });
    expect(target.requests).toEqual([]);
  });
});

describe('a receiver times out if it', () => {
  it('never answers the request', async () => {
    const hanging = await receiver(() => {});
    expect(await send(sender(), hanging.url, 200)).toEqual({ kind: 'timed_out' });
    await until('the connection is closed', () => hanging.open === 0);
  });

  it('sends its body, or its headers, one byte at a time', async () => {
    const drip = (text: string) =>
      rawReceiver((socket) => {
        let sent = 0;
        const timer = setInterval(() => socket.write(text[sent++] ?? 'x'), 20);
        socket.on('close', () => clearInterval(timer));
      });
    const body = await drip('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const headers = await drip('HTTP/1.1 200 OK\r\nX-Slow: ');
    const one = sender();
    // The whole body takes 20 s to arrive.
    expect(await Promise.all([send(one, body, 1_500), send(one, headers, 1_500)])).toEqual([
      { kind: 'timed_out' },
      { kind: 'timed_out' },
    ]);
  });

  it('never reads the request', async () => {
    const url = await rawReceiver((socket) => void socket.pause());
    const large = { url, headers: {}, body: Buffer.alloc(32 * 1024 * 1024), timeoutMs: 300 };
    expect(await sender().send(large)).toEqual({ kind: 'timed_out' });
  });
});

describe('a receiver that answers wrongly', () => {
  it('with an endless body: the sender reads up to the bound and closes the connection', async () => {
    const endless = await receiver((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const outcome = await send(sender(), endless.url);
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(outcome.kind === 'answered' && outcome.responseStart.length).toBe(
      DELIVERY_HTTP_LIMITS.deliveryResponseBytes,
    );
    await until('the connection is closed', () => endless.open === 0);
  });

  it.each<[string, string]>([
    ['that closes without a response', ''],
    ['that is not an HTTP server', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['that truncates its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this'],
    [
      'that switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['that sends endless headers', `HTTP/1.1 200 OK\r\n${'X-A: y\r\n'.repeat(20_000)}`],
  ])('%s is a failed connection', async (_, answer) => {
    const url = await rawReceiver((socket) => socket.once('data', () => socket.end(answer)));
    expect(await send(sender(), url)).toMatchObject({ kind: 'connection_failed' });
  });

  it('that does not listen is a failed connection', async () => {
    const gone = await receiver();
    await gone.stop();
    expect(await send(sender(), gone.url)).toEqual({ kind: 'connection_failed', reason: 'ECONNREFUSED' });
  });

  it('invalid headers of the webhook are a failed connection, not a crash', async () => {
    const { url } = await receiver();
    const outcome = await sender().send({
      url,
      headers: { 'X-Bad': 'a\nb' },
      body: Buffer.from('{}'),
      timeoutMs: 5_000,
    });
    expect(outcome.kind).toBe('connection_failed');
  });
});

describe('private addresses that are allowed', () => {
  it('are reached by name, or by address and port', async () => {
    const target = await receiver();
    const byName = sender({ allowPrivateHosts: ['receiver.test'], lookup: answering(['127.0.0.1']) });
    expect(await send(byName, `http://receiver.test:${target.port}/`)).toMatchObject({ status: 200 });
    const byPort = sender({ allowPrivateHosts: [`127.0.0.1:${target.port}`] });
    expect(await send(byPort, target.url)).toMatchObject({ status: 200 });
  });

  it('a name without an address is a failed connection', async () => {
    const lookup: LookupFunction = (_host, _options, callback) => {
      callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 0);
    };
    const outcome = await send(sender({ allowPrivateHosts: [], lookup }), 'http://nowhere.test/');
    expect(outcome).toEqual({ kind: 'connection_failed', reason: 'ENOTFOUND' });
  });
});

it('close aborts the attempts in flight, and later ones are not sent', async () => {
  const hanging = await receiver(() => {});
  const one = sender();
  const sending = send(one, hanging.url);
  await until('the request has arrived', () => hanging.requests.length === 1);
  one.close();
  expect(await sending).toEqual({ kind: 'aborted' });
  expect(await send(one, hanging.url)).toEqual({ kind: 'aborted' });
  await until('the connection is closed', () => hanging.open === 0);
});

function answering(addresses: string[]): LookupFunction {
  return (_host, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => {
      if (options.all === true) callback(null, found);
      else callback(null, addresses[0] ?? '', found[0]?.family);
    });
  };
}
