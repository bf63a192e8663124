import { describe, expect, it } from 'vitest';
import { readFlag, type WireFlag } from '../../../actors/flags/definitions-format.ts';
import { EXAMPLE, PATH, SWITCH, rule, setUpFlags } from './flag-requests.ts';

const world = setUpFlags();
const { aSegment, call, create, stored } = world;
const DEFINITIONS = '/v1/flags/definitions';

interface Definitions {
  format: number;
  revision: number;
  flags: WireFlag[];
  segments: { segment_id: string }[];
}

async function definitions() {
  const response = await world.gateway.call(world.key, 'GET', DEFINITIONS);
  expect(response.status).toBe(200);
  const body: unknown = await response.json();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test asserts its content
  return { etag: response.headers.get('etag'), data: (body as { data: Definitions }).data };
}

describe('the definitions for local evaluation', () => {
  it('hold active flags by key with all that an evaluation reads, and the segments that rules name', async () => {
    const segment = await aSegment();
    const unused = { key: 'unused', conditions: { session_count: 1 } };
    await call('POST', '/v1/segments/segments', unused);
    await create({ ...rule({ segment_id: segment, start_at: '2026-01-15T10:30:00Z' }), name: 'Secret plan' });
    await create({ ...SWITCH, enabled: false, prerequisites: [{ flag_key: 'button_color', value: 'green' }] });
    await create({ ...SWITCH, key: 'gone' });
    await call('DELETE', `${PATH}/gone`);
    const { data } = await definitions();
    expect(data).toMatchObject({ format: 1, flags: [{ key: 'button_color' }, { key: 'switch', enabled: false }] });
    expect(data.segments).toEqual([
      { segment_id: segment, key: 'spenders', version: 1, conditions: { is_payer: true } },
    ]);
    expect(JSON.stringify(data)).not.toContain('Secret plan');
    for (const { rules, ...flag } of data.flags.map(readFlag)) {
      const held = stored().find(({ key }) => key === flag.key)!;
      const { key, flagType, enabled, defaultValue, salt, variants, prerequisites, version } = held;
      expect(flag).toMatchObject({ key, flagType, enabled, defaultValue, salt, variants, prerequisites, version });
      expect(rules).toEqual(held.rules.map((one) => ({ ...one, name: '' })));
    }
  });

  it('leave out disabled segments, whose rules then include nobody', async () => {
    const segment = await aSegment();
    // Later it could not be switched off: the flag would use it.
    await call('PUT', `/v1/segments/segments/${segment}`, {
      key: 'spenders',
      conditions: { is_payer: true },
      enabled: false,
      version: 1,
    });
    await create(rule({ segment_id: segment }));
    expect((await definitions()).data.segments).toEqual([]);
  });

  it('return 304 while nothing changed, and new ones after an edit of a flag or segment', async () => {
    const segment = await aSegment();
    await create(EXAMPLE);
    const first = await definitions();
    expect(first.etag).toBe(`"${first.data.revision}"`);
    const again = (etag: string | null) =>
      world.gateway.call(world.key, 'GET', DEFINITIONS, undefined, { 'If-None-Match': etag ?? '' });
    for (const etag of [first.etag, `W/${first.etag}`, `"x", ${first.etag}`]) {
      const unchanged = await again(etag);
      expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', first.etag]);
    }
    // Changes elsewhere: another environment, another game, another kind of definition.
    const { key } = world;
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      world.key = await world.gateway.key(other);
      await create(EXAMPLE);
    }
    world.key = key;
    expect((await again(first.etag)).status).toBe(304);
    await call('PATCH', `${PATH}/button_color`, { enabled: false });
    const second = await definitions();
    expect(second.data.flags).toMatchObject([{ enabled: false, version: 2 }]);
    await call('DELETE', `/v1/segments/segments/${segment}`);
    expect((await again(second.etag)).status).toBe(200);
    expect((await again(first.etag)).status).toBe(200);
  });

  it('are for server keys only', async () => {
    const { key } = world;
    for (const [wrong, status, code] of [
      ['', 401, 'UNAUTHORIZED'],
      ['sk_live_unknown', 401, 'UNAUTHORIZED'],
      [await world.gateway.key({ kind: 'client' }), 403, 'FORBIDDEN'],
    ] as const) {
      world.key = wrong;
      const refused = await call('GET', DEFINITIONS);
      expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    }
    world.key = key;
    expect((await definitions()).data).toEqual({
      format: 1,
      revision: 0,
      environment: 'live',
      player_namespace: expect.stringMatching(/^[0-9a-f-]{36}$/),
      flags: [],
      segments: [],
    });
  });
});
