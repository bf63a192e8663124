import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createPasswordHashes } from '../../../core/kernel/secrets/password-hash.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { userAddress, userOfEmail, withToken } from '../../../streams/config/people/users.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createPeople, type People, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/browser/identity-provider.ts';

/* Whose account it is: an admin who adds an address first gets nothing that another game gives to it later. */

let provider: IdentityProvider;
let gateway: Gateway;
let people: People;
let root: SignedInPerson;
let alpha: SignedInPerson;
let beta: SignedInPerson;
let addresses = 0;
let networks = 0;
let email: string;

const grant = (game: string, role: Role, environment: Grant['environment'] = '*'): Grant => ({
  game,
  environment,
  role,
});
const PASSWORD = 'a tractor of glass';

/** What happens while a password is hashed. */
let whileHashing = async (): Promise<void> => {};
const fast = createPasswordHashes({ cost: { N: 16, r: 1, p: 1 } });
const passwords: typeof fast = {
  ...fast,
  async hash(...terms) {
    await whileHashing();
    return fast.hash(...terms);
  },
};

beforeAll(async () => {
  provider = await startIdentityProvider();
  const { issuer, clientId, clientSecret } = provider;
  gateway = await startGateway({
    passwords,
    config: {
      corsOrigins: [],
      metricsPort: undefined,
      metricsPublic: false,
      trustedProxies: ['127.0.0.1'],
      openId: { issuer, clientId, clientSecret },
    },
  });
  const demo = gateway.config.get(gameAddress('demo'));
  if (demo === undefined) throw new Error('there is no game');
  for (const game of ['alpha', 'beta', 'gamma', 'delta']) await gateway.config.put(gameAddress(game), demo.document);
  people = createPeople(gateway);
  root = await people.signedIn(grant('*', 'admin'));
  alpha = await people.signedIn(grant('alpha', 'admin'));
  beta = await people.signedIn(grant('beta', 'admin'));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(() => {
  addresses += 1;
  email = `bob-${addresses}@beta.example`;
});

const post = (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> => {
  networks += 1;
  return gateway.call(undefined, 'POST', path, body, {
    Origin: gateway.url,
    'X-Forwarded-For': `10.${50 + (networks >> 8)}.${networks & 255}.1`,
    ...headers,
  });
};
async function dataOf<T>(response: Response): Promise<T> {
  const { data }: { data: T } = JSON.parse(await response.text());
  return data;
}

interface Added {
  user: {
    id: string;
    grants: Grant[];
    pending: Grant[];
    added_by: string | null;
    manageable: boolean;
    linkable: boolean;
  };
  link: string | null;
}
const add = async (by: SignedInPerson, ...grants: Grant[]): Promise<Added> =>
  dataOf<Added>(await by.call('POST', '/v1/console/users', { email, grants }));
const tokenOf = ({ link }: { link: string | null }): string => link?.split('#')[1] ?? '';
const signIn = (body: object, headers: Record<string, string> = {}) => post('/v1/console/sessions', body, headers);

interface Session {
  status: number;
  games: string[];
  headers: Record<string, string>;
}
async function sessionOf(response: Response): Promise<Session> {
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split('; ');
  if (response.status !== 200) return { status: response.status, games: [], headers: {} };
  const me = await dataOf<{ csrf_token: string; games: { id: string }[] }>(response);
  const headers = { Cookie: cookie, 'X-CSRF-Token': me.csrf_token, Origin: gateway.url };
  return { status: 200, games: me.games.map(({ id }) => id), headers };
}
const byLink = async (added: { link: string | null }, headers: Record<string, string> = {}) =>
  sessionOf(await signIn({ link: tokenOf(added) }, headers));
const byPassword = async (password = PASSWORD) => sessionOf(await signIn({ email, password }));
const setPassword = async ({ headers }: Session): Promise<number> =>
  (await gateway.call(undefined, 'PUT', '/v1/console/password', { password: PASSWORD }, headers)).status;

async function byProvider(): Promise<Session> {
  provider.person = { sub: email, email, email_verified: true };
  const begun = await post('/v1/console/openid');
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const { address } = await dataOf<{ address: string }>(begun);
  const page = await fetch(address, { redirect: 'manual' });
  const back = new URL(page.headers.get('location') ?? '');
  return sessionOf(await signIn({ openid: Object.fromEntries(back.searchParams) }, { Cookie: cookie }));
}

/** The games that a session sees; undefined: it has ended. */
async function gamesOf({ headers }: Session): Promise<string[] | undefined> {
  const response = await gateway.call(undefined, 'GET', '/v1/console/me', undefined, headers);
  if (response.status !== 200) return undefined;
  return (await dataOf<{ games: { id: string }[] }>(response)).games.map(({ id }) => id);
}
const reads = async ({ headers }: Session, game: string): Promise<number> =>
  (
    await gateway.call(undefined, 'GET', '/v1/flags/flags', undefined, {
      ...headers,
      'X-Game': game,
      'X-Environment': 'live',
    })
  ).status;
const stored = () => userOfEmail(gateway.config, email)?.document;

/** Alpha's admin adds the address first, and comes in by the link and then by a password. */
async function taken(role: Role = 'viewer'): Promise<{ session: Session; added: Added }> {
  const added = await add(alpha, grant('alpha', role));
  const session = await byLink(added);
  expect([session.games, await setPassword(session)]).toEqual([['alpha'], 200]);
  return { session, added };
}

describe('roles that a second game adds', () => {
  it('wait, do not open for whoever came in before, and do for who proves the address by the second game’s link', async () => {
    const { session } = await taken();
    const added = await add(beta, grant('beta', 'admin'));
    expect(added.user).toMatchObject({
      grants: [],
      pending: [grant('beta', 'admin')],
      added_by: alpha.email,
      manageable: false,
      linkable: true,
    });
    expect([await gamesOf(session), await reads(session, 'beta'), (await byPassword()).games]).toEqual([
      ['alpha'],
      403,
      ['alpha'],
    ]);
    const real = await byLink(added);
    expect([real.games, await reads(real, 'beta'), await reads(real, 'alpha')]).toEqual([['beta'], 200, 403]);
    expect([await gamesOf(session), (await byPassword()).status]).toEqual([undefined, 401]);
  });

  it('open by the provider’s verified address, which ends password, link and session of before', async () => {
    const { session } = await taken();
    const added = await add(beta, grant('beta', 'admin'));
    const real = await byProvider();
    expect(real.games).toEqual(['alpha', 'beta']);
    expect([await gamesOf(session), (await byPassword()).status, (await byLink(added)).status]).toEqual([
      undefined,
      401,
      401,
    ]);
    // From now on the address is proved everywhere: nothing waits, and nothing ends any more.
    expect(await setPassword(real)).toBe(200);
    const third = await add(await people.signedIn(grant('gamma', 'admin')), grant('gamma', 'editor'));
    expect([third.link, third.user.pending]).toEqual([null, []]);
    expect((await byProvider()).games).toEqual(['alpha', 'beta', 'gamma']);
    expect((await byPassword()).status).toBe(200);
  });

  it('wait also if the provider proves the address before the second game adds it, unless it was the provider', async () => {
    const { session } = await taken();
    const real = await byProvider();
    expect([real.games, await gamesOf(session)]).toEqual([['alpha'], undefined]);
    expect(await add(beta, grant('beta', 'viewer'))).toMatchObject({ link: null, user: { pending: [] } });
    expect(await gamesOf(real)).toEqual(['alpha', 'beta']);
  });

  it('wait for an unused link of the first game too, and the second game’s link ends it', async () => {
    const first = await add(alpha, grant('alpha', 'editor'));
    const second = await add(beta, grant('beta', 'editor'));
    const early = await byLink(first);
    expect(early.games).toEqual(['alpha']);
    expect((await byLink(second)).games).toEqual(['beta']);
    expect([await gamesOf(early), (await byLink(first)).status]).toEqual([undefined, 401]);
  });

  it('come back after a removal only with a proof', async () => {
    const { session } = await taken();
    const added = await add(beta, grant('beta', 'viewer'));
    await beta.call('DELETE', `/v1/console/users/${added.user.id}/grants?game=beta&environment=*`);
    // The link of a role that is gone proves nothing, and closes nothing.
    expect([(await byLink(added)).status, await gamesOf(session)]).toEqual([401, ['alpha']]);
    await alpha.call('DELETE', `/v1/console/users/${added.user.id}/grants?game=alpha&environment=*`);
    const again = await add(beta, grant('beta', 'admin'));
    expect([again.user.pending, await gamesOf(session)]).toEqual([[grant('beta', 'admin')], []]);
    expect((await byLink(again)).games).toEqual(['beta']);
    expect(await gamesOf(session)).toBeUndefined();
  });

  it('come back after a removal of the role that the first proof was for only with another proof', async () => {
    // A former admin of beta made the account and kept it. The role was taken, and the person is added later.
    const former = await people.signedIn(grant('beta', 'admin'));
    const first = await add(former, grant('beta', 'viewer'), grant('beta', 'viewer', 'test'));
    const session = await byLink(first);
    expect(await setPassword(session)).toBe(200);
    await beta.call('DELETE', `/v1/console/users/${first.user.id}/grants?game=beta&environment=*`);
    expect(await gamesOf(session)).toEqual(['beta']);
    await beta.call('DELETE', `/v1/console/users/${first.user.id}/grants?game=beta&environment=test`);
    const again = await add(beta, grant('beta', 'admin'));
    expect([again.user.pending, await gamesOf(session)]).toEqual([[grant('beta', 'admin')], []]);
    expect((await byLink(again)).games).toEqual(['beta']);
    expect([await gamesOf(session), (await byPassword()).status]).toEqual([undefined, 401]);
  });

  it('come back for an account that is removed and added again with no way in of before', async () => {
    const { session, added } = await taken();
    expect((await alpha.call('DELETE', `/v1/console/users/${added.user.id}`)).status).toBe(200);
    const again = await add(beta, grant('beta', 'admin'));
    expect([await gamesOf(session), (await byPassword()).status]).toEqual([undefined, 401]);
    expect([again.user.added_by, (await byLink(again)).games]).toEqual([beta.email, ['beta']]);
  });

  it('wait also if an operator or an admin of all games adds them', async () => {
    const { session, added } = await taken();
    const { id } = added.user;
    expect((await root.call('PUT', `/v1/console/users/${id}/grants`, grant('beta', 'admin'))).status).toBe(200);
    expect((await root.call('PUT', `/v1/console/users/${id}/grants`, grant('*', 'analyst'))).status).toBe(200);
    expect([await gamesOf(session), await reads(session, 'beta')]).toEqual([['alpha'], 403]);
    const link = await dataOf<Added>(await root.call('POST', `/v1/console/users/${id}/link`));
    expect(await gamesOf(session)).toBeUndefined();
    expect((await byLink(link)).games).toContain('beta');
    expect(stored()?.pending).toBeUndefined();
  });

  it('in the other environment of the same game wait too, if its admins are others', async () => {
    const live = await people.signedIn(grant('alpha', 'admin', 'live'));
    const session = await byLink(await add(live, grant('alpha', 'viewer', 'live')));
    const added = await add(alpha, grant('alpha', 'admin', 'test'));
    expect(added.user.pending).toEqual([grant('alpha', 'admin', 'test')]);
    expect(stored()?.grants).toEqual([grant('alpha', 'viewer', 'live')]);
    expect((await byLink(added)).games).toEqual(['alpha']);
    expect([stored()?.pending, await gamesOf(session)]).toEqual([undefined, undefined]);
  });
});

describe('a second game’s link', () => {
  it('opens nothing of the first game for the admin who made it', async () => {
    // Ann works in alpha. Beta's admin adds her address, and uses the link himself.
    await taken('admin');
    const thief = await byLink(await add(beta, grant('beta', 'viewer')));
    expect([thief.games, await reads(thief, 'alpha'), await reads(thief, 'beta')]).toEqual([['beta'], 403, 200]);
    expect(await setPassword(thief)).toBe(200);
    // Alpha's admin repairs what concerns alpha.
    const { users } = await dataOf<{ users: Added['user'][] }>(await alpha.call('GET', '/v1/console/users'));
    const seen = users.find(({ id }) => id === stored()?.id);
    expect(seen).toMatchObject({ grants: [], pending: [grant('alpha', 'admin')], linkable: true });
    const repaired = await dataOf<Added>(await alpha.call('POST', `/v1/console/users/${seen?.id ?? ''}/link`));
    expect(await gamesOf(thief)).toEqual(['beta']);
    expect((await byLink(repaired)).games).toEqual(['alpha']);
    expect([await gamesOf(thief), (await byPassword()).status]).toEqual([undefined, 401]);
  });

  it('opens both games in the browser that is signed in, and ends everything else', async () => {
    const { session } = await taken();
    const other = await byPassword();
    const added = await add(beta, grant('beta', 'editor'));
    const both = await byLink(added, session.headers);
    expect(both.games).toEqual(['alpha', 'beta']);
    expect([await gamesOf(session), await gamesOf(other), (await byPassword()).status]).toEqual([
      undefined,
      undefined,
      401,
    ]);
    // Neither admin can take the account over alone afterwards.
    for (const by of [alpha, beta]) {
      expect((await by.call('POST', `/v1/console/users/${added.user.id}/link`)).status).toBe(403);
    }
  });

  it('does not leave the first game without an admin', async () => {
    const delta = await people.signedIn(grant('delta', 'admin'));
    const held = people.stored(delta.id);
    const rootHeld = people.stored(root.id);
    if (held === undefined || rootHeld === undefined) throw new Error('an admin is not stored');
    const session = await byLink(await add(delta, grant('delta', 'admin')));
    expect(await setPassword(session)).toBe(200);
    const added = await add(beta, grant('beta', 'viewer'));
    for (const admin of [held, rootHeld]) await gateway.config.put(userAddress(admin.id), { ...admin, grants: [] });
    const closed = await byLink(added);
    expect([closed.status, (await byPassword()).games]).toEqual([409, ['delta']]);
    for (const admin of [held, rootHeld]) await gateway.config.put(userAddress(admin.id), admin);
    expect((await byLink(added)).games).toEqual(['beta']);
  });

  it('does not hinder the first game’s admin, nor does a removal there take what waits', async () => {
    const { session, added } = await taken();
    await add(beta, grant('beta', 'viewer'));
    expect((await alpha.call('DELETE', `/v1/console/users/${added.user.id}/sessions`)).status).toBe(200);
    expect(await gamesOf(session)).toBeUndefined();
    expect((await alpha.call('DELETE', `/v1/console/users/${added.user.id}`)).status).toBe(200);
    expect(stored()).toMatchObject({ grants: [], pending: [grant('beta', 'viewer')], password: null });
    expect((await byPassword()).status).toBe(401);
    const link = await dataOf<Added>(await beta.call('POST', `/v1/console/users/${added.user.id}/link`));
    expect((await byLink(link)).games).toEqual(['beta']);
  });
});

describe('a way in that is added while a proof ends the session', () => {
  it('is not stored: a password', async () => {
    const added = await add(alpha, grant('alpha', 'viewer'));
    const session = await byLink(added);
    const second = await add(beta, grant('beta', 'admin'));
    whileHashing = async () => void (await byLink(second));
    const status = await setPassword(session);
    whileHashing = async () => {};
    expect([status, stored()?.password]).toEqual([401, null]);
  });
});

describe('an account of an operator', () => {
  it('is proved everywhere, and keeps its ways in when games add roles or another link of his is used', async () => {
    const user = await people.add(grant('alpha', 'viewer'));
    ({ email } = user);
    const link = async (): Promise<string> => {
      const held = stored();
      if (held === undefined) throw new Error('the user is not stored');
      const made = withToken(held, 'link', 60_000, systemClock, systemIds);
      await gateway.config.put(userAddress(user.id), made.user);
      return made.token;
    };
    const session = await sessionOf(await signIn({ link: await link() }));
    expect(await setPassword(session)).toBe(200);
    expect(await add(beta, grant('beta', 'viewer'))).toMatchObject({
      link: null,
      user: { added_by: null, pending: [] },
    });
    expect(await gamesOf(session)).toEqual(['alpha', 'beta']);
    expect((await signIn({ link: await link() })).status).toBe(200);
    expect((await byPassword()).games).toEqual(['alpha', 'beta']);
  });
});
