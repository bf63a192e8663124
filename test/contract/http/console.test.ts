import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant, UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { openConsoleFiles } from '../../../src/gateway/console-files.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import { SIGN_IN_LIMITS } from '../../../src/api/console/sign-in/limits.ts';
import { createPasswordHashes } from '../../../core/kernel/secrets/password-hash.ts';
import { newUser, userAddress, withToken } from '../../../streams/config/people/users.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

/* People: signing in and out, and what a session may do. */

let gateway: Gateway;
let users = 0;
/** Each test calls from another network, because sign-ins of one network are limited. */
let networks = 0;

beforeAll(async () => {
  gateway = await startGateway({
    passwords: createPasswordHashes({ cost: { N: 16, r: 1, p: 1 } }),
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
});
afterAll(() => gateway.close());

const EVERYWHERE = { game: '*', environment: '*' } as const;
const DEMO = { 'X-Game': 'demo', 'X-Environment': 'live' };

async function addUser(...grants: Grant[]): Promise<UserDocument> {
  users += 1;
  const user = newUser(`user-${users}@example.com`, grants, systemClock, systemIds);
  await gateway.config.put(userAddress(user.id), user);
  return user;
}
const stored = (user: UserDocument) => gateway.config.get(userAddress(user.id))?.document ?? user;

async function linkOf(user: UserDocument, lifeMs = 60_000): Promise<string> {
  const made = withToken(stored(user), 'link', lifeMs, systemClock, systemIds);
  await gateway.config.put(userAddress(user.id), made.user);
  return made.token;
}

interface Session {
  cookie: string;
  csrf: string;
  /** Of the Set-Cookie header. */
  attributes: string;
}

function network(): Record<string, string> {
  networks += 1;
  return { 'X-Forwarded-For': `10.0.${networks >> 8}.${networks & 255}` };
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
  gateway.call(undefined, 'POST', '/v1/console/sessions', body, { ...network(), ...headers });

async function sessionIn(response: Response): Promise<Session> {
  expect(response.status).toBe(200);
  const [cookie = '', ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');
  const { data } = await bodyOf(response);
  return { cookie, csrf: data.csrf_token, attributes: attributes.join('; ') };
}

async function bodyOf(response: Response) {
  const body: { data: { csrf_token: string; user: { email: string } }; error?: { code: string; message: string } } =
    JSON.parse(await response.text());
  return body;
}

const signIn = async (user: UserDocument, headers: Record<string, string> = {}): Promise<Session> =>
  sessionIn(await post({ link: await linkOf(user) }, headers));

const asUser = ({ cookie, csrf }: Session, method: string, path: string, body?: unknown, extra = {}) =>
  gateway.call(undefined, method, path, body, {
    Cookie: cookie,
    ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrf }),
    ...DEMO,
    ...extra,
  });

const HOST = 'console.example.com';

/** Calls under a host name, which `fetch` does not let a caller choose. */
async function atHost(method: string, path: string, headers: Record<string, string>, body = '') {
  const sent = request(gateway.url + path, {
    method,
    headers: { ...network(), Host: HOST, 'Content-Type': 'application/json', ...headers },
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('there is no response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, cookies: response.headers['set-cookie'], text };
}

const SEGMENT = { key: 'big', name: 'Big', conditions: { session_count: { gte: 10 } } };

describe('a one-time link', () => {
  it('signs in once, with a cookie that scripts and other sites cannot use', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const link = await linkOf(user);
    const session = await sessionIn(await post({ link }));
    expect(session.attributes).toBe('Path=/; Max-Age=43200; HttpOnly; SameSite=Strict');
    const me = await asUser(session, 'GET', '/v1/console/me');
    expect(me.headers.get('cache-control')).toBe('no-store');
    expect((await bodyOf(me)).data.user.email).toBe(user.email);
    expect((await post({ link })).status).toBe(401);
  });

  it('signs in once, also when it is used twice at the same time, and reading its page does not use it', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const link = await linkOf(user);
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      await gateway.call(undefined, method, `/console/link?${link}`);
      await gateway.call(undefined, method, '/v1/console/sessions');
    }
    const answers = await Promise.all([post({ link }), post({ link }), post({ link })]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
    expect(stored(user)).toMatchObject({ links: [], sessions: [{}] });
  });

  it('works no more when it has expired, and a text that is none has the same answer', async () => {
    const user = await addUser();
    const late = await post({ link: await linkOf(user, 0) });
    const wrong = await post({ link: `cl_${user.id}.${'A'.repeat(43)}` });
    const other = await post({ link: 'x' });
    for (const response of [late, wrong, other]) {
      expect(response.status).toBe(401);
      expect((await bodyOf(response)).error?.message).toContain('unknown, used or expired');
    }
  });

  it('sets a cookie of this host alone when the page was loaded over TLS', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const host = `127.0.0.1:${gateway.port}`;
    const session = await sessionIn(await post({ link: await linkOf(user) }, { Origin: `https://${host}` }));
    expect(session.cookie).toMatch(/^__Host-console=/);
    expect(session.attributes).toContain('Secure');
    expect((await asUser(session, 'GET', '/v1/console/me')).status).toBe(200);
  });
});

describe('a session', () => {
  it('is a new one after every sign-in, and the planted one ends', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'editor' });
    const planted = await signIn(user);
    const own = await signIn(user, { Cookie: planted.cookie });
    expect(own.cookie).not.toBe(planted.cookie);
    expect((await asUser(planted, 'GET', '/v1/console/me')).status).toBe(401);
    expect((await asUser(own, 'GET', '/v1/console/me')).status).toBe(200);
  });

  it('in a plain cookie counts on this machine only, and not where a proxy says that the page came over TLS', async () => {
    const planted = await signIn(await addUser({ ...EVERYWHERE, role: 'viewer' }));
    expect((await atHost('GET', '/v1/console/me', { Cookie: planted.cookie })).status).toBe(401);
    const elsewhere: Record<string, string>[] = [
      { 'X-Forwarded-Proto': 'https' },
      { Origin: `https://127.0.0.1:${gateway.port}` },
    ];
    for (const headers of elsewhere) {
      for (const path of ['/v1/console/me', '/v1/flags/flags']) {
        const { status } = await asUser(planted, 'GET', path, undefined, headers);
        expect(status, `${path} ${JSON.stringify(headers)}`).toBe(401);
      }
    }
    expect((await asUser(planted, 'GET', '/v1/console/me')).status).toBe(200);
  });

  it('is made without TLS on this machine only', async () => {
    const link = await linkOf(await addUser());
    const at = (protocol: string) =>
      atHost('POST', '/v1/console/sessions', { Origin: `${protocol}://${HOST}` }, JSON.stringify({ link }));
    const open = await at('http');
    expect([open.status, open.text]).toEqual([403, expect.stringContaining('Open the console over https')]);
    const tls = await at('https');
    expect([tls.status, tls.cookies]).toEqual([200, [expect.stringMatching(/^__Host-console=.*; Secure$/)]]);
  });

  it('that another host of the domain planted over TLS changes nothing', async () => {
    const attacker = await addUser({ ...EVERYWHERE, role: 'admin' });
    const planted = await signIn(attacker);
    const overTls = { Origin: `https://127.0.0.1:${gateway.port}` };
    expect(planted.cookie).toMatch(/^console=/);
    expect((await asUser(planted, 'POST', '/v1/segments/segments', SEGMENT, overTls)).status).toBe(401);
    // The host's own cookie counts, whatever else is there.
    const own = await sessionIn(await post({ link: await linkOf(attacker) }, overTls));
    const both = { ...own, cookie: `${planted.cookie}; ${own.cookie}` };
    expect((await asUser(both, 'DELETE', '/v1/console/session', undefined, overTls)).status).toBe(200);
    expect((await asUser(own, 'GET', '/v1/console/me')).status).toBe(401);
    expect((await asUser(planted, 'GET', '/v1/console/me')).status).toBe(200);
  });

  it('of another user of the browser ends too', async () => {
    const attacker = await addUser({ ...EVERYWHERE, role: 'admin' });
    const planted = await signIn(attacker);
    await signIn(await addUser({ ...EVERYWHERE, role: 'viewer' }), { Cookie: planted.cookie });
    expect(stored(attacker).sessions).toEqual([]);
  });

  it('is not made of a token that was not given out', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'admin' });
    const made = { cookie: `console=cs_${user.id}.${'A'.repeat(43)}`, csrf: '', attributes: '' };
    expect((await asUser(made, 'GET', '/v1/console/me')).status).toBe(401);
    expect((await asUser(made, 'GET', '/v1/flags/flags')).status).toBe(401);
  });

  it('ends in one browser, or in all', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const [one, two, three] = [await signIn(user), await signIn(user), await signIn(user)];
    const gone = await asUser(one, 'DELETE', '/v1/console/session');
    expect(gone.headers.get('set-cookie')).toMatch(/^console=; .*Max-Age=0/);
    expect((await asUser(one, 'GET', '/v1/console/me')).status).toBe(401);
    expect((await asUser(two, 'DELETE', '/v1/console/sessions')).status).toBe(200);
    for (const session of [two, three]) expect((await asUser(session, 'GET', '/v1/console/me')).status).toBe(401);
  });

  it('ends the streams that it opened', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const session = await signIn(user);
    const response = await asUser(session, 'GET', '/v1/events/events/stream');
    expect(response.status).toBe(200);
    await asUser(session, 'DELETE', '/v1/console/session');
    expect(await response.text()).toContain('connected');
    expect(gateway.feed.attached.at(-1)?.detached).toBe(true);
  });

  it('has a bounded number beside it: the oldest ends', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const first = await signIn(user);
    for (let more = 0; more < CONFIG_LIMITS.userSessions; more += 1) await signIn(user);
    expect(stored(user).sessions).toHaveLength(CONFIG_LIMITS.userSessions);
    expect((await asUser(first, 'GET', '/v1/console/me')).status).toBe(401);
  });
});

