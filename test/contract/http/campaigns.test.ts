import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CAMPAIGN_API_LIMITS } from '../../../src/api/campaigns/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const PATH = '/v1/campaigns/campaigns';
const GOOD = {
  key: 'comeback',
  name: 'Come back',
  trigger: { event: 'level_failed' },
  content: { title: 'Stuck?', body: 'Here is a hint.', cta: 'Show me' },
  display_rules: { priority: 'high', dismiss_after_seconds: 30 },
};
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
};
const create = (body: unknown, headers?: Record<string, string>) => call('POST', PATH, body, headers);
const made = async (some: object = {}): Promise<string> => {
  const { status, body } = await create({ ...GOOD, ...some });
  expect(status).toBe(201);
  return String(body.data['campaign_id']);
};
const aSegment = async (segmentKey = 'spenders'): Promise<string> => {
  const { body } = await call('POST', '/v1/segments/segments', { key: segmentKey, conditions: { is_payer: true } });
  return String(body.data['segment_id']);
};
const stored = () => gateway.config.list('campaign').map((entry) => entry.document);

describe('creating a campaign', () => {
  it('returns 201 with the campaign, its id, version and ETag, and stores it for its game and environment', async () => {
    const audience = await aSegment();
    const body = {
      ...GOOD,
      enabled: false,
      trigger: { event: 'level_failed', conditions: { 'properties.level': { $gte: 10 }, is_payer: true } },
      audience,
      caps: { total: 5, per_day: 1 },
      cooldown_seconds: 3_600,
      quiet_hours: { from: '22:00', to: '08:00' },
      holdout_percentage: 12.5,
      expires_after_seconds: 86_400,
      start_at: '2026-01-15T10:30:00.000Z',
      end_at: '2026-02-15T10:30:00.000Z',
    };
    const { status, headers, body: answered } = await create(body);
    expect(status).toBe(201);
    expect(answered.data).toEqual({
      ...body,
      variants: null,
      tested: null,
      owner: '',
      tags: [],
      note: '',
      managed_by: null,
      campaign_id: expect.stringMatching(/^cmp_[0-9a-f-]{36}$/),
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: answered.data.created_at,
    });
    expect(headers.get('etag')).toBe('"1"');
    const [entry] = gateway.config.list('campaign');
    expect(entry).toMatchObject({ game: 'demo', environment: 'live', key: answered.data['campaign_id'] });
    expect(entry?.document).toMatchObject({
      trigger: { kind: 'event', event: 'level_failed' },
      caps: { total: 5, perDay: 1 },
      startAt: Date.UTC(2026, 0, 15, 10, 30),
      displayRules: { priority: 'high', dismissAfterSeconds: 30 },
    });
  });

  it('gives missing and null fields their defaults', async () => {
    const { trigger, content } = GOOD;
    const { body } = await create({ name: 'Willkommen zurück!', trigger, content: { ...content, cta: undefined } });
    expect(body.data).toMatchObject({
      key: 'willkommen-zuruck',
      name: 'Willkommen zurück!',
      enabled: true,
      audience: null,
      content: { ...content, cta: '' },
      display_rules: { priority: 'normal', dismiss_after_seconds: 0 },
      caps: { total: null, per_day: null },
      cooldown_seconds: 0,
      quiet_hours: null,
      holdout_percentage: 0,
      expires_after_seconds: 604_800,
      start_at: null,
      end_at: null,
    });
    const nulls = { audience: null, caps: null, quiet_hours: null, display_rules: null, end_at: null };
    const other = await create({ key: 'other', trigger, content, ...nulls });
    expect(other.body.data).toMatchObject({ name: 'other', caps: { total: null, per_day: null }, end_at: null });
  });

  it('caps what triggers by a state that may flap; null means no cap', async () => {
    const segment = await aSegment();
    const { content } = GOOD;
    const capsOf = async (trigger: object, caps?: object) => {
      const { body } = await create({ key: `k${stored().length}`, trigger, content, ...(caps && { caps }) });
      return body.data['caps'];
    };
    expect(await capsOf({ segment_entered: segment })).toEqual({ total: 1, per_day: null });
    expect(await capsOf({ segment_exited: segment })).toEqual({ total: 1, per_day: null });
    expect(await capsOf({ lifecycle: 'at_risk' })).toEqual({ total: null, per_day: 1 });
    expect(await capsOf({ churn: 'high' })).toEqual({ total: null, per_day: 1 });
    expect(await capsOf({ segment_entered: segment }, { per_day: 2 })).toEqual({ total: 1, per_day: 2 });
    expect(await capsOf({ segment_entered: segment }, { total: null })).toEqual({ total: null, per_day: null });
  });

  it('accepts every kind of trigger and returns it as sent', async () => {
    const segment = await aSegment();
    const triggers = [
      { event: 'level_failed' },
      { segment_entered: segment },
      { segment_exited: segment },
      { lifecycle: 'at_risk' },
      { churn: 'high' },
      { schedule: { at: '2290-01-01T00:00:00.000Z' } },
    ];
    for (const [n, trigger] of triggers.entries()) {
      const { status, body } = await create({ ...GOOD, key: `c${n}`, trigger });
      expect([status, body.data['trigger']]).toEqual([201, trigger]);
    }
  });

  it('refuses an invalid definition with 400, names the field, and stores nothing', async () => {
    const bad: [string, object][] = [
      ['/trigger', { trigger: {} }],
      ['/trigger', { trigger: { event: 'a', churn: 'high' } }],
      ['/trigger/phase_of_moon', { trigger: { phase_of_moon: 'full' } }],
      ['/trigger', { trigger: undefined }],
      ['/trigger/event', { trigger: { event: '' } }],
      ['/trigger/event', { trigger: { event: 7 } }],
      ['/trigger/lifecycle', { trigger: { lifecycle: 'asleep' } }],
      ['/trigger/churn', { trigger: { churn: 'low' } }],
      ['/trigger/segment_entered', { trigger: { segment_entered: 'seg_none' } }],
      ['/trigger/segment_exited', { trigger: { segment_exited: 'seg_none' } }],
      ['/trigger/conditions', { trigger: { churn: 'high', conditions: {} } }],
      [
        '/trigger/conditions/properties.a/$foo',
        { trigger: { event: 'a', conditions: { 'properties.a': { $foo: 1 } } } },
      ],
      ['/trigger/conditions', { trigger: { event: 'a', conditions: null } }],
      ['/trigger/conditions/properties.a', { trigger: { event: 'a', conditions: { 'properties.a': {} } } }],
      ['/trigger/conditions/$or', { trigger: { event: 'a', conditions: { $or: [] } } }],
      ['/audience', { audience: '' }],
      ['/trigger/conditions/context.a', { trigger: { event: 'a', conditions: { 'context.a': 1 } } }],
      ['/trigger/schedule/at', { trigger: { schedule: { at: 'tomorrow' } } }],
      ['/trigger/schedule/at', { trigger: { schedule: { at: '2020-01-01' } } }],
      ['/trigger/schedule/at', { trigger: { schedule: { at: '2290-01-01' } }, end_at: '2289-01-01' }],
      ['/audience', { audience: 'seg_none' }],
      ['/content', { content: undefined }],
      ['/content/title', { content: { body: 'b', cta: 'c' } }],
      ['/content/image', { content: { ...GOOD.content, image: 'x' } }],
      [
        '/content/title',
        { content: { ...GOOD.content, title: 'x'.repeat(CAMPAIGN_API_LIMITS.interventionTitleLength + 1) } },
      ],
      ['/display_rules/dismiss_after_seconds', { display_rules: { dismiss_after_seconds: -1 } }],
      ['/caps/total', { caps: { total: 0 } }],
      ['/caps/per_day', { caps: { per_day: 1.5 } }],
      ['/caps/per_week', { caps: { per_week: 1 } }],
      ['/cooldown_seconds', { cooldown_seconds: -1 }],
      ['/holdout_percentage', { holdout_percentage: 101 }],
      ['/holdout_percentage', { holdout_percentage: -0.1 }],
      ['/expires_after_seconds', { expires_after_seconds: 0 }],
      ['/quiet_hours/from', { quiet_hours: { from: '25:00', to: '08:00' } }],
      ['/quiet_hours/to', { quiet_hours: { from: '22:00', to: '8:00' } }],
      ['/quiet_hours/to', { quiet_hours: { from: '22:00', to: '22:00' } }],
      ['/quiet_hours/to', { quiet_hours: { from: '22:00' } }],
      ['/start_at', { start_at: 'soon' }],
      ['/end_at', { start_at: '2026-02-01', end_at: '2026-02-01' }],
      ['/name', { name: '' }],
      ['/key', { key: 'a key' }],
      ['/colour', { colour: 'blue' }],
    ];
    for (const [path, some] of bad) {
      const { status, body } = await create({ ...GOOD, ...some });
      const paths = body.error.details.fields.map((field) => field.path);
      expect([status, body.error.code, paths.includes(path)], `${path} in ${paths.join()}`).toEqual([
        400,
        'VALIDATION_ERROR',
        true,
      ]);
    }
    expect(stored()).toEqual([]);
  });

  it('returns 409 for a taken key, and for one campaign above the maximum', async () => {
    await made();
    const again = await create(GOOD);
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
    const [document] = stored();
    if (document === undefined) throw new Error('nothing is stored');
    for (let n = 1; n < CAMPAIGN_API_LIMITS.campaignsPerEnvironment; n++) {
      const id = `cmp_${n}`;
      const address = { game: 'demo', environment: 'live', kind: 'campaign', key: id } as const;
      await gateway.config.put(address, { ...document, id, key: id }, 0);
    }
    const full = await create({ ...GOOD, key: 'one-more' });
    expect([full.status, full.body.error.code]).toEqual([409, 'CONFLICT']);
  });

  it('happens once per Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    const first = await create(GOOD, headers);
    const repeat = await create(GOOD, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(repeat.body.data).toEqual(first.body.data);
    expect((await create({ ...GOOD, name: 'Other' }, headers)).status).toBe(409);
    expect(stored()).toHaveLength(1);
  });

  it('is for server keys only and separate per game and environment', async () => {
    const id = await made();
    const client = await gateway.key({ kind: 'client' });
    expect((await gateway.call(client, 'GET', PATH)).status).toBe(403);
    expect((await gateway.call(client, 'POST', PATH, GOOD)).status).toBe(403);
    for (const scope of [{ environment: 'test' }, { game: 'other' }] as const) {
      const stranger = await gateway.key(scope);
      expect((await gateway.call(stranger, 'GET', `${PATH}/${id}`)).status).toBe(404);
      expect((await gateway.call(stranger, 'PATCH', `${PATH}/${id}`, { enabled: false })).status).toBe(404);
      expect((await gateway.call(stranger, 'DELETE', `${PATH}/${id}`)).status).toBe(404);
    }
    expect(stored()).toHaveLength(1);
  });
});

