import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { readCurrent } from '../../../src/cli/definitions/current.ts';
import { readDefinitions } from '../../../src/cli/definitions/definition-files.ts';
import { planOf } from '../../../src/cli/definitions/plan.ts';
import { connectService } from '../../../src/cli/definitions/service.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Definitions in files: the commands against the HTTP API of two games. */

let gateway: Gateway;
let demo: string;
let other: string;
let dir: string;

beforeAll(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'definition-files-'));
  demo = await gateway.key({ game: 'demo' });
  other = await gateway.key({ game: 'other' });
  vi.stubEnv('DEMO_KEY', demo);
  vi.stubEnv('OTHER_KEY', other);
  const at = (variable: string) => ({ base_url: gateway.url, key_env: variable });
  await writeFile(
    join(dir, 'games.json'),
    JSON.stringify({ repository: 'github.com/acme/games', games: { demo: at('DEMO_KEY'), other: at('OTHER_KEY') } }),
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await rm(dir, { recursive: true });
  for (const { game, environment, kind, key } of (
    ['segment', 'flag', 'campaign', 'webhook', 'event_schema', 'property', 'saved_query', 'experiment'] as const
  ).flatMap((one) => gateway.config.list(one))) {
    await gateway.config.delete({ game, environment, kind, key });
  }
});

/** Runs a command. @returns what it printed, and its exit code */
async function cli(...words: string[]): Promise<{ lines: string[]; code: number; error: string }> {
  const lines: string[] = [];
  process.exitCode = undefined;
  const never = () => Promise.reject(new Error('the commands use HTTP only'));
  const program = await createProgram(
    {
      clock: systemClock,
      ids: systemIds,
      print: (line) => void lines.push(line),
      note: (line) => void lines.push(line),
      dataDir: '',
      modelPath: '',
      withConfigStore: never,
      withDeployment: never,
      baseUrl: () => undefined,
      clickhouse: () => ({ url: '', user: '', password: '', database: '' }),
    },
    words[0],
  );
  try {
    await program.parseAsync(['node', 'cli', ...words]);
    return { lines, code: exitCode(), error: '' };
  } catch (error) {
    return { lines, code: 1, error: error instanceof Error ? error.message : String(error) };
  } finally {
    process.exitCode = undefined;
  }
}

const exitCode = (): number => Number(process.exitCode ?? 0);

async function call(key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, ...(await bodyOf(response)) };
}

async function made(key: string, path: string, body: unknown) {
  const { status, data, error } = await call(key, 'POST', path, body);
  expect(error, JSON.stringify(error)).toBeUndefined();
  expect(status).toBe(201);
  return data;
}

