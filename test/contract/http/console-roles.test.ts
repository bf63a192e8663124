import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDITIONAL_SCOPES, SCOPES_OF } from '../../../streams/config/key-scopes.ts';
import { STATIC } from '../../../core/vocabulary/documents/documents.ts';
import { type Grant, type Role, ROLES } from '../../../core/vocabulary/documents/users.ts';
import { mayAct } from '../../../src/api/route/access.ts';
import type { Route } from '../../../src/api/route/route.ts';
import { routes } from '../../../src/api/routes.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { createPeople, type People, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';

/* Who may call what: every endpoint, for each role and for everybody else. */

const all = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });
const keyed = all.filter((route) => route.kind === 'keyed');
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, '3f0f5a3e-8d7b-5c39-9a43-000000000000');
const PLACE = { 'X-Game': 'demo', 'X-Environment': 'live' };

let gateway: Gateway;
let people: People;
const persons = new Map<Role, SignedInPerson>();

beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  people = createPeople(gateway);
  for (const role of ROLES) persons.set(role, await people.signedIn({ game: 'demo', environment: 'live', role }));
});
afterAll(() => gateway.close());

function personWith(role: Role): SignedInPerson {
  const person = persons.get(role);
  if (person === undefined) throw new Error(`nobody is signed in as ${role}`);
  return person;
}
const headersOf = ({ cookie, csrf }: SignedInPerson) => ({ Cookie: cookie, 'X-CSRF-Token': csrf, ...PLACE });