describe('an existing campaign', () => {
  it('is returned by id and in the list, oldest first, page by page', async () => {
    const ids = [await made(), await made({ key: 'b' }), await made({ key: 'a' })];
    const { status, headers, body } = await call('GET', `${PATH}/${ids[0]}`);
    expect([status, headers.get('etag'), body.data['key']]).toEqual([200, '"1"', 'comeback']);
    const first = await call('GET', `${PATH}?limit=2`);
    const second = await call('GET', `${PATH}?limit=2&cursor=${String(first.body.data['next_cursor'])}`);
    const idsOf = ({ body: page }: typeof first) =>
      [page.data['campaigns']].flat().map((one) => new Map(Object.entries(Object(one))).get('campaign_id'));
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    expect(second.body.data['next_cursor']).toBeNull();
    expect((await call('GET', `${PATH}/cmp_none`)).status).toBe(404);
  });

  it('can be replaced with the response to GET, and keeps its key', async () => {
    const id = await made({ cooldown_seconds: 60 });
    const { body } = await call('GET', `${PATH}/${id}`);
    const put = await call('PUT', `${PATH}/${id}`, { ...body.data, name: 'New' });
    expect(put.body.data).toEqual({ ...body.data, name: 'New', version: 2, updated_at: expect.any(String) });
    expect(put.headers.get('etag')).toBe('"2"');
    const { trigger, content } = GOOD;
    const bare = await call('PUT', `${PATH}/${id}`, { trigger, content, version: 2 });
    expect(bare.body.data).toMatchObject({ key: 'comeback', name: 'comeback', cooldown_seconds: 0, version: 3 });
    const renamed = await call('PUT', `${PATH}/${id}`, { ...GOOD, key: 'other', version: 3 });
    expect([renamed.status, renamed.body.error.details.fields[0]?.path]).toEqual([400, '/key']);
  });

  it('is changed field by field by PATCH; null sets the default', async () => {
    const id = await made({ cooldown_seconds: 60, caps: { total: 3 }, name: 'N' });
    const patched = await call('PATCH', `${PATH}/${id}`, {
      enabled: false,
      caps: { per_day: 2 },
      cooldown_seconds: null,
    });
    expect(patched.body.data).toMatchObject({
      name: 'N',
      enabled: false,
      caps: { total: null, per_day: 2 },
      cooldown_seconds: 0,
      trigger: GOOD.trigger,
      version: 2,
    });
    const bad = await call('PATCH', `${PATH}/${id}`, { trigger: { event: 'a', lifecycle: 'new' } });
    expect([bad.status, bad.body.error.details.fields[0]?.path]).toEqual([400, '/trigger']);
    expect((await call('PATCH', `${PATH}/${id}`, { key: 'other' })).status).toBe(400);
  });

  it('changes only if If-Match names its current version', async () => {
    const id = await made();
    const stale = await call('PATCH', `${PATH}/${id}`, { enabled: false }, { 'If-Match': '"7"' });
    expect([stale.status, stale.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await call('PATCH', `${PATH}/${id}`, { enabled: false }, { 'If-Match': '"1"' })).status).toBe(200);
    const both = await Promise.all(
      [1, 2].map((n) => call('PATCH', `${PATH}/${id}`, { name: `N${n}` }, { 'If-Match': '2' })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });

  it('can be disabled after its segment is gone or its time has passed; new faults are still refused', async () => {
    const audience = await aSegment();
    const id = await made({ audience });
    const [segment] = gateway.config.list('segment');
    if (segment !== undefined) await gateway.config.delete(segment, segment.revision);
    expect((await call('PATCH', `${PATH}/${id}`, { enabled: false })).status).toBe(200);
    const other = await call('PATCH', `${PATH}/${id}`, { audience: 'seg_other' });
    expect([other.status, other.body.error.details.fields[0]?.path]).toEqual([400, '/audience']);
  });

  it('is deleted permanently; a repeat with the same Idempotency-Key succeeds, another request is 404', async () => {
    const id = await made();
    const headers = { 'Idempotency-Key': 'd1' };
    const gone = await call('DELETE', `${PATH}/${id}`, undefined, headers);
    expect([gone.status, gone.body.data]).toEqual([200, { campaign_id: id, deleted: true }]);
    const repeat = await call('DELETE', `${PATH}/${id}`, undefined, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect(stored()).toEqual([]);
    expect((await create(GOOD)).status).toBe(201);
  });

  it('keeps the segments it uses from being deleted, and the error names it', async () => {
    const [audience, trigger] = [await aSegment('one'), await aSegment('two')];
    await made({ audience, trigger: { segment_exited: trigger } });
    for (const segment of [audience, trigger]) {
      const refused = await call('DELETE', `/v1/segments/segments/${segment}`);
      expect([refused.status, refused.body.error.details]).toMatchObject([409, { campaigns: ['comeback'] }]);
    }
  });
});
