import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { routes } from '../../../src/api/routes.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { USER_LIMITS } from '../../../src/api/console/users/limits.ts';
import { decodeAuditEntries } from '../../../core/codec/codec.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createPeople, type People, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* What admins may do to users and keys, and what nobody may. */

let gateway: Gateway;
let people: People;
let broker: MemoryBroker;
/** An admin of everything, who stays. */
let root: SignedInPerson;

beforeAll(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  gateway = await startGateway({
    log: broker.connect('gateway'),
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  people = createPeople(gateway);
  root = await people.signedIn(grant('*', '*', 'admin'));
});
afterAll(() => gateway.close());

const grant = (game: string, environment: Grant['environment'], role: Role): Grant => ({ game, environment, role });
const status = async (response: Promise<Response>): Promise<number> => (await response).status;

interface UserJson {
  id: string;
  email: string;
  grants: Grant[];
  manageable: boolean;
}
async function dataOf<T>(response: Promise<Response>): Promise<T> {
  const { data }: { data: T } = JSON.parse(await (await response).text());
  return data;
}
const users = async (person: SignedInPerson): Promise<UserJson[]> =>
  (await dataOf<{ users: UserJson[] }>(person.call('GET', '/v1/console/users'))).users;

describe('endpoints that decide about others', () => {
  // By hand, apart from the table: what would hurt most if its role were wrong.
  const SENSITIVE: Readonly<Record<string, Role | 'none'>> = {
    'GET /v1/audit': 'admin',
    'GET /v1/console/keys': 'admin',
    'POST /v1/console/keys': 'admin',
    'DELETE /v1/console/keys/{id}': 'admin',
    'DELETE /v1/players/players/{id}': 'admin',
    'GET /v1/players/players/{id}/export': 'admin',
    'PATCH /v1/players/players/{id}': 'editor',
    'POST /v1/integrations/webhooks': 'admin',
    'PATCH /v1/integrations/webhooks/{id}': 'admin',
    'POST /v1/integrations/webhooks/{id}/rotate-secret': 'admin',
    'DELETE /v1/integrations/webhooks/{id}': 'admin',
    'PUT /v1/flags/flags/{key}/overrides/{player_id}': 'editor',
    'PATCH /v1/flags/flags/{key}': 'editor',
    'POST /v1/campaigns/campaigns': 'editor',
    'PUT /v1/segments/segments/{id}/members': 'editor',
    'POST /v1/events/stream-tokens': 'none',
    'POST /v1/events/events': 'none',
    'POST /v1/players/players/{id}/purchase': 'none',
    'POST /v1/flags/exposures': 'none',
    'POST /v1/import': 'none',
  };

  it('have the role that is written here by hand', () => {
    const all = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });
    for (const [name, least] of Object.entries(SENSITIVE)) {
      const route = all.find(({ method, path }) => `${method} ${path}` === name);
      expect([name, route?.kind === 'keyed' && route.role]).toEqual([name, least]);
    }
  });

  it('refuse everybody below an admin, sessions without one, and API keys', async () => {
    const key = await gateway.key();
    const editor = await people.signedIn(grant('*', '*', 'editor'));
    const viewer = await people.signedIn(grant('demo', 'live', 'viewer'));
    const id = root.id;
    const requests: [string, string, unknown?][] = [
      ['GET', '/v1/console/users'],
      ['POST', '/v1/console/users', { email: 'x@example.com', grants: [grant('demo', '*', 'admin')] }],
      ['PUT', `/v1/console/users/${id}/grants`, grant('demo', '*', 'viewer')],
      ['DELETE', `/v1/console/users/${id}/grants?game=*&environment=*`],
      ['POST', `/v1/console/users/${id}/link`],
      ['DELETE', `/v1/console/users/${id}/sessions`],
      ['DELETE', `/v1/console/users/${id}`],
      ['GET', '/v1/console/audit'],
      ['GET', '/v1/console/keys'],
      ['POST', '/v1/console/keys', { kind: 'server', tier: 'growth' }],
      ['DELETE', `/v1/console/keys/${id}`],
    ];
    for (const [method, path, body] of requests) {
      expect([path, await status(editor.call(method, path, body))]).toEqual([path, 403]);
      expect([path, await status(viewer.call(method, path, body))]).toEqual([path, 403]);
      // Keys are no people, and neither is nobody.
      expect([401, 403]).toContain(await status(gateway.call(key, method, path, body)));
      expect(await status(gateway.call(undefined, method, path, body))).toBe(401);
      if (method === 'GET') continue;
      const forged = { 'X-CSRF-Token': 'wrong' };
      expect([path, await status(root.call(method, path, body, forged))]).toEqual([path, 403]);
      const elsewhere = { Origin: 'http://evil.example' };
      expect([path, await status(root.call(method, path, body, elsewhere))]).toEqual([path, 403]);
      // Over TLS the plain cookie of this machine is no session.
      const overTls = { Origin: 'https://evil.example' };
      expect([401, 403]).toContain(await status(root.call(method, path, body, overTls)));
    }
    expect(people.stored(root.id)?.grants).toEqual([grant('*', '*', 'admin')]);
  });
});

