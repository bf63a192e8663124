import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTE_LIMITS } from '../../../src/api/route/limits.ts';
import { playerIn, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { openRaw, sendRaw } from '../../support/wire/raw-http.ts';
import { until } from '../../support/until.ts';

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.key();
});
beforeEach(() => {
  gateway.backend.calls = [];
});
afterAll(() => gateway.close());

const EVENT = JSON.stringify({ player_id: playerIn(0), event_name: 'e' });
const PLAYER = `/v1/players/players/${playerIn(0)}`;
/** A request that a parser of the other framing reads as the rest of a body. */
const hidden = () => `GET ${PLAYER} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
const head = (framing: readonly string[], path = '/v1/events/events', method = 'POST') =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    ...framing,
    '',
    '',
  ].join('\r\n');

const AMBIGUOUS: [string, string[]][] = [
  ['two different Content-Length', [`Content-Length: ${EVENT.length}`, 'Content-Length: 500']],
  ['the same Content-Length twice', [`Content-Length: ${EVENT.length}`, `Content-Length: ${EVENT.length}`]],
  ['an empty Content-Length before another', ['Content-Length:', 'Content-Length: 500']],
  ['an empty Content-Length', ['Content-Length:']],
  ['Content-Length after an empty Transfer-Encoding', ['Transfer-Encoding:', `Content-Length: ${EVENT.length}`]],
  ['an empty Transfer-Encoding before another', ['Transfer-Encoding:', 'Transfer-Encoding: chunked']],
  ['Transfer-Encoding: identity', ['Transfer-Encoding: identity']],
  ['Transfer-Encoding: gzip, chunked', ['Transfer-Encoding: gzip, chunked']],
  ['Transfer-Encoding: xchunked', ['Transfer-Encoding: xchunked']],
  ['Content-Length: +5', ['Content-Length: +5']],
  ['Content-Length: 5, 5', ['Content-Length: 5, 5']],
  ['Content-Length: 0x5', ['Content-Length: 0x5']],
  ['a Content-Length past 18 digits', [`Content-Length: ${'9'.repeat(20)}`]],
  ['two Host', ['Host: y', `Content-Length: ${EVENT.length}`]],
];

describe('a request that two HTTP parsers may delimit differently', () => {
  it.each(AMBIGUOUS)('%s is 400, closes the connection, and runs nothing', async (_name, framing) => {
    const { status, text, closedByServer } = await sendRaw(gateway.port, [head(framing) + EVENT + hidden()]);
    expect({ status, closedByServer }).toEqual({ status: 400, closedByServer: true });
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(text).toContain('Connection: close');
    const body: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
    expect(gateway.backend.calls).toEqual([]);
  });

  it.each(['/healthz', '/openapi.json', '/nowhere', PLAYER])('is 400 at GET %s too', async (path) => {
    const bytes = head(['Content-Length: 0', 'Content-Length: 500'], path, 'GET') + hidden();
    expect(await sendRaw(gateway.port, [bytes])).toMatchObject({ status: 400, closedByServer: true });
    expect(gateway.backend.calls).toEqual([]);
  });

  it('closes the connection of HEAD without a response', async () => {
    const bytes = head(['Content-Length: 0', 'Content-Length: 500'], '/healthz', 'HEAD') + hidden();
    expect(await sendRaw(gateway.port, [bytes])).toMatchObject({ status: undefined, closedByServer: true });
    expect(gateway.backend.calls).toEqual([]);
  });

  it.each([
    ['a folded header', ['X-A: b', ' c']],
    ['a folded Content-Length', ['Content-Length:', ' 5']],
    ['a space before the colon', ['Content-Length : 5']],
    ['a space in a name', ['X A: 5']],
    ['a bare CR', ['X-A: b\rContent-Length: 5']],
    ['a bare LF', ['X-A: b\nContent-Length: 5']],
    ['a NUL', ['X-A: b\0c']],
  ])('%s never reaches a handler', async (_name, framing) => {
    const connection = openRaw(gateway.port);
    connection.send(head(framing) + EVENT + hidden());
    await delay(100);
    connection.destroy();
    expect(gateway.backend.calls).toEqual([]);
  });
});

describe('a chunked request', () => {
  const chunked = (body: string) => head(['Transfer-Encoding: chunked']) + body;
  const WHOLE = `${EVENT.length.toString(16)}\r\n${EVENT}\r\n0\r\n\r\n`;

  it('gets a response and is the last on its connection', async () => {
    const { status, text, closedByServer } = await sendRaw(gateway.port, [chunked(WHOLE)]);
    expect({ status, closedByServer }).toEqual({ status: 200, closedByServer: true });
    expect(text).toContain('Connection: close');
    expect(gateway.backend.calls).toHaveLength(1);
  });

  it.each([
    ['after its end', WHOLE],
    ['in place of a trailer', WHOLE.slice(0, -2) + 'ab'],
    ['after a size that is no number', 'g\r\n0123456789abcdef\r\n0\r\n\r\n'],
    ['after a chunk that ends without CRLF', '5\r\nhello__0\r\n\r\n'],
    ['after a bare LF', '5\nhello\r\n0\r\n\r\n'],
  ])('is not followed by another request: %s', async (_name, body) => {
    for (const path of ['/v1/events/events', '/healthz', '/nowhere']) {
      gateway.backend.calls = [];
      const first = head(['Transfer-Encoding: chunked'], path) + body;
      const { closedByServer } = await sendRaw(gateway.port, [first + hidden()]);
      expect(closedByServer).toBe(true);
      expect(gateway.backend.calls.filter((call) => call.body.kind === 'GetPlayer')).toEqual([]);
    }
  });
});

describe('a connection', () => {
  it('is kept open and announces for how long, unless the client closes it', async () => {
    const connection = openRaw(gateway.port);
    for (const path of ['/healthz', PLAYER, '/nowhere']) {
      connection.send(head([], path, 'GET'));
      const { headers } = await connection.answer('GET');
      expect(headers.get('connection')).toBe('keep-alive');
      expect(headers.get('keep-alive')).toBe(`timeout=${ROUTE_LIMITS.keepAliveSeconds}`);
    }
    for (const close of ['close', 'Close', 'close, TE']) {
      const closing = openRaw(gateway.port);
      closing.send(head([`Connection: ${close}`], '/healthz', 'GET'));
      const { headers } = await closing.answer('GET');
      expect(headers.get('connection')).toBe('close');
      expect(headers.has('keep-alive')).toBe(false);
      await closing.closed;
    }
    connection.destroy();
  });

  it('is closed some seconds after the announced time', async () => {
    const used = openRaw(gateway.port);
    const idle = openRaw(gateway.port);
    for (const connection of [used, idle]) {
      connection.send(head([], '/healthz', 'GET'));
      await connection.answer('GET');
    }
    await delay(ROUTE_LIMITS.keepAliveSeconds * 1000 + 1000);
    used.send(head([], '/healthz', 'GET'));
    expect((await used.answer('GET')).status).toBe(200);
    used.destroy();
    await idle.closed;
  });

  it('of a stream ends with the stream, with a well-formed last chunk', async () => {
    const response = await gateway.call(key, 'GET', '/v1/events/events/stream');
    expect(response.headers.get('connection')).toBe('close');
    const { reader } = await until('the stream is attached', () => gateway.feed.attached.at(-1));
    reader.end();
    expect(await response.text()).toContain('"type":"connected"');
  });
});