/** All files of a folder with their bytes. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(join(dir, folder), { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = paths.map(async (path) => [path.slice(join(dir, folder).length + 1), await readFile(path, 'utf8')]);
  return Object.fromEntries(await Promise.all(read));
}

async function write(path: string, body: object): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), JSON.stringify(body));
}

const labels = { owner: 'economy', tags: ['shop'], note: 'Ask first' };

/** One or more of each kind. No value is the default or that of another field. */
async function makeAll(key: string): Promise<void> {
  await made(key, '/v1/events/schemas', {
    ...labels,
    event_name: 'level up/ü',
    description: 'Levels',
    mode: 'warn',
    schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  });
  await made(key, '/v1/properties/properties', {
    ...labels,
    key: 'bosses',
    name: 'Bosses beaten',
    description: 'Of all sizes',
    event: 'boss_beaten',
    where: { 'properties.size': { $gte: 2 } },
    aggregate: 'sum',
    value: 'properties.points',
    within_days: 9,
  });
  const payers = await made(key, '/v1/segments/segments', {
    ...labels,
    key: 'payers',
    name: 'Payers',
    description: 'They paid',
    conditions: { is_payer: true, 'computed.bosses': { $gte: 3 } },
    enabled: true,
  });
  const listed = await made(key, '/v1/segments/segments', { key: 'listed', name: 'From a list', kind: 'static' });
  await made(key, '/v1/segments/segments', {
    key: 'off',
    name: 'Off',
    conditions: { is_payer: false },
    enabled: false,
  });
  await made(key, '/v1/flags/flags', {
    ...labels,
    key: 'shop',
    name: 'The shop',
    description: 'Prices',
    flag_type: 'number',
    ends_at: '2027-01-02T03:04:05.678Z',
    client_visible: false,
    default_value: 0.99,
    default_serve: {
      weights: [
        { key: 'low', weight: 3 },
        { key: 'high', weight: 7 },
      ],
    },
    bucket_by: 'device',
    variants: [
      { key: 'low', value: 1.99, weight: 20 },
      { key: 'high', value: 4.99, weight: 80 },
    ],
    targeting_rules: [
      {
        name: 'Payers',
        segment_id: payers['segment_id'],
        conditions: { 'context.version': { $vgte: '2.0.0' } },
        serve: { variant: 'high' },
        salt: 'together',
        bucket_by: 'attribute:guild',
        percentage: 37.5,
        priority: 4,
        start_at: '2026-01-01T00:00:00.000Z',
        end_at: '2028-01-01T00:00:00.000Z',
      },
      { segment_id: listed['segment_id'], value: false },
    ],
    // Made after this one in the order of keys.
    prerequisites: [],
  });
  await made(key, '/v1/flags/flags', { key: 'zone', flag_type: 'boolean', enabled: false });
  await made(key, '/v1/flags/flags', { key: 'Zone', flag_type: 'boolean', targeting_rules: [{ percentage: 12 }] });
  await call(key, 'PATCH', '/v1/flags/flags/shop', { prerequisites: [{ flag_key: 'zone', value: true }] });
  await made(key, '/v1/flags/flags', { key: 'past', flag_type: 'boolean' });
  await call(key, 'DELETE', '/v1/flags/flags/past');
  await made(key, '/v1/experiments/experiments', {
    ...labels,
    key: 'price',
    name: 'Price',
    hypothesis: 'They pay more',
    flag_key: 'shop',
    audience: { segment_id: payers['segment_id'], conditions: { $inSegment: ['listed'] } },
    traffic: 41,
    variants: [
      { key: 'low', weight: 2 },
      { key: 'high', weight: 5 },
    ],
    bucket_by: 'device',
    layer: { key: 'prices', from: 10, to: 60 },
    primary: { aggregate: 'conversion', metric: 'item_bought' },
    guardrails: [{ metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0.03, action: 'pause' }],
    plan: { alpha: 0.01, power: 0.9, mde: 0.07, ends_at: '2027-03-04T05:06:07.000Z' },
  });
  await made(key, '/v1/campaigns/campaigns', {
    ...labels,
    key: 'comeback',
    name: 'Come back',
    enabled: false,
    trigger: { segment_entered: payers['segment_id'] },
    audience: listed['segment_id'],
    content: { title: 'T', body: 'B', cta: 'Go' },
    display_rules: { priority: 'high', dismiss_after_seconds: 31 },
    caps: { total: 5, per_day: 2 },
    cooldown_seconds: 3_601,
    quiet_hours: { from: '22:00', to: '08:00' },
    holdout_percentage: 11,
    expires_after_seconds: 604_801,
    start_at: '2026-02-01T00:00:00.000Z',
    end_at: '2029-02-01T00:00:00.000Z',
  });
  await made(key, '/v1/analytics/saved-queries', {
    ...labels,
    key: 'levels',
    name: 'Levels',
    description: 'Weekly',
    query: { kind: 'trend', metric: 'players', by: 'country' },
    range_days: 29,
  });
  await made(key, '/v1/integrations/webhooks', {
    ...labels,
    name: 'Purchases: EU',
    url: 'https://hooks.example.com/T0/secret-path',
    events: ['purchase_completed'],
    headers: { Authorization: 'Bearer top' },
    retry_policy: { max_retries: 3, backoff: 'linear' },
    filters: { 'properties.amount': { gte: 10 } },
  });
  await call(key, 'PATCH', '/v1/settings', {
    time_zone: 'America/Sao_Paulo',
    currency: 'BRL',
    extracted_properties: ['level', 'item.id'],
  });
  await call(key, 'PUT', '/v1/settings/exchange-rates', {
    rates: { USD: { '2026-01-15': 5.37, '2026-01-16': 5.38 }, EUR: { '2026-01-15': 6.25 } },
  });
}

