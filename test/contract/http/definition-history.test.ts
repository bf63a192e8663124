import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { readCurrent } from '../../../src/cli/definitions/current.ts';
import { driftOf } from '../../../src/cli/definitions/drift.ts';
import { connectService } from '../../../src/cli/definitions/service.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { NO_ANALYTICS } from '../../support/in-memory/no-analytics.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startHistoryGateway } from '../../support/wire/clickhouse-gateway.ts';

/* The history of definitions over HTTP, from the change through AUDIT and ClickHouse to the answer. */

let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;
let ann: SignedInPerson;
let bob: SignedInPerson;
let viewer: SignedInPerson;

beforeAll(async () => {
  world = await startHistoryGateway({
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  ({ gateway } = world);
  key = await gateway.key();
  await call('POST', '/v1/flags/flags', { key: 'tried', flag_type: 'boolean' });
  const people = createPeople(gateway);
  const grant = { game: 'demo', environment: '*' } as const;
  ann = await people.signedIn({ ...grant, role: 'editor' });
  bob = await people.signedIn({ ...grant, role: 'editor' });
  viewer = await people.signedIn({ ...grant, role: 'viewer' });
});
afterAll(() => world.close());

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, ...(await bodyOf(response)) };
}

interface Listed {
  version: number;
  at: string;
  action: string;
  reason: string | null;
  confirmed: boolean;
  difference: string[];
  made_by: { kind: string; id: string; email: string | null };
}
/** The versions, once the newest one is there. */
async function versions(item: string, newest: number): Promise<Listed[]> {
  let found: Listed[] = [];
  await until(`version ${newest} of ${item} is there`, async () => {
    const { data } = await call('GET', `${item}/versions`);
    found = JSON.parse(JSON.stringify(data?.['versions'] ?? []));
    return found[0]?.version === newest && found[0].confirmed;
  });
  return found;
}
const SAYS_NOTHING = { reason: '', managedBy: undefined };
const why = (text: string) => ({ 'X-Change-Reason': text });

const KINDS: readonly {
  name: string;
  path: string;
  id: string;
  body: Record<string, unknown>;
  change: { method: 'PUT' | 'PATCH'; body: Record<string, unknown> };
  difference: string[];
}[] = [
  {
    name: 'flag',
    path: '/v1/flags/flags',
    id: 'key',
    body: { key: 'shop', flag_type: 'boolean', enabled: true, targeting_rules: [{ percentage: 20 }] },
    change: { method: 'PATCH', body: { targeting_rules: [{ percentage: 100 }] } },
    difference: ['Rule 1: 20 % → 100 %'],
  },
  {
    name: 'experiment',
    path: '/v1/experiments/experiments',
    id: 'key',
    body: {
      key: 'wide',
      flag_key: 'tried',
      traffic: 10,
      variants: [
        { key: 'false', weight: 50 },
        { key: 'true', weight: 50 },
      ],
    },
    change: { method: 'PATCH', body: { traffic: 50, layer: { key: 'shop', from: 0, to: 50 } } },
    difference: ['Traffic: 10 % → 50 %', 'Layer: none → key “shop”, from 0 %, to 50 %'],
  },
  {
    name: 'segment',
    path: '/v1/segments/segments',
    id: 'segment_id',
    body: { key: 'spenders', name: 'S', conditions: { 'attributes.level': { $gte: 3 } } },
    change: { method: 'PUT', body: { name: 'S', conditions: { 'attributes.level': { $gte: 5 } } } },
    difference: ['Conditions, attributes.level, $gte: 3 → 5'],
  },
  {
    name: 'campaign',
    path: '/v1/campaigns/campaigns',
    id: 'campaign_id',
    body: { key: 'c', name: 'C', trigger: { event: 'lost' }, content: { title: 'T', body: 'B', cta: 'Go' } },
    change: { method: 'PATCH', body: { enabled: false, holdout_percentage: 10 } },
    difference: ['Disabled', 'Holdout percentage: 0 % → 10 %'],
  },
  {
    name: 'computed property',
    path: '/v1/properties/properties',
    id: 'key',
    body: { key: 'bosses', event: 'boss_beaten', aggregate: 'count', within_days: 7 },
    change: { method: 'PUT', body: { event: 'boss_beaten', aggregate: 'count', within_days: 28 } },
    difference: ['Within days: 7 → 28'],
  },
  {
    name: 'event schema',
    path: '/v1/events/schemas',
    id: 'event_name',
    body: { event_name: 'level up/ü', mode: 'warn', schema: { type: 'object' } },
    change: { method: 'PUT', body: { mode: 'enforce', schema: { type: 'object', required: ['n'] } } },
    difference: ['Schema, required: none → ["n"]', 'Mode: “warn” → “enforce”'],
  },
  {
    name: 'webhook',
    path: '/v1/integrations/webhooks',
    id: 'webhook_id',
    body: { url: 'https://hooks.example.com/T0/path', events: ['level_up'], headers: { Authorization: 'Bearer top' } },
    change: { method: 'PATCH', body: { events: ['level_up', 'purchase'], enabled: false } },
    difference: ['Disabled', 'Events: added “purchase”'],
  },
  {
    name: 'saved query',
    path: '/v1/analytics/saved-queries',
    id: 'key',
    body: { key: 'q', query: { kind: 'trend', metric: 'players' }, range_days: 7 },
    change: { method: 'PUT', body: { query: { kind: 'trend', metric: 'events' }, range_days: 7 } },
    difference: ['Query, metric: “players” → “events”'],
  },
  {
    name: 'annotation',
    path: '/v1/analytics/annotations',
    id: 'annotation_id',
    body: { text: 'Releaze', at: '2026-01-15' },
    change: { method: 'PATCH', body: { text: 'Release' } },
    difference: ['Text: “Releaze” → “Release”'],
  },
];