describe('an admin of one game', () => {
  it('gives roles there, and nowhere else', async () => {
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    const live = await people.signedIn(grant('demo', 'live', 'admin'));
    const other = await people.add(grant('demo', '*', 'viewer'));
    const give = (person: SignedInPerson, given: Grant, id = other.id) =>
      status(person.call('PUT', `/v1/console/users/${id}/grants`, given));
    expect(await give(admin, grant('demo', 'live', 'admin'))).toBe(200);
    expect(await give(live, grant('demo', 'live', 'editor'))).toBe(200);
    for (const beyond of [
      grant('other', '*', 'viewer'),
      grant('*', '*', 'viewer'),
      grant('*', 'live', 'admin'),
      grant('nothing', 'live', 'viewer'),
    ]) {
      expect([beyond, await give(admin, beyond)]).toEqual([beyond, 403]);
      expect([beyond, await give(admin, beyond, admin.id)]).toEqual([beyond, 403]);
    }
    for (const beyond of [grant('demo', '*', 'admin'), grant('demo', 'test', 'viewer')]) {
      expect([beyond, await give(live, beyond, live.id)]).toEqual([beyond, 403]);
    }
    expect(await status(live.call('DELETE', `/v1/console/users/${other.id}/grants?game=demo&environment=*`))).toBe(403);
    const added = { email: 'sneaky@example.com', grants: [grant('demo', '*', 'viewer'), grant('other', '*', 'admin')] };
    expect(await status(admin.call('POST', '/v1/console/users', added))).toBe(403);
    expect(people.stored(admin.id)?.grants).toEqual([grant('demo', '*', 'admin')]);
  });

  it('takes over no account that opens more than the admin may', async () => {
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    const wider = await people.add(grant('demo', '*', 'viewer'), grant('other', 'test', 'viewer'));
    const nobody = await people.add();
    for (const id of [wider.id, root.id]) {
      for (const [method, path] of [
        ['POST', 'link'],
        ['DELETE', 'sessions'],
      ] as const) {
        expect(await status(admin.call(method, `/v1/console/users/${id}/${path}`))).toBe(403);
      }
      expect(await status(admin.call('DELETE', `/v1/console/users/${id}`))).toBe(403);
    }
    // A user without roles may get some of another game later.
    expect(await status(admin.call('POST', `/v1/console/users/${nobody.id}/link`))).toBe(404);
    const own = await people.add(grant('demo', 'live', 'viewer'));
    const made = await dataOf<{ link: string }>(admin.call('POST', `/v1/console/users/${own.id}/link`));
    expect(made.link).toMatch(/^\/console\/link#cl_/);
  });

  it('sees the users and roles of its games alone', async () => {
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    const foreign = await people.add(grant('other', '*', 'admin'));
    const both = await people.add(grant('demo', 'test', 'viewer'), grant('other', '*', 'editor'));
    const seen = await users(admin);
    expect(seen.map(({ id }) => id)).not.toContain(foreign.id);
    expect(seen.find(({ id }) => id === both.id)).toMatchObject({
      grants: [grant('demo', 'test', 'viewer')],
      manageable: false,
    });
    expect(seen.find(({ id }) => id === root.id)?.manageable).toBe(false);
    expect(JSON.stringify(seen)).not.toContain('"other"');
    const unknown = '3f0f5a3e-8d7b-5c39-9a43-000000000000';
    const answers = await Promise.all(
      [foreign.id, unknown].map(async (id) => {
        const response = await admin.call('DELETE', `/v1/console/users/${id}`);
        const { error }: { error: { message: string } } = JSON.parse(await response.text());
        return [response.status, error.message];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(await status(admin.call('GET', '/v1/console/audit'))).toBe(403);
  });

  it('adds a user of another game without a link, and cannot collect addresses', async () => {
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    const foreign = await people.add(grant('other', '*', 'admin'));
    const add = (email: string) =>
      admin.call('POST', '/v1/console/users', { email, grants: [grant('demo', 'live', 'viewer')] });
    const joined = await dataOf<{ user: UserJson; link: null }>(add(foreign.email.toUpperCase()));
    expect(joined).toMatchObject({
      link: null,
      user: { grants: [grant('demo', 'live', 'viewer')], manageable: false },
    });
    expect(people.stored(foreign.id)?.grants).toHaveLength(2);
    for (let n = 1; n < USER_LIMITS.usersAddedPerMinute; n += 1) await add('not an address');
    // Faulty addresses are not looked up, so they do not count.
    let refused = 0;
    for (let n = 0; n < USER_LIMITS.usersAddedPerMinute; n += 1) {
      if ((await status(add(`collected-${n}@example.com`))) === 429) refused += 1;
    }
    expect(refused).toBe(1);
  });

  it('adds users up to the share of its game', async () => {
    const demo = gateway.config.get(gameAddress('demo'));
    if (demo === undefined) throw new Error('there is no game');
    await gateway.config.put(gameAddress('crowded'), demo.document);
    const role = grant('crowded', 'live', 'viewer');
    const admin = await people.signedIn(grant('crowded', '*', 'admin'));
    for (let n = 2; n < USER_LIMITS.usersOfGame; n += 1) await people.add(role);
    const add = (person: SignedInPerson, email: string) =>
      person.call('POST', '/v1/console/users', { email, grants: [role] });
    const { user } = await dataOf<{ user: UserJson }>(add(admin, 'last@example.com'));
    expect(await status(add(admin, 'beyond@example.com'))).toBe(409);
    // Without roles users count in no game, so there are few of them.
    for (let n = 0; n < USER_LIMITS.usersWithoutRoles; n += 1) await people.add();
    const taken = `/v1/console/users/${user.id}/grants?game=crowded&environment=live`;
    expect([await status(admin.call('DELETE', taken)), await status(root.call('DELETE', taken))]).toEqual([409, 200]);
    for (const email of ['next@example.com', 'other@example.com']) {
      expect(await status(add(root, email))).toBe(200);
    }
  });

  it('adds no address with characters that nobody sees, which would show as that of another user', async () => {
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    for (const email of [
      'ann@example.com\u0000',
      'ann\u200b@example.com',
      '\u202eann@example.com',
      'ann@example.\ud800',
    ]) {
      const response = admin.call('POST', '/v1/console/users', { email, grants: [grant('demo', '*', 'viewer')] });
      expect([email, await status(response)]).toEqual([email, 400]);
    }
    // Every body of these endpoints is held to the rules of all texts.
    const signIn = { email: 'ann@example.com', password: 'nul\u0000' };
    expect(await status(gateway.call(undefined, 'POST', '/v1/console/sessions', signIn))).toBe(400);
  });

  it('may nothing more from the moment at which it is none', async () => {
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    const target = await people.add(grant('demo', '*', 'viewer'));
    const held = people.stored(admin.id);
    if (held === undefined) throw new Error('the admin is not stored');
    await gateway.config.put(userAddress(admin.id), { ...held, grants: [grant('demo', '*', 'editor')] });
    const path = `/v1/console/users/${target.id}/grants`;
    expect(await status(admin.call('PUT', path, grant('demo', '*', 'admin')))).toBe(403);
  });
});

describe('the last admin', () => {
  it('of a game stays, whoever asks', async () => {
    const only = await people.signedIn(grant('other', '*', 'admin'));
    // Admins of all games are admins there too, so take theirs away in this test's view: there is one, root.
    const take = (person: SignedInPerson, id: string, game: string) =>
      status(person.call('DELETE', `/v1/console/users/${id}/grants?game=${game}&environment=*`));
    expect(await take(root, only.id, 'other')).toBe(200);
    expect(await take(root, root.id, '*')).toBe(409);
    expect(await status(root.call('DELETE', `/v1/console/users/${root.id}`))).toBe(409);
    const lower = grant('*', '*', 'editor');
    expect(await status(root.call('PUT', `/v1/console/users/${root.id}/grants`, lower))).toBe(409);
    expect(people.stored(root.id)?.grants).toEqual([grant('*', '*', 'admin')]);
  });

  it('stays when two admins take each other’s role at the same time', async () => {
    const second = await people.signedIn(grant('*', '*', 'admin'));
    const take = (by: SignedInPerson, of: SignedInPerson) =>
      by.call('DELETE', `/v1/console/users/${of.id}/grants?game=*&environment=*`);
    await Promise.all([take(root, second), take(second, root)]);
    const admins = [root, second].filter(({ id }) => people.stored(id)?.grants.some(({ role }) => role === 'admin'));
    expect(admins.length).toBeGreaterThan(0);
    // For the tests after this one.
    const held = people.stored(root.id);
    if (held !== undefined)
      await gateway.config.put(userAddress(root.id), { ...held, grants: [grant('*', '*', 'admin')] });
  });
});

describe('API keys', () => {
  interface KeyJson {
    id: string;
    key: string;
    hint: string;
    tier: string;
    last_used_at: string | null;
    expires_at: string | null;
    revoked_at: string | null;
  }
  const create = (person: SignedInPerson, body: object, headers = {}) =>
    person.call('POST', '/v1/console/keys', body, headers);

  it('are shown once, work in their game and environment, and end when they are revoked', async () => {
    const admin = await people.signedIn(grant('demo', 'live', 'admin'));
    const made = await dataOf<KeyJson>(create(admin, { kind: 'server', tier: 'growth', scopes: ['audit:read'] }));
    expect(made.key).toMatch(/^sk_live_\w{32}$/);
    expect(await status(gateway.call(made.key, 'GET', '/v1/flags/flags'))).toBe(200);
    const list = await (await admin.call('GET', '/v1/console/keys')).text();
    expect(list).toContain(made.hint);
    expect(list).not.toContain(made.key);
    const elsewhere = await people.signedIn(grant('demo', 'test', 'admin'), grant('other', '*', 'admin'));
    for (const headers of [{ 'X-Environment': 'test' }, { 'X-Game': 'other' }]) {
      expect(await status(elsewhere.call('DELETE', `/v1/console/keys/${made.id}`, undefined, headers))).toBe(404);
    }
    expect(await status(elsewhere.call('DELETE', `/v1/console/keys/${made.id}`))).toBe(403);
    expect((await dataOf<KeyJson>(admin.call('DELETE', `/v1/console/keys/${made.id}`))).revoked_at).not.toBeNull();
    expect(await status(gateway.call(made.key, 'GET', '/v1/flags/flags'))).toBe(401);
  });

  it('keep names, scopes and an expiry, and show when they were used', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const body = { name: 'match server', kind: 'server', tier: 'growth', scopes: ['track', 'track'], expires_at };
    const made = await dataOf<KeyJson>(create(root, body));
    expect(made).toMatchObject({ name: 'match server', scopes: ['track'], expires_at, last_used_at: null });
    const before = new Date().toISOString();
    const refused = await gateway.call(made.key, 'GET', '/v1/flags/flags');
    expect(refused.status).toBe(403);
    const { error } = JSON.parse(await refused.text());
    expect(error).toMatchObject({ code: 'FORBIDDEN', details: { scope: 'read' } });
    expect(error.message).toContain('lacks the scope `read`');
    const { keys } = await dataOf<{ keys: KeyJson[] }>(root.call('GET', '/v1/console/keys'));
    expect(keys.find(({ id }) => id === made.id)?.last_used_at ?? '').toMatch(before.slice(0, 11));
    const wrong = [
      { ...body, kind: 'client', scopes: ['define'] },
      { ...body, expires_at: '2020-01-01T00:00:00Z' },
      { ...body, expires_at: '0001-01-01T00:00:00' },
      { ...body, name: 'x'.repeat(65) },
      { ...body, scopes: ['fly'] },
      { ...body, expires_at: null },
    ];
    for (const each of wrong) expect(await status(create(root, each)), JSON.stringify(each)).toBe(400);
  });

  it('are replaced by a successor, and end after the overlap', async () => {
    const made = await dataOf<KeyJson>(create(root, { kind: 'server', tier: 'growth', scopes: ['read'] }));
    const rotate = (id: string, body: object | undefined, by = root) =>
      by.call('POST', `/v1/console/keys/${id}/rotate`, body);
    const editor = await people.signedIn(grant('demo', 'live', 'editor'));
    expect(await status(rotate(made.id, {}, editor))).toBe(403);
    for (const overlap_days of [-1, 31, 1.5, null]) expect(await status(rotate(made.id, { overlap_days }))).toBe(400);
    expect(await status(rotate('3f0f5a3e-8d7b-5c39-9a43-000000000000', {}))).toBe(404);
    type Rotated = KeyJson & { predecessor: KeyJson };
    const next = await dataOf<Rotated>(rotate(made.id, undefined));
    expect(next).toMatchObject({ scopes: ['read'], predecessor: { id: made.id, successor_id: next.id } });
    const ends = Date.parse(next.predecessor.expires_at ?? '') - Date.now();
    expect(Math.round(ends / 3_600_000)).toBe(7 * 24);
    for (const key of [made.key, next.key]) expect(await status(gateway.call(key, 'GET', '/v1/flags/flags'))).toBe(200);
    const last = await dataOf<Rotated>(rotate(next.id, { overlap_days: 0 }));
    const ended = await gateway.call(next.key, 'GET', '/v1/flags/flags');
    expect(ended.status).toBe(401);
    expect(await ended.text()).toContain('unknown, revoked or expired');
    expect(await status(gateway.call(last.key, 'GET', '/v1/flags/flags'))).toBe(200);
    expect(await status(rotate(next.id, {}))).toBe(409);
    const list = await (await root.call('GET', '/v1/console/keys')).text();
    for (const { key } of [made, next, last]) expect(list).not.toContain(key);
  });

  it('have no higher tier than the game has, unless an admin of all games says so', async () => {
    const test = { 'X-Environment': 'test' };
    const admin = await people.signedIn(grant('demo', '*', 'admin'));
    const pro = { kind: 'client', tier: 'pro' };
    expect(await status(create(admin, pro, test))).toBe(403);
    const given = await dataOf<KeyJson>(create(root, pro, test));
    expect(await status(create(admin, pro, test))).toBe(201);
    expect(await status(create(admin, { ...pro, tier: 'enterprise' }, test))).toBe(403);
    expect(await status(admin.call('DELETE', `/v1/console/keys/${given.id}`, undefined, test))).toBe(200);
    expect(await status(create(admin, { kind: 'admin', tier: 'growth' }, test))).toBe(400);
    expect(await status(create(admin, { kind: 'server', tier: 'growth', scopes: ['everything'] }, test))).toBe(400);
  });
});

describe('what admins do', () => {
  it('is audited with their address, without links and keys', async () => {
    const email = 'audited@example.com';
    const added = await dataOf<{ user: UserJson; link: string }>(
      root.call('POST', '/v1/console/users', { email, grants: [grant('demo', 'live', 'viewer')] }),
    );
    const made = await dataOf<{ key: string }>(
      root.call('POST', '/v1/console/keys', { kind: 'server', tier: 'growth' }),
    );
    const reader = broker.connect('reader').read('AUDIT', { from: 1, onWaiting: () => {} });
    const found: ReturnType<typeof decodeAuditEntries> = [];
    await until('the entries are there', () => {
      for (const { data } of reader.take(10_000)) found.push(...decodeAuditEntries(data));
      return found.some(({ kind, outcome, action }) => kind === 'key' && outcome === 'stored' && action === 'created');
    });
    reader.stop();
    const texts = JSON.stringify(found);
    expect(texts).not.toContain(added.link.split('#')[1]);
    expect(texts).not.toContain(made.key);
    const ofUser = found.filter(({ key }) => key === added.user.id);
    expect(ofUser.map(({ game, action, outcome }) => [game, action, outcome])).toEqual([
      ['_', 'created', 'begun'],
      ['demo', 'roles_changed', 'begun'],
      ['_', 'created', 'stored'],
      ['demo', 'roles_changed', 'stored'],
    ]);
    expect(ofUser[0]?.actor).toEqual({ kind: 'user', id: root.id, name: root.email });
    expect(ofUser[0]?.network).toMatch(/^10\.1\./);
  });
});
