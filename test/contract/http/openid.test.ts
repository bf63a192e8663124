import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { ConfigError, readConfig } from '../../../src/settings/config.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { newUser, userAddress } from '../../../streams/config/people/users.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/browser/identity-provider.ts';

/* Signing in by an identity provider, against one on this machine. */

let provider: IdentityProvider;
let gateway: Gateway;
let networks = 0;
let users = 0;

const base = { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] };

beforeAll(async () => {
  provider = await startIdentityProvider();
  const { issuer, clientId, clientSecret } = provider;
  const openId = { issuer, clientId, clientSecret };
  gateway = await startGateway({ config: { ...base, openId } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(() => {
  provider.claims = (claims) => claims;
  provider.forges = false;
});

async function addUser(): Promise<UserDocument> {
  users += 1;
  const grants = [{ game: 'demo', environment: 'live', role: 'viewer' }] as const;
  const user = newUser(`member-${users}@example.com`, grants, systemClock, systemIds);
  await gateway.config.put(userAddress(user.id), user);
  provider.person = { sub: `sub-${users}`, email: user.email, email_verified: true };
  return user;
}
const stored = ({ id }: UserDocument) => gateway.config.get(userAddress(id))?.document;

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  networks += 1;
  return gateway.call(undefined, method, path, body, {
    Origin: gateway.url,
    'X-Forwarded-For': `10.3.${networks >> 8}.${networks & 255}`,
    ...headers,
  });
}

interface Started {
  cookie: string;
  /** What the provider sends back. */
  redirected: Record<string, string>;
}

async function start(): Promise<Started> {
  const response = await call('POST', '/v1/console/openid');
  expect(response.status).toBe(200);
  const setCookie = response.headers.get('set-cookie') ?? '';
  expect(setCookie).toContain('HttpOnly; SameSite=Lax');
  const { data }: { data: { address: string } } = JSON.parse(await response.text());
  const page = await fetch(data.address, { redirect: 'manual' });
  const back = new URL(page.headers.get('location') ?? '');
  expect(back.origin + back.pathname).toBe(`${gateway.url}/console/openid`);
  return { cookie: setCookie.split(';')[0] ?? '', redirected: Object.fromEntries(back.searchParams) };
}
const finish = ({ cookie, redirected }: Started): Promise<Response> =>
  call('POST', '/v1/console/sessions', { openid: redirected }, { Cookie: cookie });
const signIn = async (): Promise<number> => (await finish(await start())).status;

describe('an identity provider', () => {
  it('signs in a user whom an admin added, and is named on the page', async () => {
    const user = await addUser();
    const response = await finish(await start());
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toContain('SameSite=Strict');
    expect(stored(user)?.openId).toEqual({ issuer: provider.issuer, subject: provider.person.sub });
    const { data }: { data: { openid: string } } = JSON.parse(
      await (await call('GET', '/v1/console/sign-in-options')).text(),
    );
    expect(data.openid).toBe(new URL(provider.issuer).host);
  });

  it('signs nobody in without a verified address of a user', async () => {
    const user = await addUser();
    for (const person of [
      { sub: 'x', email: 'stranger@example.com', email_verified: true },
      { sub: 'x', email: user.email, email_verified: false },
      { sub: 'x', email: user.email },
    ]) {
      provider.person = person;
      expect(await signIn()).toBe(401);
    }
    expect(stored(user)?.sessions).toEqual([]);
  });

  it('cannot give a user’s address to somebody else later', async () => {
    const user = await addUser();
    expect(await signIn()).toBe(200);
    provider.person = { ...provider.person, sub: 'another' };
    expect(await signIn()).toBe(401);
    expect(stored(user)?.sessions).toHaveLength(1);
  });

  it('counts once, and only in the browser that began', async () => {
    await addUser();
    const [own, foreign] = [await start(), await start()];
    expect((await finish({ ...own, cookie: foreign.cookie })).status).toBe(401);
    expect((await finish({ ...own, cookie: '' })).status).toBe(401);
    // The attempts with a wrong state did not reach the provider, so the code is good still.
    expect((await finish(own)).status).toBe(200);
    expect((await finish(own)).status).toBe(401);
    const swapped = { ...foreign, redirected: { ...foreign.redirected, code: 'guessed' } };
    expect((await finish(swapped)).status).toBe(401);
  });

  it.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['another nonce', (claims) => ({ ...claims, nonce: 'other' })],
    ['an empty nonce', (claims) => ({ ...claims, nonce: '' })],
    ['another client', (claims) => ({ ...claims, aud: 'another' })],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['an end in the past', (claims) => ({ ...claims, exp: 1 })],
    ['an address that is no text', (claims) => ({ ...claims, email: ['a@example.com'] })],
  ])('is refused with a token of %s', async (_, claims) => {
    await addUser();
    provider.claims = claims;
    expect(await signIn()).toBe(401);
  });

  it('is refused with a token that another key signed, or of another provider', async () => {
    const user = await addUser();
    provider.forges = true;
    expect(await signIn()).toBe(401);
    provider.forges = false;
    const started = await start();
    const mixed = { ...started, redirected: { ...started.redirected, iss: 'https://evil.example' } };
    expect((await finish(mixed)).status).toBe(401);
    expect(stored(user)?.sessions).toEqual([]);
  });

  it('cannot be used from another site’s page', async () => {
    const elsewhere = { Origin: 'https://evil.example' };
    expect((await call('POST', '/v1/console/openid', undefined, elsewhere)).status).toBe(403);
  });

  it('that does not answer is said to, and without one there is none', async () => {
    const openId = {
      issuer: 'http://127.0.0.1:9',
      clientId: 'x',
      clientSecret: undefined,
    };
    const away = await startGateway({ config: { ...base, openId } });
    expect((await away.call(undefined, 'POST', '/v1/console/openid')).status).toBe(503);
    await away.close();
    const none = await startGateway();
    expect((await none.call(undefined, 'POST', '/v1/console/openid')).status).toBe(409);
    const session = { openid: { code: 'x', state: 'y' } };
    expect((await none.call(undefined, 'POST', '/v1/console/sessions', session)).status).toBe(409);
    await none.close();
  });
});

describe('its settings', () => {
  it.each([
    [{ OIDC_ISSUER: 'https://id.example.com' }, 'OIDC_ISSUER and OIDC_CLIENT_ID belong together'],
    [{ OIDC_ISSUER: 'http://id.example.com', OIDC_CLIENT_ID: 'x' }, 'must be an https URL'],
    [{ OIDC_ISSUER: 'id.example.com', OIDC_CLIENT_ID: 'x' }, 'must be an https URL'],
    [
      { OIDC_ISSUER: 'https://a.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'a', OIDC_CLIENT_SECRET_FILE: 'b' },
      'Set only one of them',
    ],
  ])('%o are refused', (env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });
});
