import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_LIMITS } from '../../../src/api/limits.ts';
import { createPeople, type People } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';

/* The order of refusals: each request has all the faults of those below it, and is refused for the first. */

let gateway: Gateway;
let people: People;
beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  people = createPeople(gateway);
});
afterAll(() => gateway.close());

type Sent = [path: string, headers: Record<string, string>, body: string | Buffer];

async function answers(requests: readonly Sent[]): Promise<string[]> {
  const found: string[] = [];
  for (const [path, headers, body] of requests) {
    const response = await fetch(gateway.url + path, { method: 'POST', headers, body });
    const text = await response.text();
    const shown = /"path":"(.*?)"/.exec(text)?.[1] ?? '';
    found.push(`${response.status} ${shown}`.trim());
  }
  return found;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT_TYPE = { 'Content-Type': 'text/plain' };
const LARGE = 'x'.repeat(API_LIMITS.bodyBytes + 1);
const FLAG = JSON.stringify({ key: 'refused', name: 'Refused', flag_type: 'boolean' });

describe('a request with several faults is refused for the first of its steps', () => {
  it('with a key: key, permission, parameters, size, type, JSON, fields', async () => {
    const path = '/v1/flags/flags';
    const client = { 'X-API-Key': await gateway.key({ kind: 'client' }) };
    const server = { 'X-API-Key': await gateway.key() };
    const requests: Sent[] = [
      [`${path}?a=1`, { ...TEXT_TYPE, 'X-API-Key': 'sk_live_unknown' }, LARGE],
      [`${path}?a=1`, { ...TEXT_TYPE, ...client }, LARGE],
      [`${path}?a=1`, { ...TEXT_TYPE, ...server }, LARGE],
      [path, { ...TEXT_TYPE, ...server }, LARGE],
      [path, { ...TEXT_TYPE, ...server }, '{'],
      [path, { ...JSON_TYPE, ...server }, '{'],
      [path, { ...JSON_TYPE, ...server }, '{"key":1}'],
      [path, { ...JSON_TYPE, ...server }, FLAG],
    ];
    expect(await answers(requests)).toEqual(['401', '403', '400 a', '413', '415', '400', '400 /flag_type', '201']);
  });

  it('with a session: token against other sites, place, role, parameters, type', async () => {
    const path = '/v1/segments/segments';
    const headersOf = ({ cookie, csrf }: { cookie: string; csrf: string }) => ({
      Cookie: cookie,
      'X-CSRF-Token': csrf,
    });
    const [viewer, editor] = await Promise.all(
      (['viewer', 'editor'] as const).map((role) => people.signedIn({ game: 'demo', environment: 'live', role })),
    );
    if (viewer === undefined || editor === undefined) throw new Error('the people are not signed in');
    const place = { 'X-Game': 'demo', 'X-Environment': 'live' };
    const requests: Sent[] = [
      [`${path}?a=1`, { ...TEXT_TYPE, Cookie: editor.cookie }, '{'],
      [`${path}?a=1`, { ...TEXT_TYPE, ...headersOf(editor) }, '{'],
      [`${path}?a=1`, { ...TEXT_TYPE, ...headersOf(viewer), ...place }, '{'],
      [`${path}?a=1`, { ...TEXT_TYPE, ...headersOf(editor), ...place }, '{'],
      [path, { ...TEXT_TYPE, ...headersOf(editor), ...place }, '{'],
      [path, { ...JSON_TYPE, ...headersOf(editor), ...place }, '{'],
    ];
    expect(await answers(requests)).toEqual(['403', '403', '403', '400 a', '415', '400']);
  });

  it('with a key in its body: size and compression come before the key, which comes before JSON', async () => {
    const path = '/v1/batch';
    const key = await gateway.key();
    const requests: Sent[] = [
      [path, {}, LARGE],
      [path, {}, Buffer.from([0x1f, 0x8b, 1])],
      [path, {}, '{"writeKey":"sk_live_unknown"'],
      [path, {}, `{"batch":1,"writeKey":"${key}"`],
      [path, {}, `{"batch":[],"writeKey":"${key}"}`],
    ];
    expect(await answers(requests)).toEqual(['400', '400', '401', '400', '200']);
  });

  it('about a person: origin, session, parameters, type, JSON', async () => {
    const path = '/v1/console/password';
    const put = async (headers: Record<string, string>, query: string, body: string) =>
      (await fetch(gateway.url + path + query, { method: 'PUT', headers, body })).status;
    const { cookie, csrf } = await people.signedIn();
    const own = { Cookie: cookie, 'X-CSRF-Token': csrf };
    const statuses = [
      await put({ ...TEXT_TYPE, Origin: 'https://other.example', Cookie: 'session=none' }, '?a=1', '{'),
      await put({ ...TEXT_TYPE, Cookie: cookie }, '?a=1', '{'),
      await put({ ...TEXT_TYPE, ...own }, '?a=1', '{'),
      await put({ ...TEXT_TYPE, ...own }, '', '{'),
      await put({ ...JSON_TYPE, ...own }, '', '{'),
    ];
    expect(statuses).toEqual([403, 403, 400, 415, 400]);
  });
});