describe('a game in files', () => {
  it('is equal byte for byte once it is applied to an empty game, and applied again changes nothing', async () => {
    await makeAll(demo);
    const exported = await cli('export', 'definitions', dir, '--only', 'demo');
    expect(exported.error).toBe('');
    const files = await filesOf('demo');
    expect(Object.keys(files).toSorted()).toEqual(
      [
        'campaigns/comeback.json',
        'experiments/price.json',
        'event-schemas/level%20up%2F%C3%BC.json',
        'exchange-rates.json',
        'flags/%5Aone.json',
        'flags/shop.json',
        'flags/zone.json',
        'properties/bosses.json',
        'saved-queries/levels.json',
        'segments/listed.json',
        'segments/off.json',
        'segments/payers.json',
        'settings.json',
        'webhooks/Purchases%3A%20EU.json',
      ].toSorted(),
    );
    expect(JSON.stringify(files)).not.toMatch(/secret-path|Bearer|seg_|whsec|version"|created_at/);

    await cp(join(dir, 'demo'), join(dir, 'other'), { recursive: true });
    expect((await cli('apply', dir, '--only', 'other', '--yes')).error).toContain('WEBHOOK_PURCHASES_EU_URL');
    vi.stubEnv('WEBHOOK_PURCHASES_EU_URL', 'https://hooks.example.com/T0/secret-path');
    vi.stubEnv('WEBHOOK_PURCHASES_EU_AUTHORIZATION', 'Bearer top');
    const planned = await cli('plan', dir, '--only', 'other');
    expect([planned.code, planned.lines.at(-1)]).toEqual([2, expect.stringContaining('13 to create, 1 to change')]);
    expect((await call(other, 'GET', '/v1/flags/flags')).data['flags']).toEqual([]);
    const applied = await cli('apply', dir, '--only', 'other', '--yes', '--reason', 'Wie in Köln');
    expect(applied).toMatchObject({ code: 0, error: '' });
    const again = await cli('plan', dir, '--only', 'other');
    expect(again).toMatchObject({ code: 0, error: '' });
    await rm(join(dir, 'other'), { recursive: true });
    await cli('export', 'definitions', dir, '--only', 'other');
    expect(await filesOf('other')).toEqual(files);

    const webhook = gateway.config.list('webhook', 'other', 'live')[0]?.document;
    expect(webhook).toMatchObject({
      url: 'https://hooks.example.com/T0/secret-path',
      headers: { Authorization: 'Bearer top' },
    });
    vi.stubEnv('WEBHOOK_PURCHASES_EU_URL', '');
    vi.stubEnv('WEBHOOK_PURCHASES_EU_AUTHORIZATION', undefined);
    expect((await cli('plan', dir, '--only', 'other')).code).toBe(0);
    const shop = await call(other, 'GET', '/v1/flags/flags/shop');
    expect(shop.data).toMatchObject({ version: 1, managed_by: { by: 'github.com/acme/games', version: 1 } });
  });
});

const apply = (...words: string[]) => cli('apply', dir, '--only', 'demo', '--yes', ...words);
const plan = (...words: string[]) => cli('plan', dir, '--only', 'demo', ...words);
const FLAGS = '/v1/flags/flags';
const flag = (key: string, more: object = {}) =>
  write(`demo/flags/${key}.json`, { key, flag_type: 'boolean', ...more });

describe('plan and apply', () => {
  it('make each after what it names, and name segments by key', async () => {
    await write('demo/segments/payers.json', { key: 'payers', conditions: { is_payer: true } });
    await flag('a', { prerequisites: [{ flag_key: 'b', value: true }], targeting_rules: [{ segment_id: 'payers' }] });
    await flag('b', { prerequisites: [{ flag_key: 'c', value: true }] });
    await flag('c');
    expect(await apply('--reason', 'New prices')).toMatchObject({ code: 0, error: '' });
    const { data } = await call(demo, 'GET', `${FLAGS}/a`);
    expect(data['targeting_rules']).toMatchObject([{ segment_id: expect.stringMatching(/^seg_/) }]);
    expect((await plan()).lines).toContain('  4 unchanged');
  });

  it('name segments by key in conditions, too, and make segments after those that they read', async () => {
    await write('demo/segments/a.json', { key: 'a', conditions: { $not: { $inSegment: ['b'] } } });
    await write('demo/segments/b.json', { key: 'b', conditions: { $or: [{ $inSegment: ['c'] }, { is_payer: true }] } });
    await write('demo/segments/c.json', { key: 'c', conditions: { session_count: 1 } });
    await flag('f', { targeting_rules: [{ conditions: { $inSegment: ['a', 'c'] } }] });
    expect(await apply()).toMatchObject({ code: 0, error: '' });
    const { data } = await call(demo, 'GET', `${FLAGS}/f`);
    const id = expect.stringMatching(/^seg_/);
    expect(data['targeting_rules']).toMatchObject([{ conditions: { $inSegment: [id, id] } }]);
    expect((await plan()).lines).toContain('  4 unchanged');
    await write('demo/segments/b.json', { key: 'b', conditions: { $inSegment: ['nowhere'] } });
    expect((await plan()).error).toContain('segments/b names the segment `nowhere`, which neither the files nor');
  });

  it('show a change in words, and one from elsewhere as drift, which is put back', async () => {
    await flag('drift', { targeting_rules: [{ percentage: 20 }], owner: 'economy' });
    await apply();
    await call(demo, 'PATCH', `${FLAGS}/drift`, { targeting_rules: [{ percentage: 100 }] });
    await flag('drift', { targeting_rules: [{ percentage: 50 }] });
    const { code, lines } = await plan();
    expect(code).toBe(2);
    expect(lines.slice(1, 5)).toEqual([
      '  ~ flags/drift: to change',
      '      Rule 1: 100 % → 50 %',
      '      Owner: “economy” → none',
      expect.stringContaining('! changed in the service since the files were applied'),
    ]);
    expect((await call(demo, 'GET', `${FLAGS}/drift`)).data).toMatchObject({ version: 2, managed_by: { version: 1 } });
    await apply();
    const { data } = await call(demo, 'GET', `${FLAGS}/drift`);
    expect(data).toMatchObject({ version: 3, owner: '', managed_by: { by: 'github.com/acme/games', version: 3 } });
    expect((await plan()).code).toBe(0);
  });

  it('take over what is there as it is, and only with a word what something else manages', async () => {
    await made(demo, FLAGS, { key: 'adopt', flag_type: 'boolean' });
    await flag('adopt');
    expect((await plan()).lines).toContain('  @ flags/adopt: to take over as it is');
    await apply();
    expect((await call(demo, 'GET', `${FLAGS}/adopt`)).data['managed_by']).toEqual({
      by: 'github.com/acme/games',
      version: 2,
    });
    await call(demo, 'PATCH', `${FLAGS}/adopt`, {}, { 'X-Managed-By': 'terraform' });
    expect((await plan()).error).toContain('flags/adopt is managed by terraform');
    expect((await plan('--take-over')).code).toBe(2);
    await call(demo, 'PATCH', `${FLAGS}/adopt`, {}, { 'X-Managed-By': 'none' });
    expect((await call(demo, 'GET', `${FLAGS}/adopt`)).data['managed_by']).toBeNull();
  });

  it('delete only with a word, only what the files managed, and bring an archived flag back', async () => {
    await write('demo/segments/payers.json', { key: 'payers', conditions: { is_payer: true } });
    await flag('gone', { targeting_rules: [{ segment_id: 'payers', percentage: 3 }] });
    await made(demo, FLAGS, { key: 'by-hand', flag_type: 'boolean' });
    await apply();
    await rm(join(dir, 'demo/segments'), { recursive: true });
    await rm(join(dir, 'demo/flags/gone.json'));
    const shown = await plan();
    expect([shown.code, shown.lines]).toEqual([0, expect.arrayContaining([expect.stringContaining('? flags/gone')])]);
    expect((await plan('--delete')).code).toBe(2);
    expect(await apply('--delete')).toMatchObject({ code: 0, error: '' });
    expect((await call(demo, 'GET', FLAGS)).data['flags']).toMatchObject([{ key: 'by-hand' }]);
    expect((await call(demo, 'GET', '/v1/segments/segments')).data['segments']).toEqual([]);

    await flag('gone', { targeting_rules: [{ percentage: 4 }] });
    expect((await plan()).lines).toContain('      Restored from the archive');
    expect(await apply()).toMatchObject({ code: 0, error: '' });
    expect((await call(demo, 'GET', `${FLAGS}/gone`)).data).toMatchObject({ targeting_rules: [{ percentage: 4 }] });
  });

  it('stop at the first failure, say what was made, and go on when they run again', async () => {
    await write('demo/segments/a.json', { key: 'a', conditions: { is_payer: true } });
    await write('demo/segments/b.json', { key: 'b', conditions: { 'nowhere.x': 1 } });
    await flag('c');
    const { code, error } = await apply();
    expect([code, error]).toEqual([1, expect.stringContaining('demo: segments/b was not changed: 400')]);
    expect(error).toContain('1 of 3 changes were made before it, 1 were not tried');
    await write('demo/segments/b.json', { key: 'b', conditions: { is_payer: false } });
    expect((await apply()).lines.at(-1)).toBe('2 changes made.');
  });

  it('refuse a change that was made after the plan', async () => {
    await flag('shop');
    await apply();
    await flag('shop', { name: 'Shop' });
    const target = { baseUrl: gateway.url, key: demo, name: 'demo' };
    const service = connectService(target, { reason: '', managedBy: 'github.com/acme/games' }, systemClock);
    const desired = await readDefinitions(join(dir, 'demo'), {});
    const options = { managedBy: 'github.com/acme/games', deletes: false, takesOver: false };
    const [step] = await planOf(desired, await readCurrent(service), service, options);
    await call(demo, 'PATCH', `${FLAGS}/shop`, { name: 'Meanwhile' });
    expect(await step?.perform?.()).toMatchObject({ kind: 'refused', status: 412 });
    expect((await call(demo, 'GET', `${FLAGS}/shop`)).data['name']).toBe('Meanwhile');
  });

  it('leave the players that a segment names to the service', async () => {
    const player = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
    await made(demo, '/v1/segments/segments', { key: 'vip', conditions: { is_payer: true }, excludes: [player] });
    await write('demo/segments/vip.json', { key: 'vip', conditions: { is_payer: false } });
    await apply();
    expect((await call(demo, 'GET', '/v1/segments/segments')).data['segments']).toMatchObject([
      { conditions: { is_payer: false }, excludes: [player] },
    ]);
    await write('demo/segments/vip.json', { key: 'vip', conditions: { is_payer: false }, excludes: [] });
    expect((await plan()).error).toContain('/excludes names players, which files do not');
  });

  it('say all that is wrong with files, and change nothing', async () => {
    await flag('ok');
    await flag('typo', { enabeld: true });
    await flag('lost', { targeting_rules: [{ segment_id: 'nowhere' }] });
    await write('demo/flags/name.json', { key: 'other', flag_type: 'boolean' });
    await write('demo/flag/x.json', {});
    await writeFile(join(dir, 'demo/flags/broken.json'), '{');
    await write('demo/webhooks/w.json', {
      name: 'w',
      url: 'https://x.example',
      events: ['*'],
      headers: { A: 'secret' },
    });
    const { code, error } = await plan();
    expect(code).toBe(1);
    for (const fault of [
      /typo\.json: \/enabeld/,
      /name\.json holds `other`: name it other\.json/,
      /demo\/flag is neither/,
      /broken\.json is not JSON/,
      /w\.json: \/headers\/A must be `\$\{NAME\}`/,
    ]) {
      expect(error).toMatch(fault);
    }
    for (const path of ['flags/typo.json', 'flags/name.json', 'flag', 'flags/broken.json', 'webhooks/w.json']) {
      await rm(join(dir, 'demo', path), { recursive: true });
    }
    expect((await apply()).error).toBe(
      'flags/lost names the segment `nowhere`, which neither the files nor the service have.',
    );
    expect((await call(demo, 'GET', FLAGS)).data['flags']).toEqual([]);
    vi.stubEnv('DEMO_KEY', '');
    expect((await plan()).error).toContain('DEMO_KEY, which is not set');
  });
});

describe('promote', () => {
  it('brings a flag with what it needs, and keeps what the other environment has in another form', async () => {
    await made(demo, '/v1/properties/properties', { key: 'bosses', event: 'e', aggregate: 'count', within_days: 8 });
    const conditions = { 'computed.bosses': { $gte: 2 } };
    const segment = await made(demo, '/v1/segments/segments', { key: 'strong', conditions });
    await made(demo, FLAGS, { key: 'base', flag_type: 'boolean', targeting_rules: [{ percentage: 9 }] });
    await made(demo, FLAGS, {
      key: 'shop',
      flag_type: 'boolean',
      targeting_rules: [{ segment_id: segment['segment_id'], percentage: 30 }],
      prerequisites: [{ flag_key: 'base', value: true }],
    });
    await made(other, FLAGS, { key: 'base', flag_type: 'boolean', targeting_rules: [{ percentage: 1 }] });
    const promote = (...words: string[]) =>
      cli('promote', dir, 'flags/shop', '--from', 'demo', '--to', 'other', '--reason', 'Tested', ...words);
    expect((await promote()).error).toContain('say --yes');
    const { lines, error } = await promote('--yes');
    expect(error).toBe('');
    expect(lines).toContain('  ! flags/base differs in other and stays; --with-needs changes it too.');
    const { data } = await call(other, 'GET', `${FLAGS}/shop`);
    const [there] = gateway.config.list('segment', 'other', 'live');
    expect(data).toMatchObject({
      targeting_rules: [{ segment_id: there?.document.id, percentage: 30 }],
      managed_by: null,
    });
    expect(there?.document.id).not.toBe(segment['segment_id']);
    expect((await call(other, 'GET', '/v1/properties/properties/bosses')).data['within_days']).toBe(8);
    expect((await call(other, 'GET', `${FLAGS}/base`)).data['targeting_rules']).toMatchObject([{ percentage: 1 }]);
    await promote('--yes', '--with-needs');
    expect((await call(other, 'GET', `${FLAGS}/base`)).data['targeting_rules']).toMatchObject([{ percentage: 9 }]);
    expect((await promote('--yes')).lines.at(-1)).toContain('unchanged');
  });
});
