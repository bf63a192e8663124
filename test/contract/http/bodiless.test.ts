import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playerIn, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { openRaw } from '../../support/wire/raw-http.ts';

const run = promisify(execFile);

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const EVENTS = '/v1/events/events';
const PLAYER = `/v1/players/players/${playerIn(0)}`;
const FLAGS = '/ofrep/v1/evaluate/flags';
const CONTEXT = JSON.stringify({ context: { targetingKey: 'player_12345' } });

/** A request's bytes. @param more further header lines */
function bytes(method: string, path: string, more: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `X-API-Key: ${key}`, ...more, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
const PREFLIGHT = ['Origin: https://game.example', 'Access-Control-Request-Method: POST'];

describe('a response without a body', () => {
  it.each([
    ['a preflight', 'OPTIONS', EVENTS, 204],
    ['OPTIONS of an open route', 'OPTIONS', '/healthz', 204],
    ['HEAD of an open route', 'HEAD', '/healthz', 200],
    ['HEAD of the metrics', 'HEAD', '/metrics', 200],
    ['HEAD of the API description', 'HEAD', '/openapi.json', 200],
    ['HEAD of a keyed route', 'HEAD', PLAYER, 200],
    ['HEAD of a bad id', 'HEAD', '/v1/players/players/x', 400],
    ['HEAD of an unknown path', 'HEAD', '/nowhere', 404],
    ['HEAD where only POST is served', 'HEAD', '/v1/events/events/batch', 405],
  ])('%s: the connection serves the next request', async (_name, method, path, status) => {
    const connection = openRaw(gateway.port);
    const more = method === 'OPTIONS' ? PREFLIGHT : [];
    for (let round = 0; round < 3; round++) {
      connection.send(bytes(method, path, more));
      const { status: answered, headers } = await connection.answer(method);
      expect(answered).toBe(status);
      if (method === 'OPTIONS') expect(headers.has('content-length')).toBe(false);
    }
    connection.send(bytes('POST', EVENTS, [], JSON.stringify({ player_id: playerIn(0), event_name: 'e' })));
    expect((await connection.answer('POST')).status).toBe(200);
    connection.destroy();
  });

  it.each(['/healthz', '/openapi.json', PLAYER, '/v1/players/players/x', '/nowhere'])(
    'HEAD %s has the Content-Length and the type of the GET',
    async (path) => {
      const connection = openRaw(gateway.port);
      connection.send(bytes('GET', path));
      const get = await connection.answer('GET');
      connection.send(bytes('HEAD', path));
      const head = await connection.answer('HEAD');
      expect(head.status).toBe(get.status);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.headers.get('content-length')).toBe(String(get.body.length));
      connection.destroy();
    },
  );

  it('an OFREP 304 has neither type nor length, and its connection serves the next request', async () => {
    gateway.backend.reply = () => ({ kind: 'flags', evaluations: [], unknownFlags: [], durationUs: 3 });
    const connection = openRaw(gateway.port);
    connection.send(bytes('POST', FLAGS, [], CONTEXT));
    const { status, headers } = await connection.answer('POST');
    expect(status).toBe(200);
    for (let round = 0; round < 3; round++) {
      connection.send(bytes('POST', FLAGS, [`If-None-Match: ${headers.get('etag')}`], CONTEXT));
      const unchanged = await connection.answer('POST');
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get('etag')).toBe(headers.get('etag'));
      expect(unchanged.headers.has('content-length')).toBe(false);
      expect(unchanged.headers.has('content-type')).toBe(false);
    }
    connection.send(bytes('GET', '/healthz'));
    expect((await connection.answer('GET')).status).toBe(200);
    connection.destroy();
  });

  it('announces when it is the last on its connection', async () => {
    const connection = openRaw(gateway.port);
    connection.send(bytes('HEAD', '/healthz', ['Transfer-Encoding: chunked']));
    expect((await connection.answer('HEAD')).headers.get('connection')).toBe('close');
    connection.destroy();
  });

  it('announces the end of its connection when the server is closing', async () => {
    gateway.backend.reply = () => new Promise(() => {});
    const held = openRaw(gateway.port);
    held.send(bytes('GET', PLAYER));
    const connection = openRaw(gateway.port);
    connection.send(bytes('HEAD', '/healthz'));
    await connection.answer('HEAD');
    const closing = gateway.close();
    connection.send(bytes('HEAD', '/healthz'));
    expect((await connection.answer('HEAD')).headers.get('connection')).toBe('close');
    held.destroy();
    await Promise.all([connection.closed, closing]);
  });
});

/** Runs a program, or skips the test if it is not installed. */
async function runOrSkip(skip: (note: string) => never, program: string, args: readonly string[]) {
  try {
    return await run(program, args);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') skip(`${program} is not installed`);
    throw error;
  }
}

describe('real clients continue after a response without a body', () => {
  it('node:http with a keep-alive agent', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = (method: string, path: string) =>
      new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
        const sent = request(gateway.url + path, { method, agent, headers: { 'X-API-Key': key } }, (response) => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode, reused: sent.reusedSocket }));
        });
        sent.on('error', reject);
        sent.end();
      });
    expect(await call('OPTIONS', EVENTS)).toEqual({ status: 204, reused: false });
    expect(await call('HEAD', PLAYER)).toEqual({ status: 200, reused: true });
    expect(await call('OPTIONS', '/healthz')).toEqual({ status: 204, reused: true });
    expect(await call('GET', PLAYER)).toEqual({ status: 200, reused: true });
    agent.destroy();
  });

  it('curl', async ({ skip }) => {
    const transfers = [
      ['-X', 'OPTIONS', gateway.url + EVENTS],
      ['-I', `${gateway.url}/openapi.json`],
      [`${gateway.url}/healthz`],
    ];
    const write = ['-sS', '-o', '/dev/null', '-w', '%{http_code} %{num_connects}\n'];
    const args = transfers.flatMap((transfer, index) => [...(index === 0 ? [] : ['--next']), ...write, ...transfer]);
    const { stdout } = await runOrSkip(skip, 'curl', args);
    expect(stdout).toBe('204 1\n200 0\n200 0\n');
  });

  it("Python's http.client", async ({ skip }) => {
    const script = `
import http.client, sys
connection = http.client.HTTPConnection('127.0.0.1', ${gateway.port}, timeout=20)
sockets = set()
for method, path in [('OPTIONS', '${EVENTS}'), ('HEAD', '/openapi.json'), ('OPTIONS', '/healthz'), ('GET', '/healthz')]:
    connection.request(method, path)
    answer = connection.getresponse()
    answer.read()
    sockets.add(id(connection.sock))
    print(answer.status)
print(len(sockets))
`;
    const { stdout } = await runOrSkip(skip, 'python3', ['-c', script]);
    expect(stdout.split('\n')).toEqual(['204', '200', '204', '200', '1', '']);
  });

  it("Node's fetch: a process that sent OPTIONS ends at once", async () => {
    const script = `
const { status } = await fetch(process.argv[1], { method: 'OPTIONS' });
const answeredMs = performance.now();
process.on('exit', () => console.log(status, performance.now() - answeredMs));
`;
    const args = ['--input-type=module', '-e', script, gateway.url + EVENTS];
    const { stdout } = await run(process.execPath, args);
    const [status, lingeredMs] = stdout.split(' ').map(Number);
    expect(status).toBe(204);
    expect(lingeredMs).toBeLessThan(4_000);
  });
});