/** Without what a change makes new, and what only GET of one definition adds. */
const content = (data: Record<string, unknown>) => {
  const {
    version: _,
    updated_at: __,
    edit_effect: ___,
    evaluation: ____,
    used_by: _____,
    past: ______,
    ...rest
  } = data;
  return rest;
};

describe.each(KINDS)('the history of a $name', ({ path, id, body, change, difference }) => {
  it('has each version with who, when, why and what, and brings back an earlier one as a new version', async () => {
    const made = await call('POST', path, body);
    expect(made.status).toBe(201);
    const item = `${path}/${encodeURIComponent(String(made.data[id] ?? body[id]))}`;
    const first = (await call('GET', item)).data;
    const changed = await call(change.method, item, { ...change.body, version: 1 }, why('More players'));
    expect(changed.status).toBe(200);
    const second = (await call('GET', item)).data;

    const [newest, oldest, ...more] = await versions(item, 2);
    expect(more).toEqual([]);
    expect(newest).toMatchObject({ version: 2, reason: 'More players', confirmed: true, difference });
    expect(newest?.made_by).toMatchObject({ kind: 'key', email: null });
    expect(oldest).toMatchObject({ version: 1, action: 'created', reason: null, difference: ['Created'] });

    const old = await call('GET', `${item}/versions/1`);
    expect(old).toMatchObject({ status: 200, data: { version: 1, definition: { version: 1 }, players_left_out: {} } });
    const at = (ms: number) => call('GET', `${item}/in-force?at=${new Date(ms).toISOString()}`);
    const since = Date.parse(newest?.at ?? '');
    expect((await at(since - 1)).data).toMatchObject({ version: 1 });
    expect((await at(since)).data).toMatchObject({ version: 2 });
    expect((await at(Date.parse(oldest?.at ?? '') - 1)).status).toBe(404);

    const preview = await call('POST', `${item}/restore/preview`, { version: 1 });
    expect(preview).toMatchObject({ status: 200, data: { version: 2, restores: 1 } });
    expect(preview.data['difference']).toHaveLength(difference.length);
    expect(content((await call('GET', item)).data)).toEqual(content(second));

    const once = { ...why('It was better'), 'Idempotency-Key': `restore-${path}` };
    const restored = await call('POST', `${item}/restore`, { version: 1 }, once);
    expect([restored.status, restored.headers.get('etag')]).toEqual([200, '"3"']);
    const repeated = await call('POST', `${item}/restore`, { version: 1 }, once);
    expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const now = (await call('GET', item)).data;
    expect(now['version']).toBe(3);
    expect(content(now)).toEqual(content(first));
    expect((await versions(item, 3))[0]).toMatchObject({ version: 3, reason: 'It was better' });
    expect(JSON.stringify(await call('GET', `${item}/versions/3`))).not.toContain('Bearer top');

    expect((await call('POST', `${item}/restore`, { version: 9 })).error).toMatchObject({ code: 'NOT_FOUND' });
    expect((await call('POST', `${item}/restore`, { version: 1 }, { 'If-Match': '"2"' })).status).toBe(412);
    for (const number of ['0', '01', '1.0', '0x1', '1e0', '%201', '4294967296']) {
      expect((await call('GET', `${item}/versions/${number}`)).status, number).toBe(400);
    }
    expect((await call('GET', `${item}/versions/9`)).status).toBe(404);
  });
});

