import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accept, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { isWhole, sendRaw } from '../../support/wire/raw-http.ts';

/* Mistakes in a request's head that would otherwise answer something else than the caller asked for. */

const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

let gateway: Gateway;
let server: string;

beforeAll(async () => {
  gateway = await startGateway();
  server = await gateway.key();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.backend.calls.length = 0;
  gateway.backend.reply = accept;
});

async function send(
  method: string,
  path: string,
  headers: string,
  body = '',
): Promise<{ status: number | undefined; text: string }> {
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return sendRaw(gateway.port, [head + body], isWhole);
}
const withKey = (method: string, path: string, body = '') =>
  send(method, path, `X-API-Key: ${server}\r\nContent-Type: application/json`, body);

describe('an unknown query parameter', () => {
  it.each([
    [
      'GET',
      '/v1/segments/segments?limti=5',
      '`limti` is not a query parameter of this endpoint, which has limit, cursor',
    ],
    [
      'GET',
      `/v1/players/players/${PLAYER}?include=all`,
      '`include` is not a query parameter of this endpoint, which has none',
    ],
    ['GET', `/v1/segments/segments?__proto__=1`, '`__proto__` is not a query parameter'],
    ['POST', `/v1/players/players/${PLAYER}/purchase?ammount=5`, '`ammount` is not a query parameter'],
    ['DELETE', '/v1/segments/segments/s?force=true', '`force` is not a query parameter'],
  ])('of %s %s is refused and named with those that the endpoint has', async (method, path, message) => {
    const { status, text } = await withKey(method, path);
    expect(status).toBe(400);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      error: { code: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
    });
    expect(gateway.backend.calls).toEqual([]);
  });

  it('is ignored where the clients of others add their own', async () => {
    const context = `{"context":{"targetingKey":"p"}}`;
    expect((await withKey('POST', '/ofrep/v1/evaluate/flags?tenant=x', context)).text).not.toContain('VALIDATION');
    const page = '{"batch":[{"type":"page","userId":"u"}]}';
    expect((await withKey('POST', '/v1/batch?_=1768473000&retryCount=1', page)).status).toBe(200);
    const path = `/sourceConfig?p=web&v=3&writeKey=${server}&sourceType=x`;
    expect((await send('GET', path, 'Accept: */*')).status).toBe(200);
    expect((await send('GET', '/healthz?probe=1', 'Accept: */*')).status).not.toBe(400);
  });
});

describe('a key in the wrong form', () => {
  it.each([
    (key: string) => `Authorization: ${key}`,
    (key: string) => `Authorization: Token ${key}`,
    (key: string) => `Authorization: ApiKey ${key}`,
    (key: string) => `Authorization: Bearer${key}`,
  ])('without Bearer gets an answer that says so (%#)', async (header) => {
    const { status, text } = await send('GET', '/v1/segments/segments', header(server));
    expect(status).toBe(401);
    expect(text).toContain('Authorization: Bearer <key>');
    expect(text).not.toContain(server);
  });

  it('as X-API-Key with Bearer gets an answer that says so', async () => {
    const { status, text } = await send('GET', '/v1/segments/segments', `X-API-Key: Bearer ${server}`);
    expect(status).toBe(401);
    expect(text).toContain('without `Bearer`');
  });

  it('that was not sent gets the other answer', async () => {
    expect((await send('GET', '/v1/segments/segments', 'Accept: */*')).text).toContain('No API key was sent');
    const unknown = await send('GET', '/v1/segments/segments', 'Authorization: Bearer sk_live_wrong');
    expect(unknown.text).toContain('unknown, revoked or expired');
  });
});
