import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXPERIMENT_API_LIMITS } from '../../../src/api/experiments/limits.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Writes of definitions at the same moment: quotas hold, and nothing reads what another request deletes. */

let gateway: Gateway;
let server: string;
let made = 0;

beforeAll(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  server = await gateway.key();
});
afterAll(() => gateway.close());
beforeEach(() => {
  made += 1;
});

const FLAGS = '/v1/flags/flags';
const SEGMENTS = '/v1/segments/segments';
const PROPERTIES = '/v1/properties/properties';
const EXPERIMENTS = '/v1/experiments/experiments';
const CAMPAIGNS = '/v1/campaigns/campaigns';
const HALVES = [
  { key: 'false', weight: 1 },
  { key: 'true', weight: 1 },
];

async function call(method: string, path: string, body?: unknown) {
  const response = await gateway.call(server, method, path, body);
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, error };
}
async function create(path: string, body: unknown) {
  const { status, data, error } = await call('POST', path, body);
  expect([status, error]).toEqual([201, undefined]);
  return data;
}
const message = async (answer: Promise<{ status: number; error?: unknown }>) => {
  const { status, error } = await answer;
  return `${status} ${String(Object(error).message)}`;
};

describe('a quota', () => {
  afterAll(async () => {
    for (const each of gateway.config.list('experiment', 'demo', 'live')) await gateway.config.delete(each);
  });
  it.each([
    [1, 24],
    [3, 10],
    [0, 5],
  ])('with %i places left takes the first of %i creations at the same moment', async (left, count) => {
    const limit = EXPERIMENT_API_LIMITS.experimentsPerEnvironment;
    await call('POST', FLAGS, { key: 'shop', flag_type: 'boolean' });
    const draft = (key: string) => ({ key, flag_key: 'shop', variants: HALVES });
    const open = () => gateway.config.list('experiment', 'demo', 'live').length;
    const [full] = gateway.config.list('experiment', 'demo', 'live');
    if (full !== undefined) await gateway.config.delete(full);
    const first = await create(EXPERIMENTS, draft(`first-${made}`));
    const held = gateway.config.get({
      game: 'demo',
      environment: 'live',
      kind: 'experiment',
      key: String(first['key']),
    });
    if (held === undefined) throw new Error('it was not made');
    for (let n = 0; open() < limit - left; n += 1) {
      const key = `filling-${made}-${n}`;
      await gateway.config.put({ ...held, key }, { ...held.document, key });
    }
    for (const extra of gateway.config.list('experiment', 'demo', 'live').slice(limit - left)) {
      await gateway.config.delete(extra);
    }
    const put = gateway.config.put.bind(gateway.config);
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    // Each request has counted before any has written.
    gateway.config.put = async (address, document, revision) => {
      waiting += 1;
      if (waiting === count) all.resolve();
      if (left > 0) await all.promise;
      return put(address, document, revision);
    };
    const keys = Array.from({ length: count }, (_, n) => `racing-${made}-${n}`);
    const answers = await Promise.all(keys.map((key) => call('POST', EXPERIMENTS, draft(key))));
    gateway.config.put = put;
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(left);
    expect(statuses.filter((status) => status === 409)).toHaveLength(count - left);
    expect(open()).toBe(limit);
  });
});

