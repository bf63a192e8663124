import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
let previewed: string[];
beforeEach(async () => {
  previewed = [];
  gateway = await startGateway({
    segmentPreviews: {
      async preview({ conditions }) {
        previewed.push(conditions);
        const counts = { players: 0, margin: 0, total: 0, evaluated: 0, overBudget: 0, tookMs: 1 };
        return { kind: 'preview', ...counts, complete: true, examples: [] };
      },
    },
  });
  key = await gateway.key();
});
afterEach(() => gateway.close());

const SEGMENTS = '/v1/segments/segments';
const FLAGS = '/v1/flags/flags';
const CAMPAIGNS = '/v1/campaigns/campaigns';
const EXPERIMENTS = '/v1/experiments/experiments';
const VARIANTS = [
  { key: 'false', weight: 1 },
  { key: 'true', weight: 1 },
];

async function call(method: string, path: string, body?: JsonObject) {
  const response = await gateway.call(key, method, path, body);
  return { status: response.status, body: await bodyOf(response) };
}

/** Creates a segment, and returns its id. */
async function made(name: string, conditions: JsonObject): Promise<string> {
  const { status, body } = await call('POST', SEGMENTS, { key: name, conditions });
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.data['segment_id']);
}

const faultOf = ({ body }: Awaited<ReturnType<typeof call>>) => {
  const [fault] = body.error.details.fields;
  return `${fault?.path} ${fault?.message}`;
};