/** The status of a request with an empty body, so that an allowed one fails later, with another status. */
async function statusOf(route: Route, headers: Record<string, string>, method: string = route.method) {
  const hasBody = method !== 'GET' && route.input.body !== undefined;
  // A stream does not end by itself.
  const controller = new AbortController();
  const { status } = await fetch(gateway.url + filled(route.path), {
    method,
    headers: { ...(hasBody ? { 'Content-Type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { body: '{}' } : {}),
    signal: controller.signal,
  });
  controller.abort();
  return status;
}
const isRefused = (status: number): boolean => status === 401 || status === 403;

describe('a role', () => {
  it.each(ROLES)('allows %s at every endpoint what its declaration says, and nothing else', async (role) => {
    const headers = headersOf(personWith(role));
    const wrong: string[] = [];
    for (const route of keyed) {
      const mayCall = mayAct(role, route.role);
      const status = await statusOf(route, headers);
      if (isRefused(status) === mayCall) wrong.push(`${nameOf(route)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  const elsewhere = async (...grants: Grant[]) => headersOf(await people.signedIn(...grants));
  const removed = async () => {
    const person = await people.signedIn({ game: '*', environment: '*', role: 'admin' });
    await gateway.config.delete(userAddress(person.id));
    return headersOf(person);
  };
  const signedOut = async () => {
    const person = await people.signedIn({ game: '*', environment: '*', role: 'admin' });
    await person.call('DELETE', '/v1/console/sessions');
    return headersOf(person);
  };
  it.each<[string, number, () => Promise<Record<string, string>>]>([
    ['nobody', 401, async () => PLACE],
    ['a user who was removed', 401, removed],
    ['a user who signed out everywhere', 401, signedOut],
    ['an admin of another game', 403, () => elsewhere({ game: 'other', environment: '*', role: 'admin' })],
    ['an admin of test', 403, () => elsewhere({ game: 'demo', environment: 'test', role: 'admin' })],
    ['a user without a role', 403, () => elsewhere()],
  ])('is needed at every endpoint: %s is answered %i', async (_, expected, headersFor) => {
    const headers = await headersFor();
    const wrong: string[] = [];
    for (const route of keyed) {
      const status = await statusOf(route, headers);
      // Endpoints that take keys in other places look for one there first.
      const takesOther = route.auth.writeKeys === true && status === 401;
      if (status !== expected && !takesOther) wrong.push(`${nameOf(route)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('is of no use to keys: each calls what is for its kind, and nothing that is for people', async () => {
    const texts = { client: await gateway.key({ kind: 'client' }), server: await gateway.key() } as const;
    const wrong: string[] = [];
    for (const route of all) {
      if (route.auth === 'none') continue;
      const { keys } = route.auth;
      const isAdditional = route.kind === 'keyed' && Object.hasOwn(ADDITIONAL_SCOPES, route.scope);
      for (const kind of ['client', 'server'] as const) {
        const status = await statusOf(route, { 'X-API-Key': texts[kind], ...PLACE });
        const mayCall = keys.includes(kind) && !isAdditional;
        if (isRefused(status) === mayCall) wrong.push(`${nameOf(route)} with a ${kind} key: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is of no use to keys with scopes: each calls what needs its scopes', async () => {
    const limited = (['client', 'server'] as const).flatMap((kind) =>
      SCOPES_OF[kind].filter((scope) => !Object.hasOwn(ADDITIONAL_SCOPES, scope)).map((scope) => ({ kind, scope })),
    );
    const wrong: string[] = [];
    for (const { kind, scope } of limited) {
      const key = await gateway.key({ kind, scopes: [scope] });
      let called = 0;
      for (const route of keyed) {
        const status = await statusOf(route, { 'X-API-Key': key });
        const mayCall = route.auth.keys.includes(kind) && route.scope === scope;
        if (isRefused(status) === mayCall) wrong.push(`${nameOf(route)} with a ${kind} key to ${scope}: ${status}`);
        if (mayCall) called += 1;
      }
      expect(called, `${kind} ${scope}`).toBeGreaterThan(0);
    }
    expect(wrong).toEqual([]);
  });

  it('as admin of all games is needed for what belongs to no game, and a session for all of the console', async () => {
    const own = all.filter(({ kind, auth }) => kind === 'console' && auth !== 'none');
    const viewer = headersOf(personWith('viewer'));
    const wrong: string[] = [];
    for (const route of own) {
      const status = await statusOf(route, {});
      if (status !== 401) wrong.push(`${nameOf(route)}: ${status}`);
    }
    const forAdmins = own.filter(({ path }) => /^\/v1\/console\/(?:users|audit)/.test(path));
    for (const route of forAdmins) {
      const status = await statusOf(route, viewer);
      if (status !== 403) wrong.push(`${nameOf(route)} as viewer: ${status}`);
    }
    expect([own.length > 15, forAdmins.length, wrong]).toEqual([true, 8, []]);
  });

  it('does not make a method of an endpoint that does not have it', async () => {
    const admin = headersOf(personWith('admin'));
    const wrong: string[] = [];
    for (const [path, onPath] of Map.groupBy(all, (route) => route.path)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const [route] = onPath;
        if (route === undefined || all.some((other) => other.method === method && covers(other.path, path))) continue;
        const status = await statusOf(route, admin, method);
        if (status !== 405) wrong.push(`${method} ${path}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  /** Whether requests to a path reach the endpoint of a pattern: `{key}` stands for any word. */
  function covers(pattern: string, path: string): boolean {
    const words = path.split('/');
    const parts = pattern.split('/');
    return parts.length === words.length && parts.every((part, place) => part.startsWith('{') || part === words[place]);
  }

  it('holds in its game and environment only', async () => {
    const editor = personWith('editor');
    const places: Record<string, string>[] = [
      { 'X-Environment': 'test' },
      { 'X-Game': 'other' },
      { 'X-Game': 'nothing' },
      { 'X-Environment': '*' },
      { 'X-Game': '*' },
      { 'X-Game': '' },
    ];
    for (const headers of places) {
      expect((await editor.call('GET', '/v1/flags/flags', undefined, headers)).status).toBe(403);
    }
    expect((await editor.call('GET', '/v1/flags/flags')).status).toBe(200);
  });

  it.each<[string, string, number, (person: SignedInPerson) => Promise<unknown>]>([
    ['POST', '/v1/segments/segments', 401, (person) => grant(person, [])],
    ['POST', '/v1/segments/segments', 401, (person) => grant(person, [at('viewer')])],
    ['POST', '/v1/segments/segments', 401, (person) => person.call('DELETE', '/v1/console/sessions')],
    ['PUT', '/v1/console/password', 401, (person) => person.call('DELETE', '/v1/console/sessions')],
  ])('is asked for again when the body of %s %s has arrived: %i', async (method, path, expected, lose) => {
    const person = await people.signedIn(at('editor'));
    const began = lookUpOf(person.id);
    const sent = request(gateway.url + path, {
      method,
      headers: { ...headersOf(person), 'Content-Type': 'application/json' },
    });
    const answered = once(sent, 'response');
    sent.write('{"key":"late","name":"Late","conditions":{"session_count":{"gte":1}}');
    await began;
    await lose(person);
    sent.end('}');
    const [response]: IncomingMessage[] = await answered;
    response?.resume();
    expect(response?.statusCode).toBe(expected);
    expect(gateway.config.list('segment')).toEqual([]);
  });

  it('ends a list that is still arriving', async () => {
    const person = await people.signedIn(at('editor'));
    const address = { game: 'demo', environment: 'live', kind: 'segment', key: 'seg_list' } as const;
    await gateway.config.put(address, {
      id: 'seg_list',
      key: 'list',
      name: 'List',
      description: '',
      conditions: STATIC,
      list: { load: '', players: 0, loadedAt: null },
      createdAt: 1,
      updatedAt: 1,
      version: 1,
    });
    const began = lookUpOf(person.id);
    const sent = request(`${gateway.url}/v1/segments/segments/seg_list/members`, {
      method: 'PUT',
      headers: { ...headersOf(person), 'Content-Type': 'application/x-ndjson' },
    });
    const ended = once(sent, 'response').then(
      () => 'answered',
      () => 'closed',
    );
    sent.write('"player-1"\n');
    await began;
    await grant(person, []);
    expect(await ended).toBe('closed');
    await gateway.config.delete(address);
  });

  /** Resolves when the gateway looks up a user: it has read the head of a request. */
  function lookUpOf(id: string): Promise<void> {
    const store = { ...gateway.config };
    return new Promise((resolve) => {
      gateway.config.get = (address) => {
        if (address.kind === 'user' && address.key === id) {
          gateway.config.get = (each) => store.get(each);
          resolve();
        }
        return store.get(address);
      };
    });
  }
  const at = (role: Role): Grant => ({ game: 'demo', environment: 'live', role });
  async function grant({ id }: SignedInPerson, grants: Grant[]): Promise<void> {
    const held = people.stored(id);
    if (held === undefined) throw new Error('the user is not stored');
    await gateway.config.put(userAddress(id), { ...held, grants });
  }

  it('ends at once for those who lose it, or get a lower one: in open sessions and open streams', async () => {
    const person = await people.signedIn(at('editor'));
    const stream = await person.call('GET', '/v1/events/events/stream');
    const write = () => person.call('DELETE', '/v1/flags/flags/none');
    expect([stream.status, (await write()).status]).toEqual([200, 404]);
    await grant(person, [at('viewer')]);
    // The stream ends, so its text does.
    expect(await stream.text()).toContain('connected');
    expect([(await write()).status, (await person.call('GET', '/v1/flags/flags')).status]).toEqual([403, 200]);
    const lower = await person.call('GET', '/v1/events/events/stream');
    await grant(person, []);
    expect(await lower.text()).toContain('connected');
    expect((await person.call('GET', '/v1/flags/flags')).status).toBe(403);
    await gateway.config.delete(userAddress(person.id));
    expect((await person.call('GET', '/v1/flags/flags')).status).toBe(401);
  });
});
