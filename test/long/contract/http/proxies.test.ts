import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_LIMITS } from '../../../../src/api/limits.ts';
import { reservedPort } from '../../../support/servers/reserved-port.ts';
import { playerIn, startGateway, type Gateway } from '../../../support/in-memory/http-gateway.ts';
import { openRaw, sendRaw } from '../../../support/wire/raw-http.ts';
import {
  PROXY_NAMES,
  startReverseProxy,
  type ProxyName,
  type ReverseProxy,
} from '../../../support/servers/reverse-proxies.ts';
import { openStream } from '../../../support/wire/sse-client.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/wire/tcp-proxy.ts';
import { until } from '../../../support/until.ts';

/** The gateway behind a proxy. */
interface Setup {
  gateway: Gateway;
  key: string;
  proxy: ReverseProxy;
  /** Between proxy and gateway: counts the proxy's connections. */
  wire: TcpProxy;
}

const EVENTS = '/v1/events/events';
/** Longer than idle connections are kept, and as long as nginx lets a stream be silent. */
const silenceMs = (name: ProxyName): number => (name === 'nginx' ? 30_000 : 13_000);
const event = (pad = 0) => JSON.stringify({ player_id: playerIn(0), event_name: 'e' }).padEnd(pad);

describe.concurrent.each(PROXY_NAMES)('behind %s as shipped', (name) => {
  let setup: Setup | undefined;
  let missing = '';
  beforeAll(async () => {
    const gateway = await startGateway();
    const wire = await startTcpProxy(gateway.port);
    try {
      setup = { gateway, wire, key: await gateway.key(), proxy: await startReverseProxy(name, wire.port) };
    } catch (error) {
      missing = error instanceof Error ? error.message : String(error);
      if (!missing.includes('is not installed')) throw error;
      await wire.close();
      await gateway.close();
    }
  });
  afterAll(async () => {
    await setup?.proxy.stop();
    await setup?.wire.close();
    await setup?.gateway.close();
  });

  const using = (skip: (note: string) => never): Setup => setup ?? skip(missing);

  it('preflights and writes use few connections, and none fails', async ({ skip }) => {
    const { proxy, wire, key } = using(skip);
    const takenBefore = wire.taken;
    const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    await Promise.all(
      agents.map(async (agent) => {
        for (let round = 0; round < 100; round++) {
          const preflight = { Origin: 'https://game.example', 'Access-Control-Request-Method': 'POST' };
          expect((await call(proxy.port, agent, 'OPTIONS', EVENTS, preflight)).status).toBe(204);
          expect((await post(proxy.port, agent, key, event())).status).toBe(200);
          expect((await call(proxy.port, agent, 'HEAD', '/healthz')).status).toBe(200);
        }
        agent.destroy();
      }),
    );
    // Connections of the other tests count too.
    expect(wire.taken - takenBefore).toBeLessThan(100);
  });

  it('a body of 1 MiB passes, and a larger one gets the 413 of the service', async ({ skip }) => {
    const { proxy, key } = using(skip);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 3; round++) {
      expect((await post(proxy.port, agent, key, event(API_LIMITS.bodyBytes))).status).toBe(200);
    }
    const large = await post(proxy.port, agent, key, event(API_LIMITS.bodyBytes + 1));
    expect(large.status).toBe(413);
    expect(JSON.parse(large.body)).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await post(proxy.port, agent, key, event())).status).toBe(200);
    agent.destroy();
  });

  it('a stream is passed on without buffering and survives a long silence', async ({ skip }) => {
    const { gateway, proxy, key } = using(skip);
    const stream = await openStream(`http://127.0.0.1:${proxy.port}`, key);
    await until('the first message', () => stream.messages.length === 1, 2_000);
    const { reader } = await until('the stream is attached', () => gateway.feed.attached.at(-1));
    await delay(silenceMs(name));
    reader.write(Buffer.from('data: {"type":"late"}\n\n'));
    await until('the message after the silence', () => stream.messages.length === 2, 2_000);
    stream.close();
    // HAProxy notices with the next message, which the service sends every 30 seconds.
    await until('the gateway sees the reader go', () => {
      reader.write(Buffer.from('data: {"type":"heartbeat"}\n\n'));
      return gateway.feed.attached.at(-1)?.detached;
    });
  });

  it('a stream that the service ends is well-formed', async ({ skip, onTestFinished }) => {
    using(skip);
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const proxy = await startReverseProxy(name, gateway.port);
    onTestFinished(() => proxy.stop());
    const response = await fetch(`http://127.0.0.1:${proxy.port}/v1/events/events/stream`, {
      headers: { 'X-API-Key': await gateway.key() },
    });
    const { reader } = await until('the stream is attached', () => gateway.feed.attached.at(-1));
    reader.end();
    expect(await response.text()).toContain('"type":"connected"');
  });

  it('a write succeeds after any silence', async ({ skip }) => {
    const { proxy, key } = using(skip);
    // Around the times at which the service and the proxy close idle connections.
    const pausesMs = [3_900, 4_100, 5_000, 6_000, 7_900, 8_100, 9_000, 10_000, 11_000, 11_900, 12_100, silenceMs(name)];
    const answers = await Promise.all(
      pausesMs.map(async (pauseMs) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const first = await post(proxy.port, agent, key, event());
        await delay(pauseMs);
        const second = await post(proxy.port, agent, key, event());
        agent.destroy();
        return [first.status, second.status];
      }),
    );
    expect(answers).toEqual(pausesMs.map(() => [200, 200]));
  });

  it('requests fail only while the service restarts', async ({ skip, onTestFinished }) => {
    using(skip);
    const port = await reservedPort();
    let gateway = await startGateway({ port });
    onTestFinished(() => gateway.close());
    const proxy = await startReverseProxy(name, port);
    onTestFinished(() => proxy.stop());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let round = 0; round < 3; round++) {
      expect((await post(proxy.port, agent, await gateway.key(), event())).status).toBe(200);
      await gateway.close();
      expect((await post(proxy.port, agent, 'any', event())).status).toBeGreaterThanOrEqual(502);
      gateway = await startGateway({ port });
      expect((await post(proxy.port, agent, await gateway.key(), event())).status).toBe(200);
    }
  });

  it('no request reaches the service inside the body of another', async ({ skip }) => {
    const { gateway, proxy, key } = using(skip);
    const hidden = `GET /v1/players/players/${playerIn(1, 7)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
    const body = event() + hidden;
    const length = `Content-Length: ${body.length}`;
    const attempts = [
      [': x', length],
      ['Content-Length:', length],
      ['Content-Length: 0', length],
      [length, 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding:', length],
      ['Transfer-Encoding: xchunked', length],
      ['X-A: b\rContent-Length: 0', length],
    ];
    for (const lines of attempts) {
      const head = ['POST /v1/events/events HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, ...lines, '', ''].join('\r\n');
      // The outer request may get a response; the hidden request must not.
      await sendRaw(proxy.port, [head + body], (text) => text.includes('\r\n\r\n'));
    }
    const probe = openRaw(proxy.port);
    probe.send(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect((await probe.answer('GET')).status).toBe(200);
    probe.destroy();
    const reached = gateway.backend.calls.filter(({ entityId }) => entityId === playerIn(1, 7));
    expect(reached).toEqual([]);
  });

  it('hides the metrics', async ({ skip }) => {
    const { proxy } = using(skip);
    const agent = new Agent();
    expect((await call(proxy.port, agent, 'GET', '/metrics')).status).toBe(404);
    expect((await call(proxy.port, agent, 'GET', '/healthz')).status).toBe(200);
    agent.destroy();
  });
});

function post(port: number, agent: Agent, key: string, body: string) {
  return call(port, agent, 'POST', EVENTS, { 'X-API-Key': key, 'Content-Type': 'application/json' }, body);
}

/** Sends one request. `body` of the result is the text of the response. */
function call(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, agent, method, path, headers: { ...headers, 'Content-Length': body.length } },
      (response: IncomingMessage) => {
        let text = '';
        response.on('data', (data) => (text += data));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