describe('a segment in conditions', () => {
  it('may be named by id or key, and is stored by id, on every door', async () => {
    const payers = await made('payers', { is_payer: true });
    const named = { $not: { $inSegment: ['payers'] }, $or: [{ $inSegment: [payers] }, { session_count: 1 }] };
    const stored = { $not: { $inSegment: [payers] }, $or: [{ $inSegment: [payers] }, { session_count: 1 }] };
    const { body: segment } = await call('POST', SEGMENTS, { key: 'outer', conditions: named });
    expect(segment.data['conditions']).toEqual(stored);
    const put = { key: 'outer', conditions: { $inSegment: ['payers'] }, version: 1 };
    const { body: replaced } = await call('PUT', `${SEGMENTS}/${String(segment.data['segment_id'])}`, put);
    expect(replaced.data['conditions']).toEqual({ $inSegment: [payers] });
    const flag = { key: 'shop', flag_type: 'boolean', targeting_rules: [{ conditions: named }, { percentage: 50 }] };
    const { body: created } = await call('POST', FLAGS, flag);
    expect(created.data['targeting_rules']).toMatchObject([{ conditions: stored }, { percentage: 50 }]);
    const rules = [{ conditions: { $inSegment: ['payers'] } }];
    const { body: patched } = await call('PATCH', `${FLAGS}/shop`, { targeting_rules: rules });
    expect(patched.data['targeting_rules']).toMatchObject([{ conditions: { $inSegment: [payers] } }]);
    const trigger = { event: 'shop_opened', conditions: { $inSegment: ['payers'], 'properties.tab': 'gems' } };
    const content = { title: 't', body: 'b' };
    const { body: campaign } = await call('POST', CAMPAIGNS, { key: 'offer', trigger, content });
    expect(campaign.data['trigger']).toMatchObject({
      conditions: { $inSegment: [payers], 'properties.tab': 'gems' },
    });
    await call('POST', `${SEGMENTS}/preview`, { conditions: { $inSegment: ['payers'] } });
    expect(previewed).toEqual([JSON.stringify({ $inSegment: [payers] })]);
  });

  it('must exist', async () => {
    const conditions = { $and: [{ is_payer: true }, { $inSegment: ['none'] }] };
    const at = (path: string) =>
      `${path}/$and/1/$inSegment/0 must be the id or key of a segment of this game, not "none"`;
    expect(faultOf(await call('POST', SEGMENTS, { key: 'a', conditions }))).toBe(at('/conditions'));
    expect(faultOf(await call('POST', `${SEGMENTS}/preview`, { conditions }))).toBe(at('/conditions'));
    const flag = { key: 'f', flag_type: 'boolean', targeting_rules: [{ conditions }] };
    expect(faultOf(await call('POST', FLAGS, flag))).toBe(at('/targeting_rules/0/conditions'));
    const campaign = { key: 'c', trigger: { event: 'e', conditions }, content: { title: 't', body: 'b' } };
    expect(faultOf(await call('POST', CAMPAIGNS, campaign))).toBe(at('/trigger/conditions'));
  });

  it('keeps it from being deleted or disabled, and names its users', async () => {
    const payers = await made('payers', { is_payer: true });
    await made('outer', { $not: { $inSegment: ['payers'] } });
    const flag = { key: 'shop', flag_type: 'boolean', targeting_rules: [{ conditions: { $inSegment: ['payers'] } }] };
    expect((await call('POST', FLAGS, flag)).status).toBe(201);
    const deleted = await call('DELETE', `${SEGMENTS}/${payers}`);
    expect(deleted.status).toBe(409);
    expect(deleted.body.error.details).toEqual({ flags: ['shop'], segments: ['outer'] });
    expect(deleted.body.error.message).toBe(
      'The segment is used by flags (shop) and segments (outer). Remove it from them first.',
    );
    const disabled = { key: 'payers', conditions: { is_payer: true }, enabled: false, version: 1 };
    expect((await call('PUT', `${SEGMENTS}/${payers}`, disabled)).status).toBe(409);
  });

  it('must not lead back to the segment itself', async () => {
    const a = await made('a', { is_payer: true });
    const b = await made('b', { $inSegment: ['a'] });
    await made('c', { $not: { $inSegment: ['b'] } });
    const circle = await call('PUT', `${SEGMENTS}/${a}`, { key: 'a', conditions: { $inSegment: ['c'] }, version: 1 });
    expect(circle.status).toBe(400);
    expect(faultOf(circle)).toBe(
      '/conditions/$inSegment/0 makes the segment read itself: `a` → `c` → `b` → `a`; take one of them out of the ' +
        'condition before it',
    );
    const own = await call('PUT', `${SEGMENTS}/${b}`, { key: 'b', conditions: { $inSegment: ['b'] }, version: 1 });
    expect(faultOf(own)).toContain('makes the segment read itself: `b` → `b`');
  });

  it('is nested at most five levels deep, counted from both ends', async () => {
    await made('s0', { is_payer: true });
    for (let level = 1; level <= 5; level += 1) await made(`s${level}`, { $inSegment: [`s${level - 1}`] });
    const sixth = await call('POST', SEGMENTS, { key: 's6', conditions: { $inSegment: ['s5'] } });
    expect(faultOf(sixth)).toContain('/conditions/$inSegment/0 nests segments 6 levels deep; the maximum is 5;');
    const below = await made('below', { session_count: 1 });
    const [s0] = gateway.config.list('segment', 'demo', 'live').filter(({ document }) => document.key === 's0');
    const deeper = { key: 's0', conditions: { $inSegment: [below] }, version: 1 };
    const edited = await call('PUT', `${SEGMENTS}/${String(s0?.document.id)}`, deeper);
    expect(faultOf(edited)).toContain('nests segments 6 levels deep');
  });

  it('is in the definitions for servers, with all that it reads', async () => {
    const inner = await made('inner', { is_payer: true });
    const outer = await made('outer', { $inSegment: ['inner'] });
    await made('unused', { $inSegment: ['inner'] });
    await call('POST', FLAGS, { key: 'f', flag_type: 'boolean', targeting_rules: [{ segment_id: outer }] });
    const { body } = await call('GET', '/v1/flags/definitions');
    const { segments } = body.data;
    expect(JSON.stringify(segments)).toContain(JSON.stringify({ $inSegment: [inner] }));
    expect(segments).toMatchObject([{ key: 'inner' }, { key: 'outer' }]);
  });
});