describe('the history', () => {
  const FLAGS = '/v1/flags/flags';

  it('of an archived flag brings back any version, and without one the flag as it was', async () => {
    const item = `${FLAGS}/archived`;
    await call('POST', FLAGS, { key: 'archived', flag_type: 'boolean', targeting_rules: [{ percentage: 5 }] });
    await call('PATCH', item, { targeting_rules: [{ percentage: 50 }] });
    await call('DELETE', item);
    expect((await versions(item, 3))[0]).toMatchObject({ action: 'archived', difference: ['Archived'] });
    const restored = await call('POST', `${item}/restore`, { version: 1 });
    expect(restored).toMatchObject({ status: 200, data: { version: 4, targeting_rules: [{ percentage: 5 }] } });
    const document = gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: 'archived' })?.document;
    expect([document?.archivedAt, document?.periods.at(-1)?.version]).toEqual([null, expect.any(Number)]);
    await call('DELETE', item);
    expect((await call('POST', `${item}/restore`)).data).toMatchObject({
      version: 6,
      targeting_rules: [{ percentage: 5 }],
    });
  });

  it('comes in pages, whose last line compares with the first of the next', async () => {
    const item = `${FLAGS}/paged`;
    await call('POST', FLAGS, { key: 'paged', flag_type: 'boolean' });
    for (const name of ['b', 'c', 'd']) await call('PATCH', item, { name });
    await versions(item, 4);
    const lines: string[] = [];
    let cursor: string | null = null;
    do {
      const { data } = await call('GET', `${item}/versions?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
      const page: { difference: string[] }[] = JSON.parse(JSON.stringify(data['versions']));
      lines.push(...page.flatMap(({ difference }) => difference));
      cursor = data['next_cursor'] === null ? null : JSON.stringify(data['next_cursor']).slice(1, -1);
    } while (cursor !== null);
    expect(lines).toEqual(['Name: “c” → “d”', 'Name: “b” → “c”', 'Name: “paged” → “b”', 'Created']);
    const other = await call('GET', `${FLAGS}/archived/versions?cursor=${Buffer.from('1 2').toString('base64url')}`);
    expect(other.status).toBe(400);
  });

  it('of a deleted definition stays, and says how to make it again', async () => {
    const path = '/v1/properties/properties';
    const body = { key: 'again', event: 'e', aggregate: 'count' };
    await call('POST', path, body);
    await call('DELETE', `${path}/again`);
    expect((await versions(`${path}/again`, 2))[0]).toMatchObject({ action: 'deleted', difference: ['Deleted'] });
    expect((await call('GET', `${path}/again/versions`)).data['current_version']).toBeNull();
    const inForce = await call('GET', `${path}/again/in-force?at=${new Date().toISOString()}`);
    expect([inForce.status, inForce.error.message]).toEqual([404, 'It had been deleted at that time.']);
    expect((await call('GET', `${path}/never/versions`)).status).toBe(404);
    expect((await call('POST', `${path}/never/restore`, { version: 1 })).status).toBe(404);
    const { data } = await call('GET', `${path}/again/versions/1`);
    expect((await call('POST', path, data['definition'])).data).toMatchObject({ version: 3 });
  });

  it.each(KINDS.filter(({ name }) => name !== 'flag' && name !== 'webhook'))(
    'makes a $name that was deleted again, under its id, in one call',
    async ({ path, id, body }) => {
      const deleted: Record<string, unknown> = { ...body };
      for (const name of ['key', 'event_name']) if (name in body) deleted[name] = 'deleted';
      const made = await call('POST', path, deleted);
      const item = `${path}/${encodeURIComponent(String(made.data[id] ?? deleted[id]))}`;
      const first = (await call('GET', item)).data;
      expect((await call('DELETE', item)).status).toBe(200);
      await versions(item, 2);
      const preview = await call('POST', `${item}/restore/preview`, { version: 1 });
      expect(preview.data).toEqual({ version: null, restores: 1, difference: ['Created'], notes: [] });
      expect((await call('GET', item)).status).toBe(404);
      const once = { ...why('Too early'), 'Idempotency-Key': `again-${path}` };
      expect((await call('POST', `${item}/restore`, { version: 1 }, { ...once, 'If-Match': '"1"' })).status).toBe(412);
      const restored = await call('POST', `${item}/restore`, { version: 1 }, once);
      expect([restored.status, restored.headers.get('etag'), restored.error]).toEqual([200, '"3"', undefined]);
      const again = await call('POST', `${item}/restore`, { version: 1 }, once);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      const now = (await call('GET', item)).data;
      expect({ ...content(now), created_at: '' }).toEqual({ ...content(first), created_at: '' });
      expect((await versions(item, 3))[0]).toMatchObject({ version: 3, action: 'created', reason: 'Too early' });
      await call('DELETE', item);
    },
  );

  it('does not make again what it has in part only, or whose key another one has', async () => {
    const path = '/v1/segments/segments';
    const gone = async (body: object) => {
      const { data } = await call('POST', path, body);
      const item = `${path}/${String(data['segment_id'])}`;
      await call('DELETE', item);
      await versions(item, 2);
      return item;
    };
    const player = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
    const excluding = await gone({ key: 'excluding', conditions: { is_payer: true }, excludes: [player] });
    const { status, error } = await call('POST', `${excluding}/restore`, { version: 1 });
    expect([status, error.message]).toEqual([409, expect.stringContaining('`excludes`')]);

    const first = await gone({ key: 'twice', conditions: { is_payer: true } });
    await call('POST', path, { key: 'twice', conditions: { is_payer: false } });
    expect((await call('POST', `${first}/restore`, { version: 1 })).error.message).toContain('has this key');

    const hook = { url: 'https://hooks.example.com/T0/x', events: ['level_up'] };
    const webhook = await call('POST', '/v1/integrations/webhooks', hook);
    const item = `/v1/integrations/webhooks/${webhook.data['webhook_id']}`;
    await call('DELETE', item);
    await versions(item, 2);
    const refused = await call('POST', `${item}/restore`, { version: 1 });
    expect([refused.status, refused.error.message]).toEqual([409, expect.stringContaining('create it again')]);
  });

  it('keeps the players of a segment as they are now', async () => {
    const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
    const segment = { key: 'named', conditions: { is_payer: true } };
    const made = await call('POST', '/v1/segments/segments', { ...segment, includes: [PLAYER] });
    const item = `/v1/segments/segments/${String(made.data['segment_id'])}`;
    const other = PLAYER.replace('6', '7');
    await call('PUT', item, { conditions: { is_payer: false }, includes: [PLAYER, other], version: 1 });
    expect((await versions(item, 2))[0]?.difference).toContain('Includes: 1 → 2 players');
    expect((await call('GET', `${item}/versions/1`)).data['players_left_out']).toEqual({ includes: 1 });
    const preview = await call('POST', `${item}/restore/preview`, { version: 1 });
    expect(preview.data['notes']).toEqual([expect.stringContaining('`includes` stays as it is')]);
    const { data } = await call('POST', `${item}/restore`, { version: 1 });
    expect(data).toMatchObject({ conditions: { is_payer: true }, includes: [PLAYER, other], version: 3 });
  });

  it('keeps the URL and the secrets of a webhook as they are now, and shows none', async () => {
    const hook = { url: 'https://a.example/hidden-path', events: ['level_up'], headers: { A: 'hidden-1' } };
    const { data: made } = await call('POST', '/v1/integrations/webhooks', hook);
    const item = `/v1/integrations/webhooks/${made['webhook_id']}`;
    await call('PATCH', item, { events: ['*'], secret: 'hidden-secret-of-the-test', headers: { B: 'hidden-2' } });
    const [newest] = await versions(item, 2);
    const headers = 'Headers: added “B”; removed “A”';
    expect(newest?.difference).toEqual(['Secret: another one', 'Events: added “*”; removed “level_up”', headers]);
    const { data } = await call('POST', `${item}/restore/preview`, { version: 1 });
    expect(data['difference']).toEqual(['Events: added “level_up”; removed “*”']);
    expect(JSON.stringify([newest, data])).not.toContain('hidden-');
  });

  it('refuses a version that is not valid any more, with the reason, and changes nothing', async () => {
    const segment = await call('POST', '/v1/segments/segments', { key: 'gone', conditions: { is_payer: true } });
    const id = String(segment.data['segment_id']);
    await call('POST', FLAGS, { key: 'uses', flag_type: 'boolean', targeting_rules: [{ segment_id: id }] });
    await call('PATCH', `${FLAGS}/uses`, { targeting_rules: [] });
    await call('DELETE', `/v1/segments/segments/${id}`);
    await versions(`${FLAGS}/uses`, 2);
    for (const path of ['restore', 'restore/preview']) {
      const { status, error } = await call('POST', `${FLAGS}/uses/${path}`, { version: 1 });
      expect([status, error.details.fields[0]?.path]).toEqual([409, '/targeting_rules/0/segment_id']);
      expect(error.message).toContain('Version 1 cannot be restored as it was');
    }
    expect((await call('GET', `${FLAGS}/uses`)).data['version']).toBe(2);
  });

  it('is read by viewers, who see addresses of people, and restored by editors', async () => {
    const item = `${FLAGS}/people`;
    await ann.call('POST', FLAGS, { key: 'people', flag_type: 'boolean' });
    await ann.call('PATCH', item, { name: 'b' });
    await versions(item, 2);
    const seen = await bodyOf(await viewer.call('GET', `${item}/versions`));
    expect(seen.data['versions']).toMatchObject([{ made_by: { kind: 'user', email: ann.email } }, {}]);
    expect((await versions(item, 2))[0]?.made_by.email).toBeNull();
    expect((await viewer.call('POST', `${item}/restore/preview`, { version: 1 })).status).toBe(200);
    expect((await viewer.call('POST', `${item}/restore`, { version: 1 })).status).toBe(403);
    const test = await gateway.key({ environment: 'test' });
    expect((await gateway.call(test, 'GET', `${item}/versions`)).status).toBe(404);
  });

  it('waits for a second person where other changes do', async () => {
    const item = `${FLAGS}/waits`;
    await call('POST', FLAGS, { key: 'waits', flag_type: 'boolean' });
    await call('PATCH', item, { name: 'b' });
    await versions(item, 2);
    const game = gateway.config.get(gameAddress('demo'))?.document;
    if (game === undefined) throw new Error('there is no game');
    await gateway.config.put(gameAddress('demo'), { ...game, approval: true });
    const proposed = await ann.call('POST', `${item}/restore`, { version: 1 }, why('Undo'));
    expect(proposed.status).toBe(409);
    expect((await call('GET', item)).data).toMatchObject({ version: 2, name: 'b' });
    const [waiting] = gateway.config.list('proposal', 'demo', 'live');
    expect(waiting?.document).toMatchObject({
      change: 'flag.restore',
      version: 2,
      reason: 'Undo',
      body: { version: 1 },
    });
    expect((await bob.call('POST', `/v1/console/approvals/${waiting?.key}/approve`)).status).toBe(200);
    expect((await call('GET', item)).data).toMatchObject({ version: 3, name: 'waits' });
    expect((await versions(item, 3))[0]).toMatchObject({ reason: 'Undo', made_by: { id: bob.id } });
    await gateway.config.put(gameAddress('demo'), { ...game, approval: false });
  });

  it('says who changed what files manage', async () => {
    const item = `${FLAGS}/owned`;
    const files = { 'X-Managed-By': 'github.com/acme/games' };
    await call('POST', FLAGS, { key: 'owned', flag_type: 'boolean' }, files);
    await call('PATCH', item, { targeting_rules: [{ percentage: 7 }] });
    await ann.call('PATCH', item, { name: 'Mine' }, why('It is urgent'));
    await versions(item, 3);
    const service = connectService({ baseUrl: gateway.url, key, name: 'demo' }, SAYS_NOTHING, systemClock);
    const held = (await readCurrent(service)).definitions.get('flags/owned');
    if (held === undefined) throw new Error('there is no flag');
    expect(await driftOf(held, 'github.com/acme/games', service)).toEqual([
      expect.stringMatching(
        /^changed in the service since the files were applied: version 3 by user \S+ at 20\S+ \(“It is urgent”\), and 1 more$/,
      ),
    ]);
    await call('PATCH', item, { name: 'Owned' }, files);
    const applied = (await readCurrent(service)).definitions.get('flags/owned');
    expect(applied && (await driftOf(applied, 'github.com/acme/games', service))).toEqual([]);
  });

  it('of settings of a game is there for both environments, and is restored by admins', async () => {
    await call('PATCH', '/v1/settings', { currency: 'EUR' });
    await call('PATCH', '/v1/settings', { currency: 'BRL', time_zone: 'America/Sao_Paulo' });
    expect((await versions('/v1/settings', 3))[0]?.difference).toEqual([
      'Currency: “EUR” → “BRL”',
      'Time zone: none → “America/Sao_Paulo”',
    ]);
    const preview = await call('POST', '/v1/settings/restore/preview', { version: 2 });
    expect(preview.data['difference']).toEqual(['Currency: “BRL” → “EUR”', 'Time zone: “America/Sao_Paulo” → “UTC”']);
    const restored = await call('POST', '/v1/settings/restore', { version: 2 });
    expect(restored.data).toMatchObject({ currency: 'EUR', time_zone: 'UTC', version: 4 });
    const test = await gateway.key({ environment: 'test' });
    expect((await gateway.call(test, 'POST', '/v1/settings/restore', { version: 2 })).status).toBe(403);
    expect((await gateway.call(test, 'GET', '/v1/settings/versions')).status).toBe(200);
  });

  it('is 503 with the reason while ClickHouse is down, and other changes go on', async () => {
    const down = await startGateway({ configStore: gateway.config, analytics: NO_ANALYTICS });
    const item = `${FLAGS}/shop`;
    for (const [method, path, body] of [
      ['GET', `${item}/versions`],
      ['GET', `${item}/versions/1`],
      ['GET', `${item}/in-force?at=2026-01-15`],
      ['POST', `${item}/restore`, { version: 1 }],
      ['POST', `${item}/restore/preview`, { version: 1 }],
    ] as const) {
      const response = await down.call(key, method, path, body);
      expect([response.status, (await bodyOf(response)).error.message]).toEqual([
        503,
        expect.stringContaining('ClickHouse'),
      ]);
    }
    expect((await down.call(key, 'PATCH', item, { name: 'Goes on' })).status).toBe(200);
    await down.close();
  });
});

describe('a change that waits for a second person and is outdated', () => {
  it('says in words what changed since it was proposed', async () => {
    const path = '/v1/flags/flags/outdated';
    await call('POST', '/v1/flags/flags', {
      key: 'outdated',
      flag_type: 'boolean',
      targeting_rules: [{ percentage: 5 }],
    });
    const held = gateway.config.get(gameAddress('demo'));
    if (held === undefined) throw new Error('there is no game');
    await gateway.config.put(gameAddress('demo'), { ...held.document, approval: true });
    const proposed: { error: { details: { approval_id: string } } } = JSON.parse(
      await (await ann.call('PATCH', path, { enabled: false })).text(),
    );
    await call('PATCH', path, { targeting_rules: [{ percentage: 20 }] });
    await versions(path, 2);
    const approve = `/v1/console/approvals/${proposed.error.details.approval_id}/approve`;
    const refused = await bob.call('POST', approve);
    expect([refused.status, JSON.parse(await refused.text())]).toMatchObject([
      409,
      { error: { details: { version: 2, based_on: 1, changed: ['Rule 1: 5 % → 20 %'] } } },
    ]);
    await gateway.config.put(gameAddress('demo'), held.document);
  });
});