describe('a page of the console or the API reference', () => {
  it('is shown in no frame, errors and refusals included', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'console-pages-'));
    const pages = await startGateway({
      consoleFiles: openConsoleFiles({ folder, clock: systemClock, ids: systemIds, logger: silentLogger }),
    });
    const answers = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const response = await pages.call(undefined, method, path, undefined, headers);
      const policy = response.headers.get('content-security-policy') ?? '';
      const isUnframed = policy.split('; ').includes("frame-ancestors 'none'");
      expect([isUnframed, response.headers.get('x-frame-options')], `${method} ${path}`).toEqual([true, 'DENY']);
      return response.status;
    };
    expect(await answers('GET', '/console')).toBe(503);
    mkdirSync(join(folder, 'one', 'assets'), { recursive: true });
    for (const page of ['index.html', 'reference.html', 'assets/a.js', 'logo.svg']) {
      writeFileSync(join(folder, 'one', page), '<!doctype html>');
    }
    writeFileSync(join(folder, 'current.json'), '{"build":"one"}');
    await until('the pages are served', async () => (await answers('GET', '/console')) === 200);
    for (const path of [
      '/console/',
      '/console/demo/live/flags',
      '/console/link',
      '/console/openid',
      '/docs',
      '/docs/x',
    ]) {
      expect(await answers('GET', path), path).toBe(200);
      expect(await answers('HEAD', path), path).toBe(200);
      for (const method of ['POST', 'PUT', 'DELETE']) expect(await answers(method, path), path).toBe(405);
    }
    for (const path of ['/console/assets/a.js', '/console/logo.svg']) expect(await answers('GET', path)).toBe(200);
    const tag = (await pages.call(undefined, 'GET', '/console/logo.svg')).headers.get('etag') ?? '';
    expect(await answers('GET', '/console/logo.svg', { 'If-None-Match': tag })).toBe(304);
    for (const path of ['/console/assets/none.js', '/consoles', '/doc']) expect(await answers('GET', path)).toBe(404);
    await pages.close();
    rmSync(folder, { recursive: true });
  });
});

