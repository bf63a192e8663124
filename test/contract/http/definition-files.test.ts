import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { readCurrent } from '../../../src/cli/definitions/current.ts';
import { readDefinitions } from '../../../src/cli/definitions/definition-files.ts';
import { planOf } from '../../../src/cli/definitions/plan.ts';
import { connectService } from '../../../src/cli/definitions/service.ts';
import { runCli as cli } from '../../support/wire/run-cli.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { makeEachKind } from '../../support/wire/each-kind.ts';

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
    ['segment', 'flag', 'experiment', 'campaign', 'webhook', 'event_schema', 'property', 'saved_query'] as const
  ).flatMap((one) => gateway.config.list(one))) {
    await gateway.config.delete({ game, environment, kind, key });
  }
});

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

const EXPERIMENTS = '/v1/experiments/experiments';
const makeAll = (key: string): Promise<void> =>
  makeEachKind({
    made: (path, body) => made(key, path, body),
    call: (method, path, body) => call(key, method, path, body),
  });

describe('a game in files', () => {
  it('is equal byte for byte once it is applied to an empty game, and applied again changes nothing', async () => {
    await makeAll(demo);
    const exported = await cli('export', 'definitions', dir, '--only', 'demo');
    expect(exported.error).toBe('');
    const files = await filesOf('demo');
    expect(Object.keys(files).toSorted()).toEqual(
      [
        'campaigns/comeback.json',
        'event-schemas/level%20up%2F%C3%BC.json',
        'exchange-rates.json',
        'experiments/prices.json',
        'experiments/zones.json',
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
    expect(JSON.stringify(files)).not.toMatch(
      /secret-path|Bearer|seg_|whsec|version"|created_at|"state"|"salt": "[^t]/,
    );

    await cp(join(dir, 'demo'), join(dir, 'other'), { recursive: true });
    expect((await cli('apply', dir, '--only', 'other', '--yes')).error).toContain('WEBHOOK_PURCHASES_EU_URL');
    vi.stubEnv('WEBHOOK_PURCHASES_EU_URL', 'https://hooks.example.com/T0/secret-path');
    vi.stubEnv('WEBHOOK_PURCHASES_EU_AUTHORIZATION', 'Bearer top');
    const planned = await cli('plan', dir, '--only', 'other');
    expect([planned.code, planned.lines.at(-1)]).toEqual([2, expect.stringContaining('14 to create, 1 to change')]);
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
    vi.stubEnv('WEBHOOK_PURCHASES_EU_URL', 'https://hooks.example.com/T0/other-secret');
    const moved = await cli('plan', dir, '--only', 'other');
    const said = moved.lines.join('\n');
    expect(said).toContain('webhooks/Purchases: EU');
    expect(said).not.toMatch(/secret/);
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
    await writeFile(join(dir, 'demo/flags/latin.json'), Buffer.from('{"key":"latin","note":"caf\xe9"}', 'latin1'));
    await write('demo/webhooks/w.json', {
      name: 'w',
      url: 'https://x.example',
      events: ['*'],
      headers: { A: 'secret' },
    });
    // Variables of the pipeline that are not for webhooks would be sent to an address that the file chooses.
    vi.stubEnv('DEPLOY_TOKEN', 'https://t0p-secret.example');
    await write('demo/webhooks/u.json', { name: 'u', url: '${DEPLOY_TOKEN}', events: ['*'] });
    await write('demo/webhooks/s.json', {
      name: 's',
      url: 'https://x.example',
      events: ['*'],
      secret: '${DEPLOY_TOKEN}',
    });
    await mkdir(join(dir, 'demo/flags/folder.json'));
    await flag('con');
    const { code, error } = await plan();
    expect(code).toBe(1);
    expect(error).not.toContain('t0p-secret');
    for (const fault of [
      /typo\.json: \/enabeld/,
      /name\.json holds `other`: name it other\.json/,
      /demo\/flag is neither/,
      /broken\.json is not JSON/,
      /latin\.json is not UTF-8/,
      /w\.json: \/headers\/A must be `\$\{WEBHOOK_…\}`/,
      /u\.json: \/url must be `\$\{WEBHOOK_…\}`/,
      /s\.json: \/secret must be `\$\{WEBHOOK_…\}`/,
      /folder\.json cannot be read: EISDIR/,
      /con\.json holds `con`: name it %63on\.json/,
    ]) {
      expect(error).toMatch(fault);
    }
    for (const path of [
      'flags/typo.json',
      'flags/name.json',
      'flag',
      'flags/broken.json',
      'flags/latin.json',
      'flags/folder.json',
      'flags/con.json',
      'webhooks',
    ]) {
      await rm(join(dir, 'demo', path), { recursive: true });
    }
    expect((await apply()).error).toBe(
      'flags/lost names the segment `nowhere`, which neither the files nor the service have.',
    );
    expect((await call(demo, 'GET', FLAGS)).data['flags']).toEqual([]);
    vi.stubEnv('DEMO_KEY', '');
    expect((await plan()).error).toContain('DEMO_KEY, which is not set');
    vi.stubEnv('DEMO_KEY', 'AKIA-of-something-else');
    expect((await plan()).error).toBe('demo: the environment variable DEMO_KEY holds no server key.');
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
    expect((await promote()).error).toContain('pass --yes');
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

describe('experiments in files', () => {
  const HALVES = [
    { key: 'false', weight: 1 },
    { key: 'true', weight: 1 },
  ];
  const file = (more: object = {}) =>
    write('demo/experiments/test.json', { key: 'test', flag_key: 'shop', variants: HALVES, ...more });
  const shown = async () => (await call(demo, 'GET', `${EXPERIMENTS}/test`)).data;
  const act = async (action: string) =>
    expect((await call(demo, 'POST', `${EXPERIMENTS}/test/${action}`)).status).toBe(200);

  it('are drafts when they are new, and neither start nor stop by their files', async () => {
    await flag('shop');
    await write('demo/segments/payers.json', { key: 'payers', conditions: { is_payer: true } });
    const audience = { segment_id: 'payers', conditions: { $nor: [{ $inSegment: ['payers'] }] } };
    await file({ audience });
    expect(await apply()).toMatchObject({ code: 0, error: '' });
    const id = expect.stringMatching(/^seg_/);
    const { salt } = await shown();
    expect(await shown()).toMatchObject({
      state: 'draft',
      audience: { segment_id: id, conditions: { $nor: [{ $inSegment: [id] }] } },
    });
    await act('start');
    expect((await plan()).lines).toContain('  3 unchanged');
    await file({ audience, traffic: 30 });
    expect((await plan()).lines).toContain('      Traffic: 100 % → 30 %');
    expect(await apply()).toMatchObject({ code: 0, error: '' });
    expect(await shown()).toMatchObject({ state: 'running', traffic: 30, phases: [{ phase: 1 }], salt });
    await act('stop');
    await act('discard');
    expect(await plan()).toMatchObject({ code: 0, error: '' });
    expect((await shown())['state']).toBe('discarded');
  });

  it('say what is fixed once they started, in the plan and when they are applied', async () => {
    await flag('shop');
    await flag('other');
    await file();
    await apply();
    await act('start');
    const { version } = await shown();
    await file({ flag_key: 'other', bucket_by: 'device' });
    const rule = 'cannot change once the experiment has started; stop it and create another one';
    const { lines } = await plan();
    expect(lines).toContain(`      ! the service refuses this: \`flag_key\` ${rule}`);
    expect(lines).toContain(`      ! the service refuses this: \`bucket_by\` ${rule}`);
    const { code, error } = await apply();
    expect([code, error]).toEqual([
      1,
      expect.stringContaining(`demo: experiments/test was not changed: 409 CONFLICT: \`flag_key\` ${rule}`),
    ]);
    expect(await shown()).toMatchObject({ flag_key: 'shop', bucket_by: 'player', version });
    await act('stop');
    await file({ traffic: 5 });
    expect((await plan()).lines).toContain(
      '      ! the service refuses this: `traffic` cannot change: the experiment is stopped',
    );
  });

  it('hold no life and no salt', async () => {
    await file({ state: 'running', started_at: null, salt: 'x' });
    const { error } = await plan();
    for (const name of ['state', 'started_at']) expect(error).toContain(`/${name} is decided in the service`);
    expect(error).toContain('/salt is not for files');
  });

  it('are deleted as drafts only, and the one that started stays', async () => {
    await flag('shop');
    await file();
    await apply();
    await act('start');
    await rm(join(dir, 'demo/experiments/test.json'));
    const { lines } = await plan('--delete');
    expect(lines).toContain('  ? experiments/test: without a file; --delete deletes it');
    expect(lines).toContain('      ! it is running: --delete leaves it. Stop and discard it in the service.');
    expect(await apply('--delete')).toMatchObject({ code: 0, error: '' });
    expect((await shown())['state']).toBe('running');
    await act('stop');
    await act('discard');
    expect((await plan('--delete')).lines.join()).not.toContain('experiments/test');
    await write('demo/experiments/next.json', { key: 'next', flag_key: 'shop', variants: HALVES });
    await apply();
    await rm(join(dir, 'demo/experiments/next.json'));
    expect(await apply('--delete')).toMatchObject({ code: 0, error: '' });
    expect((await call(demo, 'GET', `${EXPERIMENTS}/next`)).status).toBe(404);
  });

  it('are promoted with their flag and segments, as drafts', async () => {
    await made(demo, FLAGS, { key: 'shop', flag_type: 'boolean' });
    const { segment_id: id } = await made(demo, '/v1/segments/segments', {
      key: 'payers',
      conditions: { is_payer: true },
    });
    const experiment = {
      key: 'test',
      flag_key: 'shop',
      variants: HALVES,
      audience: { conditions: { $inSegment: [id] } },
    };
    await made(demo, EXPERIMENTS, experiment);
    await act('start');
    const words = ['promote', dir, 'experiments/test', '--from', 'demo', '--to', 'other', '--yes'];
    const promoted = await cli(...words);
    expect(promoted).toMatchObject({ code: 0, error: '' });
    expect(promoted.lines.at(-1)).toBe('3 changes made.');
    const { data } = await call(other, 'GET', `${EXPERIMENTS}/test`);
    expect(data).toMatchObject({ state: 'draft', flag_key: 'shop' });
    expect((await cli(...words)).lines).toContain('  3 unchanged');
  });
});