describe('the audience of an experiment', () => {
  const shop = { key: 'shop', flag_type: 'boolean' };
  const experiment = (audience: JsonObject) => ({ key: 'test', flag_key: 'shop', variants: VARIANTS, audience });

  it('names segments by id or key in conditions, also in edits, and keeps ids', async () => {
    const payers = await made('payers', { is_payer: true });
    await call('POST', FLAGS, shop);
    const conditions = { $not: { $inSegment: ['payers'] }, $bucket: { salt: 's', below: 30 } };
    const stored = { ...conditions, $not: { $inSegment: [payers] } };
    const { status, body } = await call('POST', EXPERIMENTS, experiment({ conditions }));
    expect([status, body.data?.['audience']]).toEqual([201, { segment_id: null, conditions: stored }]);
    const other = { audience: { segment_id: payers, conditions: { $or: [{ $inSegment: ['payers'] }] } } };
    const { body: patched } = await call('PATCH', `${EXPERIMENTS}/test`, other);
    expect(patched.data['audience']).toEqual({ segment_id: payers, conditions: { $or: [{ $inSegment: [payers] }] } });
    const put = { ...experiment({ conditions }), version: 2 };
    expect((await call('PUT', `${EXPERIMENTS}/test`, put)).body.data['audience']).toMatchObject({ conditions: stored });
  });

  it('names only segments that there are', async () => {
    const payers = await made('payers', { is_payer: true });
    await call('POST', FLAGS, shop);
    const missing = await call('POST', EXPERIMENTS, experiment({ conditions: { $inSegment: ['payers', 'none'] } }));
    expect([missing.status, faultOf(missing)]).toEqual([
      400,
      '/audience/conditions/$inSegment/1 must be the id or key of a segment of this game, not "none"',
    ]);
    const byKey = await call('POST', EXPERIMENTS, experiment({ segment_id: 'payers' }));
    expect([byKey.status, faultOf(byKey)]).toEqual([
      400,
      '/audience/segment_id must be the id of a segment of this game (`seg_…`): the segment with the key `payers` has ' +
        `the id \`${payers}\``,
    ]);
    const bucket = await call('POST', EXPERIMENTS, experiment({ conditions: { $bucket: { salt: 's', below: 101 } } }));
    expect([bucket.status, faultOf(bucket)]).toEqual([400, expect.stringContaining('/audience/conditions/$bucket')]);
    expect((await call('GET', `${EXPERIMENTS}/test`)).status).toBe(404);
  });

  it('keeps its segments, those that these read too, until it has ended', async () => {
    const inner = await made('inner', { is_payer: true });
    const outer = await made('outer', { $inSegment: ['inner'] });
    await call('POST', FLAGS, shop);
    await call('POST', EXPERIMENTS, experiment({ conditions: { $inSegment: ['outer'] } }));
    const users = async (id: string) => {
      const { status, body } = await call('DELETE', `${SEGMENTS}/${id}`);
      return [status, body.error.details];
    };
    for (const action of ['start', 'pause', 'stop']) {
      expect(await users(outer)).toEqual([409, { experiments: ['test'] }]);
      expect(await users(inner)).toEqual([409, { segments: ['outer'] }]);
      expect((await call('POST', `${EXPERIMENTS}/test/${action}`)).status).toBe(200);
    }
    const disabled = { key: 'outer', conditions: { $inSegment: [inner] }, enabled: false, version: 1 };
    expect((await call('PUT', `${SEGMENTS}/${outer}`, disabled)).status).toBe(409);
    expect((await call('POST', `${EXPERIMENTS}/test/discard`)).status).toBe(200);
    expect((await call('DELETE', `${SEGMENTS}/${outer}`)).status).toBe(200);
  });

  it('is in the definitions for servers while it runs, with all segments that it reads', async () => {
    await made('inner', { is_payer: true });
    const other = await made('other', { session_count: 1 });
    await made('outer', { $inSegment: ['inner'] });
    await call('POST', FLAGS, shop);
    await call(
      'POST',
      EXPERIMENTS,
      experiment({ segment_id: other, conditions: { $nor: [{ $inSegment: ['outer'] }] } }),
    );
    const segments = async () => {
      const { body } = await call('GET', '/v1/flags/definitions');
      return JSON.parse(JSON.stringify(body.data['segments'])).map(({ key: of }: { key: string }) => of);
    };
    expect(await segments()).toEqual([]);
    await call('POST', `${EXPERIMENTS}/test/start`);
    expect(await segments()).toEqual(['inner', 'other', 'outer']);
    await call('POST', `${EXPERIMENTS}/test/stop`);
    expect(await segments()).toEqual([]);
  });
});
