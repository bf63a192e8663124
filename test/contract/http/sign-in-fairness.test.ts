import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { SIGN_IN_LIMITS } from '../../../src/api/console/sign-in/limits.ts';
import { createPasswordHashes } from '../../../core/kernel/secrets/password-hash.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { newUser, userAddress, withToken } from '../../../streams/config/people/users.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { createSoftwarePasskey } from '../../support/browser/software-passkey.ts';

/* Nobody keeps others out of the console: not by wrong passwords, unknown links, challenges or codes. */

const PASSWORD = 'a tractor of glass';
const passwords = createPasswordHashes({ cost: { N: 16, r: 1, p: 1 } });
let gateway: Gateway;
let origin: string;
let users = 0;
let blocks = 0;

beforeAll(async () => {
  gateway = await startGateway({
    passwords,
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1', '::1'] },
  });
  origin = `http://localhost:${gateway.port}`;
});
afterAll(() => gateway.close());

/** An address in a /24 of its own. */
function fresh(): string {
  blocks += 1;
  return `10.${80 + (blocks >> 8)}.${blocks & 255}.1`;
}

async function person(): Promise<UserDocument> {
  users += 1;
  const grants = [{ game: 'demo', environment: '*', role: 'admin' }] as const;
  const user = newUser(`owner-${users}@example.com`, grants, systemClock, systemIds);
  const hash = await passwords.hash(PASSWORD);
  if (hash === 'busy') throw new Error('the hasher is busy');
  const held = { ...user, password: hash.text };
  await gateway.config.put(userAddress(user.id), held);
  return held;
}
async function linkOf({ id }: UserDocument): Promise<string> {
  const held = gateway.config.get(userAddress(id))?.document;
  if (held === undefined) throw new Error('the user is not stored');
  const made = withToken(held, 'link', 60_000, systemClock, systemIds);
  await gateway.config.put(userAddress(id), made.user);
  return made.token;
}

const call = (from: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(origin + path, {
    method,
    headers: { Origin: origin, 'X-Forwarded-For': from, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const signIn = async (from: string, body: object): Promise<number> =>
  (await call(from, 'POST', '/v1/console/sessions', body)).status;
const wrong = (from: string, email: string): Promise<number> => signIn(from, { email, password: 'not the password' });

async function sessionOf(user: UserDocument): Promise<Record<string, string>> {
  const response = await call(fresh(), 'POST', '/v1/console/sessions', { link: await linkOf(user) });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split('; ');
  const { data }: { data: { csrf_token: string } } = JSON.parse(await response.text());
  return { Cookie: cookie, 'X-CSRF-Token': data.csrf_token };
}

describe('wrong passwords', () => {
  it('keep the owner out of nothing: not from another network, nor from changing the password', async () => {
    const user = await person();
    const attacker = fresh();
    const session = await sessionOf(user);
    const statuses: number[] = [];
    for (let n = 0; n <= SIGN_IN_LIMITS.signInsOfUser; n += 1) statuses.push(await wrong(attacker, user.email));
    expect(statuses.slice(-2)).toEqual([401, 429]);
    expect(await signIn(attacker, { email: user.email, password: PASSWORD })).toBe(429);
    expect(await signIn(fresh(), { email: user.email, password: PASSWORD })).toBe(200);
    const change = { password: 'another long sentence', current: PASSWORD };
    expect((await call(attacker, 'PUT', '/v1/console/password', change, session)).status).toBe(200);
  });

  it('do not count when they are right', async () => {
    const user = await person();
    const from = fresh();
    for (let n = 0; n < 2 * SIGN_IN_LIMITS.signInsOfUser; n += 1) {
      expect(await signIn(from, { email: user.email, password: PASSWORD })).toBe(200);
    }
  });

  it.each([
    ['/24', (n: number) => `198.51.100.${n}`, 2],
    ['/56', (n: number) => `2001:db8:1:${(0x100 + n).toString(16)}::1`, 2],
    ['/48', (n: number) => `2001:db8:2:${(n << 8).toString(16)}::1`, 4],
  ])('count together in a %s, for one account', async (_, addressOf, times) => {
    const user = await person();
    let tried = 0;
    while (tried < 100 && (await wrong(addressOf(tried), user.email)) === 401) tried += 1;
    expect(tried).toBe(times * SIGN_IN_LIMITS.signInsOfUser);
    expect(await signIn(fresh(), { email: user.email, password: PASSWORD })).toBe(200);
  });

  it('of many accounts count against their network alone', async () => {
    const from = fresh();
    let tried = 0;
    while (tried < 100 && (await wrong(from, `nobody-${tried}@example.com`)) === 401) tried += 1;
    expect(tried).toBe(SIGN_IN_LIMITS.signInsOfNetwork);
    const user = await person();
    expect(await signIn(from, { email: user.email, password: PASSWORD })).toBe(429);
    expect(await signIn(from, { link: await linkOf(user) })).toBe(200);
  });
});

describe('320 tries from 16 networks', () => {
  it('hinder no valid link, password or passkey from elsewhere', async () => {
    const user = await person();
    const session = await sessionOf(user);
    const passkey = createSoftwarePasskey();
    const terms = { origin, rpId: 'localhost' };
    const options = await call(fresh(), 'POST', '/v1/console/passkeys/challenge', undefined, session);
    const { data }: { data: { challenge: string } } = JSON.parse(await options.text());
    const attested = passkey.attest({ ...terms, challenge: data.challenge });
    const added = await call(fresh(), 'POST', '/v1/console/passkeys', { name: 'x', passkey: attested }, session);
    expect(added.status).toBe(200);
    const link = await linkOf(user);

    const networks = Array.from({ length: 16 }, fresh);
    const flood = networks.flatMap((from) =>
      Array.from({ length: 20 }, (_, n) => {
        if (n % 5 === 3) return signIn(from, { link: `cl_${user.id}.${'A'.repeat(43)}` });
        if (n % 5 === 4) return call(from, 'POST', '/v1/console/passkeys/sign-in');
        return wrong(from, n % 2 === 0 ? user.email : `nobody-${n}@example.com`);
      }),
    );
    const challenge: { data: { challenge: string } } = JSON.parse(
      await (await call(fresh(), 'POST', '/v1/console/passkeys/sign-in')).text(),
    );
    const assertion = passkey.assert({ ...terms, challenge: challenge.data.challenge, userHandle: user.id });
    expect(
      await Promise.all([
        signIn(fresh(), { passkey: assertion }),
        signIn(fresh(), { link }),
        signIn(fresh(), { email: user.email, password: PASSWORD }),
      ]),
    ).toEqual([200, 200, 200]);
    await Promise.all(flood);
    expect(await signIn(fresh(), { link: await linkOf(user) })).toBe(200);
  });
});
