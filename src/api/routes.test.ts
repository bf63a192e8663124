import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../core/kernel/errors.ts';
import { approvalRoutes } from './approvals/approvals.ts';
import { patchFlag } from './flags/flags.ts';
import { SCOPES_OF } from '../../streams/config/key-scopes.ts';
import { answer } from './route/answer.ts';
import { defineRoute, readBy } from './route/route.ts';
import { mayBeMetered } from './route/metering.ts';
import { errorsOf } from './route/openapi.ts';
import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import { routes } from './routes.ts';
import { compile } from '../../core/kernel/validation/validation.ts';

const all = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });

/** Every property of a schema, with its path. */
function* propertiesOf(schema: unknown, path: string): Generator<[string, Record<string, unknown>]> {
  if (Array.isArray(schema)) {
    for (const [index, item] of schema.entries()) yield* propertiesOf(item, `${path}[${index}]`);
  } else if (isPlainObject(schema)) {
    for (const [name, value] of Object.entries(schema)) {
      if (name !== 'properties' || !isPlainObject(value)) {
        yield* propertiesOf(value, `${path}.${name}`);
        continue;
      }
      for (const [property, its] of Object.entries(value)) {
        if (isPlainObject(its)) yield [`${path}.${property}`, its];
        yield* propertiesOf(its, `${path}.${property}`);
      }
    }
  }
}

describe('every route', () => {
  it('has a unique path and method', () => {
    const names = all.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(10);
  });

  it('describes every property of its schemas', () => {
    let seen = 0;
    for (const route of all) {
      const schemas = { ...route.input, reply: route.reply.schema };
      for (const [part, schema] of Object.entries(schemas)) {
        for (const [path, property] of propertiesOf(schema, `${route.method} ${route.path} ${part}`)) {
          seen += 1;
          expect(property['description'], path).toMatch(/\S.{2,}/);
        }
      }
    }
    expect(seen).toBeGreaterThan(50);
  });

  it('has an input that compiles', () => {
    for (const { input, method, path } of all) {
      expect(() => compile(Type.Object({ ...input })).accepts({}), `${method} ${path}`).not.toThrow();
    }
  });

  it('has an example body that is valid', () => {
    for (const { input, example, method, path } of all) {
      if (input.body === undefined) continue;
      expect(example, `${method} ${path}`).toBeDefined();
      const check = compile(input.body);
      expect(check.accepts(example) ? [] : check.faultsOf(example), `${method} ${path}`).toEqual([]);
    }
  });

  it('has an example response that is valid', () => {
    for (const { reply, auth, method, path } of all) {
      if (auth === 'none') continue;
      const check = compile(reply.schema);
      expect(check.accepts(reply.example) ? [] : check.faultsOf(reply.example), `${method} ${path}`).toEqual([]);
    }
  });

  it('lists only errors of the catalogue, and all that follow from its declaration', () => {
    for (const route of all) {
      const errors = errorsOf(route);
      for (const code of errors) expect(ERRORS).toHaveProperty(code);
      if (route.auth !== 'none') expect(errors).toContain('UNAUTHORIZED');
      // The console's own routes limit sign-ins instead of keys.
      if (route.kind !== 'console')
        expect(errors.includes('RATE_LIMIT_EXCEEDED'), route.path).toBe(mayBeMetered(route));
    }
  });

  it('that changes something supports an Idempotency-Key', () => {
    for (const route of all) {
      const { readsOnly, repeatCounts, repeatsById } = route;
      if (route.method !== 'GET' && ![readsOnly, repeatCounts, repeatsById].includes(true))
        expect(route.idempotent, `${route.method} ${route.path}`).toBe(true);
    }
  });

  it('that client keys may call declares the players of its requests, for player tokens', () => {
    const forClients = all.filter((route) => route.kind === 'keyed' && route.auth.keys.includes('client'));
    expect(forClients.length).toBeGreaterThan(10);
    for (const route of forClients) {
      expect(route.kind === 'keyed' && route.namesPlayers, `${route.method} ${route.path}`).toBe(true);
    }
  });

  it('is a declaration, except for those about several players or pages', () => {
    const handlers = all.filter((route) => route.kind === 'keyed' && route.actionKind === 'several');
    expect(handlers.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/players/players/{id}/merge',
      'DELETE /v1/players/players/{id}/merge',
      'GET /v1/players/players/{id}/export',
      'POST /v1/events/events/batch',
      'POST /v1/events/quarantine/replay',
      'POST /ofrep/v1/evaluate/flags/{key}',
      'POST /ofrep/v1/evaluate/flags',
      'POST /v1/flags/exposures',
      ...['/v1/batch', '/v1/b', '/v1/import', '/beacon/v1/batch'].map((path) => `POST ${path}`),
      ...['track', 'identify', 'page', 'screen', 'group', 'alias'].flatMap((type) => [
        `POST /v1/${type}`,
        `POST /v1/${type.slice(0, 1)}`,
      ]),
      ...['apple', 'google'].map((store) => `POST /v1/integrations/stores/${store}/{write_key}`),
    ]);
  });

  it('for game clients and events counts against the rate limit', () => {
    for (const route of all) {
      if (/^\/v1\/(?:bff|events)\//.test(route.path)) expect(route.limitClass).not.toBe('none');
    }
  });
});

