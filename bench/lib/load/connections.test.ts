import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { openConnections } from './connections.ts';

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A server that echoes bodies. @param port 0: any */
async function serve(port: number): Promise<number> {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) }).end(body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const request = (body: string) =>
  Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

test('each answer comes with the token of its request, and with its body only where that was wanted', async () => {
  const url = new URL(`http://127.0.0.1:${await serve(0)}`);
  const reported: string[] = [];
  const connections = await openConnections<string>(url, 4, {
    onAnswer: (token, status, body) => void reported.push(`${token} ${status} ${body}`),
    onFailed: (token, reason) => void reported.push(`${token} ${reason}`),
  });
  for (const name of ['a', 'b', 'c', 'd']) connections.send(request(`body-${name}`), name, name < 'c');
  expect(connections.hasIdle).toBe(false);
  expect(connections.send(request('one too many'), 'e')).toBe(false);
  await until('all are answered', () => reported.length === 4);
  expect(reported.toSorted()).toEqual(['a 200 body-a', 'b 200 body-b', 'c 200 ', 'd 200 ']);
  expect(connections.hasIdle).toBe(true);
  connections.close();
});

/** Several attempts to reconnect. */
const AWAY_MS = 350;

test('lost connections are all opened again once the server is back, and no more of them', async () => {
  const port = await serve(0);
  let answered = 0;
  const connections = await openConnections<number>(new URL(`http://127.0.0.1:${port}`), 8, {
    onAnswer: () => void (answered += 1),
    onFailed: () => {},
  });
  server.closeAllConnections();
  server.close();
  const lostAtMs = performance.now();
  await until(
    'attempts to reconnect have failed',
    () => !connections.hasIdle && performance.now() > lostAtMs + AWAY_MS,
  );

  const coming = serve(port);
  let opened = 0;
  server.on('connection', () => void (opened += 1));
  await coming;
  await until('eight are answered again', () => {
    while (connections.send(request('again'), 0));
    return answered >= 8;
  });
  expect(opened).toBe(8);
  connections.close();
});
