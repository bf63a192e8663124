import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import { SIGN_IN_LIMITS } from '../../../src/api/console/sign-in/limits.ts';
import { newUser, userAddress, withToken } from '../../../streams/config/people/users.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { createSoftwarePasskey, type SoftwarePasskey } from '../../support/browser/software-passkey.ts';

/* Passkeys, with an authenticator in software. A real browser's is in e2e/console-team.test.ts. */

let gateway: Gateway;
let origin: string;
let networks = 0;
let users = 0;

beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1', '::1'] },
  });
  origin = `http://localhost:${gateway.port}`;
});
afterAll(() => gateway.close());

/** Calls as the console's page does, from a network of its own. */
function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  networks += 1;
  return fetch(origin + path, {
    method,
    headers: {
      Origin: origin,
      'X-Forwarded-For': `10.2.${networks >> 8}.${networks & 255}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
async function dataOf<T>(response: Response): Promise<T> {
  const { data }: { data: T } = JSON.parse(await response.text());
  return data;
}

interface Session {
  user: UserDocument;
  headers: Record<string, string>;
}

async function signedIn(): Promise<Session> {
  users += 1;
  const grants = [{ game: 'demo', environment: 'live', role: 'viewer' }] as const;
  const user = newUser(`holder-${users}@example.com`, grants, systemClock, systemIds);
  const made = withToken(user, 'link', 60_000, systemClock, systemIds);
  await gateway.config.put(userAddress(user.id), made.user);
  const response = await call('POST', '/v1/console/sessions', { link: made.token });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split('; ');
  const { csrf_token: csrf } = await dataOf<{ csrf_token: string }>(response);
  return { user, headers: { Cookie: cookie, 'X-CSRF-Token': csrf } };
}
const stored = ({ user }: Session): UserDocument => gateway.config.get(userAddress(user.id))?.document ?? user;

const challengeFor = async ({ headers }: Session): Promise<string> =>
  (await dataOf<{ challenge: string }>(await call('POST', '/v1/console/passkeys/challenge', undefined, headers)))
    .challenge;
const add = ({ headers }: Session, passkey: object): Promise<Response> =>
  call('POST', '/v1/console/passkeys', { name: 'Laptop', passkey }, headers);
const signInChallenge = async (): Promise<string> =>
  (await dataOf<{ challenge: string }>(await call('POST', '/v1/console/passkeys/sign-in'))).challenge;
const signIn = (passkey: object): Promise<Response> => call('POST', '/v1/console/sessions', { passkey });

async function holder(): Promise<{ session: Session; passkey: SoftwarePasskey; userHandle: string }> {
  const session = await signedIn();
  const passkey = createSoftwarePasskey();
  const attested = passkey.attest({ challenge: await challengeFor(session), origin, rpId: 'localhost' });
  expect((await add(session, attested)).status).toBe(200);
  return { session, passkey, userHandle: session.user.id };
}

describe('a passkey', () => {
  it('is added with a name, signs its user in, and is removed', async () => {
    const { session, passkey, userHandle } = await holder();
    expect(stored(session).passkeys).toMatchObject([{ name: 'Laptop', rpId: 'localhost', lastUsedAt: null }]);
    const terms = { challenge: await signInChallenge(), origin, rpId: 'localhost', userHandle };
    const response = await signIn(passkey.assert(terms));
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toContain('HttpOnly');
    expect((await dataOf<{ user: { email: string } }>(response)).user.email).toBe(session.user.email);
    expect(stored(session).sessions).toHaveLength(2);

    const removed = await call('DELETE', `/v1/console/passkeys/${passkey.id}`, undefined, session.headers);
    expect(removed.status).toBe(200);
    // What it opened is closed.
    expect(stored(session).sessions).toHaveLength(1);
    expect((await signIn(passkey.assert({ ...terms, challenge: await signInChallenge() }))).status).toBe(401);
  });

  it('signs no second time with the same answer, and none with a challenge that was not made for it', async () => {
    const { session, passkey, userHandle } = await holder();
    const terms = { origin, rpId: 'localhost', userHandle };
    const used = passkey.assert({ ...terms, challenge: await signInChallenge() });
    expect((await signIn(used)).status).toBe(200);
    expect((await signIn(used)).status).toBe(401);
    expect((await signIn(passkey.assert({ ...terms, challenge: await challengeFor(session) }))).status).toBe(401);
    expect((await signIn(passkey.assert({ ...terms, challenge: 'A'.repeat(43) }))).status).toBe(401);
    const twice = passkey.assert({ ...terms, challenge: await signInChallenge() });
    const statuses = (await Promise.all([signIn(twice), signIn(twice)])).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401]);
  });

  it('counts only on its own host and page, with the user’s gesture, and for its user', async () => {
    const { passkey, userHandle } = await holder();
    const other = await holder();
    const terms = { origin, rpId: 'localhost', userHandle };
    for (const wrong of [
      { ...terms, origin: 'https://evil.example' },
      { ...terms, rpId: 'evil.example' },
      { ...terms, verified: false },
      { ...terms, userHandle: other.userHandle },
      { ...terms, userHandle: '../' },
    ]) {
      expect((await signIn(passkey.assert({ ...wrong, challenge: await signInChallenge() }))).status).toBe(401);
    }
    // Somebody else's key under this id.
    const forged = { ...other.passkey.assert({ ...terms, challenge: await signInChallenge() }), id: passkey.id };
    expect((await signIn(forged)).status).toBe(401);
  });

  it('that was copied is refused once both have signed', async () => {
    const { session, passkey, userHandle } = await holder();
    const terms = { origin, rpId: 'localhost', userHandle };
    passkey.counter = 10;
    expect((await signIn(passkey.assert({ ...terms, challenge: await signInChallenge() }))).status).toBe(200);
    passkey.counter = 5;
    expect((await signIn(passkey.assert({ ...terms, challenge: await signInChallenge() }))).status).toBe(401);
    expect(stored(session).passkeys?.[0]?.counter).toBe(11);
  });

  it('is added only in a session of the last minutes, with its own challenge, without certificates', async () => {
    const session = await signedIn();
    const terms = { origin, rpId: 'localhost' };
    const passkey = createSoftwarePasskey();
    const foreign = await challengeFor(await signedIn());
    expect((await add(session, passkey.attest({ ...terms, challenge: foreign }))).status).toBe(403);
    const anyones = await signInChallenge();
    expect((await add(session, passkey.attest({ ...terms, challenge: anyones }))).status).toBe(403);
    const challenge = await challengeFor(session);
    for (const format of ['packed', 'apple', 'fido-u2f']) {
      expect((await add(session, passkey.attest({ ...terms, challenge, format }))).status).toBe(403);
    }
    expect(stored(session).passkeys).toBeUndefined();
    const held = stored(session);
    const createdAt = systemClock.wallMs() - SIGN_IN_LIMITS.passkeyFreshMs - 1;
    const aged = held.sessions.map((each) => ({ ...each, createdAt }));
    await gateway.config.put(userAddress(held.id), { ...held, sessions: aged });
    const late = await call('POST', '/v1/console/passkeys/challenge', undefined, session.headers);
    expect(late.status).toBe(403);
  });

  it('needs a host name', async () => {
    const response = await gateway.call(undefined, 'POST', '/v1/console/passkeys/sign-in', undefined, {
      Origin: gateway.url,
    });
    expect(response.status).toBe(409);
  });

  it('is bounded in number and size', async () => {
    const { session } = await holder();
    const held = stored(session);
    const many = Array.from({ length: CONFIG_LIMITS.passkeysOfUser }, (_, n) => ({
      id: `id-${n}`,
      publicKey: '',
      counter: 0,
      name: 'x',
      rpId: 'localhost',
      createdAt: 1,
      lastUsedAt: null,
    }));
    await gateway.config.put(userAddress(held.id), { ...held, passkeys: many });
    expect((await call('POST', '/v1/console/passkeys/challenge', undefined, session.headers)).status).toBe(409);
    const huge = { id: 'A', response: { clientDataJSON: 'A'.repeat(9_000), attestationObject: 'A' } };
    expect((await add(session, huge)).status).toBe(400);
    const noise = { id: 'A', response: { clientDataJSON: 'e30', attestationObject: 'x/~' } };
    expect((await add(await signedIn(), noise)).status).toBe(403);
  });
});