describe('requests that another site causes', () => {
  it('change nothing without the CSRF token, with a wrong one, or from another origin', async () => {
    const session = await signIn(await addUser({ ...EVERYWHERE, role: 'admin' }));
    const before = gateway.config.list('segment').length;
    const tries: Record<string, string>[] = [
      { 'X-CSRF-Token': '' },
      { 'X-CSRF-Token': 'x'.repeat(session.csrf.length) },
      { Origin: 'http://evil.example' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of tries) {
      const response = await asUser(session, 'POST', '/v1/segments/segments', SEGMENT, headers);
      expect(response.status, JSON.stringify(headers)).toBe(403);
    }
    expect(gateway.config.list('segment')).toHaveLength(before);
    const origin = `http://127.0.0.1:${gateway.port}`;
    const own = await asUser(session, 'POST', '/v1/segments/segments', SEGMENT, {
      Origin: origin,
      'Sec-Fetch-Site': 'same-origin',
    });
    expect(own.status).toBe(201);
  });

  it('cannot sign a visitor in', async () => {
    const link = await linkOf(await addUser());
    expect((await post({ link }, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ link }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await post({ link })).status).toBe(200);
  });

  it('cannot read an answer: no header for other origins allows cookies', async () => {
    const session = await signIn(await addUser({ ...EVERYWHERE, role: 'viewer' }));
    const response = await asUser(session, 'GET', '/v1/flags/definitions', undefined);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a password', () => {
  const password = 'correct horse battery';

  it('signs in after it was chosen, and choosing it signs other browsers out', async () => {
    const user = await addUser({ ...EVERYWHERE, role: 'viewer' });
    const [other, own] = [await signIn(user), await signIn(user)];
    expect((await asUser(own, 'PUT', '/v1/console/password', { password })).status).toBe(200);
    expect((await asUser(other, 'GET', '/v1/console/me')).status).toBe(401);
    expect((await post({ email: user.email.toUpperCase(), password })).status).toBe(200);
    expect(JSON.stringify(stored(user))).not.toContain(password);
    expect((await asUser(own, 'PUT', '/v1/console/password', { password: 'another long one' })).status).toBe(403);
    const changed = await asUser(own, 'PUT', '/v1/console/password', {
      password: 'another long one',
      current: password,
    });
    expect(changed.status).toBe(200);
  });

  it('beside a passkey needs a fresh sign-in, and of a user without another way in none', async () => {
    const user = await addUser();
    const session = await signIn(user);
    const aged = async (more: Partial<UserDocument>): Promise<void> => {
      const held = stored(user);
      const createdAt = systemClock.wallMs() - SIGN_IN_LIMITS.passkeyFreshMs - 1;
      const sessions = held.sessions.map((each) => ({ ...each, createdAt }));
      await gateway.config.put(userAddress(user.id), { ...held, ...more, sessions });
    };
    await aged({ openId: { issuer: 'https://id.example.com', subject: '1' } });
    expect((await asUser(session, 'PUT', '/v1/console/password', { password })).status).toBe(403);
    const { openId: _, ...plain } = stored(user);
    await gateway.config.put(userAddress(user.id), plain);
    await aged({});
    expect((await asUser(session, 'PUT', '/v1/console/password', { password })).status).toBe(200);
  });

  it('that is wrong, of nobody or of a user without one is refused in the same words', async () => {
    const user = await addUser();
    const answers = await Promise.all([
      post({ email: user.email, password }),
      post({ email: 'nobody@example.com', password }),
      post({ email: 'nobody', password }),
      post({}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const texts = await Promise.all(answers.map(async (answer) => (await bodyOf(answer)).error?.message));
    expect(new Set(texts).size).toBe(1);
  });

  it('can be tried a few times a minute, of one user from one network', async () => {
    const user = await addUser();
    const same = { 'X-Forwarded-For': '10.9.9.9' };
    const statuses: number[] = [];
    for (let tries = 0; tries <= SIGN_IN_LIMITS.signInsOfUser; tries += 1) {
      statuses.push((await post({ email: user.email, password }, same)).status);
    }
    expect(statuses.slice(-2)).toEqual([401, 429]);
    // A link cannot be guessed, so no try hinders it.
    for (let tries = 0; tries < SIGN_IN_LIMITS.signInsOfNetwork; tries += 1) await post({ link: 'x' }, same);
    expect((await post({ link: await linkOf(user) }, same)).status).toBe(200);
  });

  it('must have a length', async () => {
    const session = await signIn(await addUser());
    const short = await asUser(session, 'PUT', '/v1/console/password', { password: 'x'.repeat(11) });
    expect(short.status).toBe(400);
  });
});