describe('the scope of a route', () => {
  const keyed = all.filter((route) => route.kind === 'keyed');
  const needing = (scope: string) =>
    keyed.filter((route) => route.scope === scope).map(({ method, path }) => `${method} ${path}`);

  it('is declared where keys may call it, and nowhere else', () => {
    for (const { method, path, scope, auth } of keyed)
      expect(scope === 'none', `${method} ${path}`).toBe(auth.keys.length === 0);
  });

  it('is one that its keys may name, and each that keys may name opens something', () => {
    for (const kind of ['client', 'server'] as const) {
      const needed = keyed.filter(({ auth }) => auth.keys.includes(kind)).map(({ scope }) => scope);
      expect(new Set(SCOPES_OF[kind])).toEqual(new Set(needed));
    }
  });

  it('separates what is dangerous', () => {
    expect(needing('erase')).toEqual(['DELETE /v1/players/players/{id}']);
    expect(needing('export')).toEqual(['GET /v1/players/players/{id}/export']);
    expect(needing('audit:read')).toEqual(['GET /v1/audit']);
    expect(needing('configure').filter((name) => !/settings|integrations.webhooks/.test(name))).toEqual([]);
    // A key that only defines is no admin: it sends no data elsewhere and changes no figures of a game.
    for (const { role, scope, method, path } of keyed)
      if (role === 'admin') expect(['define', 'track', 'evaluate'], `${method} ${path}`).not.toContain(scope);
  });

  it('is not `read` where something changes', () => {
    const changing = keyed.filter(({ scope, method, audit, readsOnly }) => {
      const reads = method === 'GET' || readsOnly === true || (typeof audit === 'object' && audit.reads === true);
      return scope === 'read' && !reads;
    });
    expect(changing.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/events/stream-tokens']);
  });
});

/** What people may do without a second person, and why it changes no audience. */
const NO_AUDIENCE = [
  { routes: /^\w+ \/v1\/players\/players\//, why: 'what is true of one player; no definition' },
  { routes: /^\w+ \/v1\/events\/(?:schemas|quarantine)/, why: 'which events are taken; no definition reads schemas' },
  {
    routes: /^POST \/v1\/(?:properties\/properties|segments\/segments)$/,
    why: 'nothing uses a new one, and a use waits',
  },
  { routes: /^(?:POST|DELETE) \/v1\/experiments\/experiments/, why: 'a draft serves nobody' },
  { routes: /^POST \/v1\/flags\/flags\/\{key\}\/schedule\/hold$/, why: 'what is served stays as it is' },
  { routes: /^\w+ \/v1\/integrations\/webhooks/, why: 'receivers, no players' },
  { routes: /^\w+ \/v1\/analytics\/(?:saved-queries|annotations)/, why: 'figures' },
  { routes: /^\w+ \/v1\/settings/, why: 'units and days of figures, by admins' },
  { routes: /^\w+ \/v1\/console\/keys/, why: 'who may call, by admins' },
  { routes: /^POST \/v1\/console\/turn-off$/, why: 'breaks the glass, and only turns off' },
  { routes: /^\w+ \/v1\/console\/approvals/, why: 'the second person, and the author' },
];

describe('what people may call from the console', () => {
  it('is declared: a route without it does not compile', () => {
    const { summary, method, path, tag, auth, limitClass, errors, input, reply } = patchFlag;
    const action = { kind: 'config', read: () => answer('{}') } as const;
    const rest = { summary, method, path, tag, auth, limitClass, errors, input, reply, action };
    // @ts-expect-error: no role, scope, audit and approval
    defineRoute(rest);
    // @ts-expect-error: no approval
    defineRoute({ ...rest, role: 'viewer', scope: 'read', audit: 'none' });
    // @ts-expect-error: no scope
    defineRoute({ ...rest, role: 'viewer', audit: 'none', approval: 'none' });
    const writing = { kind: 'write', write: () => ({}), toAnswer: () => answer('{}') } as const;
    // @ts-expect-error: a route that writes documents has entries in the audit
    defineRoute({ ...rest, ...readBy('viewer'), action: writing });
    expect(defineRoute({ ...rest, ...readBy('viewer') })).toMatchObject({ role: 'viewer', audit: 'none' });
  });

  it('waits for a second person if it decides what players get, and has an id of its own', () => {
    const free = all.filter((route) => {
      if (route.kind !== 'keyed' || route.role === 'none' || route.method === 'GET' || route.readsOnly) return false;
      return route.approval === 'none';
    });
    const names = free.map(({ method, path }) => `${method} ${path}`);
    expect(names.filter((name) => !NO_AUDIENCE.some(({ routes: of }) => of.test(name)))).toEqual([]);
    for (const { routes: of, why } of NO_AUDIENCE)
      expect(
        names.some((name) => of.test(name)),
        why,
      ).toBe(true);
    expect(() => approvalRoutes([patchFlag, patchFlag])).toThrow('two routes declare the approval `flag.patch`');
  });

  it('lets a viewer change nothing', () => {
    for (const route of all) {
      if (route.kind === 'keyed' && route.method !== 'GET' && route.readsOnly !== true)
        expect(route.role, `${route.method} ${route.path}`).not.toBe('viewer');
    }
  });
});

describe('a compiled schema', () => {
  it('names each fault by a JSON Pointer', () => {
    const check = compile(Type.Object({ 'a/b': Type.Object({ c: Type.Integer() }), d: Type.String() }));
    expect(check.accepts({ 'a/b': { c: 1.5 } })).toBe(false);
    expect(check.faultsOf({ 'a/b': { c: 1.5 } })).toEqual([
      { path: '/d', message: 'is required' },
      { path: '/a~1b/c', message: 'must be integer' },
    ]);
  });
});