describe('a definition and the deletion of what it reads, at the same moment', () => {
  const rule = (id: string) => ({ targeting_rules: [{ segment_id: id, percentage: 10 }] });
  const reading = { conditions: { 'computed.bosses': { $gte: 1 } } };
  const experiment = (audience: object) => ({ key: `reader-${made}`, flag_key: 'tried', variants: HALVES, audience });
  const campaign = (id: string) => ({
    key: `reader-${made}`,
    trigger: { event: 'boss' },
    audience: id,
    content: { title: 'T', body: 'B', cta: 'C' },
  });
  const CASES: [string, string, (id: string) => object, 'segment' | 'property'][] = [
    ['a flag', FLAGS, (id) => ({ key: `reader-${made}`, flag_type: 'boolean', ...rule(id) }), 'segment'],
    ['a segment', SEGMENTS, (id) => ({ key: `reader-${made}`, conditions: { $not: { $inSegment: [id] } } }), 'segment'],
    ['an experiment', EXPERIMENTS, (id) => experiment({ segment_id: id }), 'segment'],
    ['a campaign', CAMPAIGNS, campaign, 'segment'],
    ['a segment by a property', SEGMENTS, () => ({ key: `reader-${made}`, ...reading }), 'property'],
    ['an experiment by a property', EXPERIMENTS, () => experiment(reading), 'property'],
  ];

  async function target(kind: 'segment' | 'property'): Promise<{ id: string; path: string }> {
    await call('POST', FLAGS, { key: 'tried', flag_type: 'boolean' });
    if (kind === 'property') {
      await call('POST', PROPERTIES, { key: 'bosses', event: 'boss', aggregate: 'count', within_days: 7 });
      return { id: 'bosses', path: `${PROPERTIES}/bosses` };
    }
    const id = String((await create(SEGMENTS, { key: `read-${made}`, conditions: { is_payer: true } }))['segment_id']);
    return { id, path: `${SEGMENTS}/${id}` };
  }
  const readers = () =>
    JSON.stringify(
      (['flag', 'segment', 'experiment', 'campaign'] as const).flatMap((kind) =>
        gateway.config.list(kind, 'demo', 'live').map(({ document }) => document.key),
      ),
    );

  it.each(CASES)('the deletion came first: %s is not made', async (_, path, body, kind) => {
    const { id, path: targetPath } = await target(kind);
    const put = gateway.config.put.bind(gateway.config);
    gateway.config.put = async (address, document, revision) => {
      gateway.config.put = put;
      expect((await call('DELETE', targetPath)).status).toBe(200);
      return put(address, document, revision);
    };
    expect(await message(call('POST', path, body(id)))).toMatch(
      /^503 The (segment|computed property) `.*` was deleted/,
    );
    expect(readers()).not.toContain(`reader-${made}`);
    expect((await call('POST', path, body(id))).status).toBe(400);
  });

  it.each(CASES)('the deletion came second: it is put back, because %s reads it', async (_, path, body, kind) => {
    const { id, path: targetPath } = await target(kind);
    const before = (await call('GET', targetPath)).data;
    const remove = gateway.config.delete.bind(gateway.config);
    let item = '';
    gateway.config.delete = async (address, revision) => {
      gateway.config.delete = remove;
      const reader = await create(path, body(id));
      item = `${path}/${String(reader['segment_id'] ?? reader['campaign_id'] ?? reader['id'] ?? reader['key'])}`;
      return remove(address, revision);
    };
    expect(await message(call('DELETE', targetPath))).toMatch(/^409 .* is used by|^409 .*read/);
    const after = (await call('GET', targetPath)).data;
    expect({ ...after, version: 1, updated_at: '', evaluation: '', used_by: '', past: '' }).toEqual({
      ...before,
      version: 1,
      updated_at: '',
      evaluation: '',
      used_by: '',
      past: '',
    });
    expect(after['version']).toBe(Number(before['version']) + 2);
    expect((await call('DELETE', item)).status).toBe(200);
  });

  it('a change of a flag is put back likewise, and keeps what it read before', async () => {
    const [{ id, path }, key] = [await target('segment'), `changed-${made}`];
    await create(FLAGS, { key, flag_type: 'boolean', name: 'Before' });
    const put = gateway.config.put.bind(gateway.config);
    gateway.config.put = async (address, document, revision) => {
      gateway.config.put = put;
      expect((await call('DELETE', path)).status).toBe(200);
      return put(address, document, revision);
    };
    expect((await call('PATCH', `${FLAGS}/${key}`, rule(id))).status).toBe(503);
    expect((await call('GET', `${FLAGS}/${key}`)).data).toMatchObject({
      name: 'Before',
      targeting_rules: [],
      version: 3,
    });
  });
});
