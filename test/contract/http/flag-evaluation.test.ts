import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import { FLAG_API_LIMITS } from '../../../src/api/flags/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { playerIn, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = await gateway.key({ kind: 'client' });
});
afterEach(() => gateway.close());

const PLAYER = playerIn(0);
const SINGLE = '/v1/flags/flags/new_shop/evaluate';
const BULK = '/v1/flags/flags/evaluate';

function serve(evaluations: FlagEvaluation[], unknownFlags: string[] = [], durationUs = 1_734.5): void {
  gateway.backend.reply = () => ({ kind: 'flags', evaluations, unknownFlags, durationUs });
}

const MATCHED: FlagEvaluation = {
  flagKey: 'new_shop',
  value: '"layout \\"b\\""',
  variantKey: 'b',
  reason: 'segment_match',
  period: 3,
  segmentId: 'seg_1',
};

describe('POST /v1/flags/flags/{key}/evaluate', () => {
  const evaluate = (body: unknown, path = SINGLE) => gateway.call(key, 'POST', path, body);

  it('returns the evaluation of the flag', async () => {
    serve([MATCHED]);
    const response = await evaluate({ player_id: PLAYER.toUpperCase(), context: { platform: 'ios', __proto__x: 1 } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      data: {
        flag_key: 'new_shop',
        value: 'layout "b"',
        variant_key: 'b',
        reason: 'segment_match',
        period: 3,
        segment_id: 'seg_1',
        evaluation_time_ms: 2,
        evaluation_time_us: 1734.5,
      },
    });
    expect(gateway.backend.calls).toMatchObject([
      {
        entityId: PLAYER,
        origin: { game: 'demo', environment: 'live' },
        body: {
          kind: 'EvaluateFlags',
          playerId: PLAYER,
          flagKeys: ['new_shop'],
          context: '{"platform":"ios","__proto__x":1}',
          exposes: true,
        },
      },
    ]);
  });

  it.each(['false', '5.25', 'null', '{"a":[1,{"b":null}],"__proto__":{"x":1}}'])(
    'serves the value %s as it is',
    async (value) => {
      serve([{ flagKey: 'f', value, variantKey: null, reason: 'flag_disabled', period: 12, prerequisiteKey: 'base' }]);
      expect(await (await evaluate({ player_id: PLAYER })).text()).toContain(
        `"flag_key":"f","value":${value},"variant_key":null,"reason":"flag_disabled","period":12,"prerequisite_key":"base",`,
      );
    },
  );

  it('sends an empty context by default', async () => {
    serve([MATCHED]);
    await evaluate({ player_id: PLAYER });
    expect(gateway.backend.calls).toMatchObject([{ body: { context: '{}' } }]);
  });

  it('is 404 FLAG_NOT_FOUND for an unknown flag, 404 PLAYER_NOT_FOUND for an unknown player', async () => {
    serve([], ['new_shop']);
    const flag = await evaluate({ player_id: PLAYER });
    expect([flag.status, (await bodyOf(flag)).error.code]).toEqual([404, 'FLAG_NOT_FOUND']);
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    const player = await evaluate({ player_id: PLAYER });
    expect([player.status, (await bodyOf(player)).error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);
  });

  it.each([
    ['no player', {}, '/player_id'],
    ['a player id that is none', { player_id: 'p1' }, '/player_id'],
    ['a context that is no object', { player_id: PLAYER, context: 'ios' }, '/context'],
    ['a context that is too large', { player_id: PLAYER, context: contextOf(TEXT_LIMITS.documentBytes) }, '/context'],
    ['a context with an unusable string', { player_id: PLAYER, context: { a: 'x\u0000' } }, '/context/a'],
  ])('is 400 for %s, and the error names it', async (_, body, path) => {
    const response = await evaluate(body);
    expect(response.status).toBe(400);
    const { error } = await bodyOf(response);
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.details.fields[0]?.path).toBe(path);
    expect(gateway.backend.calls).toEqual([]);
  });

  it('accepts a percent-encoded flag key, and a server key', async () => {
    serve([MATCHED]);
    const server = await gateway.key();
    await gateway.call(server, 'POST', '/v1/flags/flags/new%2Eshop/evaluate', { player_id: PLAYER });
    expect(gateway.backend.calls).toMatchObject([{ body: { flagKeys: ['new.shop'] } }]);
  });
});

describe('POST /v1/flags/flags/evaluate', () => {
  const evaluate = (body: unknown) => gateway.call(key, 'POST', BULK, body);

  it('returns evaluations by flag key and lists unknown keys', async () => {
    serve(
      [MATCHED, { flagKey: '__proto__', value: 'true', variantKey: null, reason: 'default', period: 7 }],
      ['gone"x'],
    );
    const response = await evaluate({ player_id: PLAYER, flag_keys: ['new_shop', '__proto__', 'gone"x'] });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('"__proto__":{"value":true,"variant_key":null,"reason":"default","period":7}');
    expect(JSON.parse(text).data).toMatchObject({
      evaluations: {
        new_shop: { value: 'layout "b"', variant_key: 'b', reason: 'segment_match', period: 3, segment_id: 'seg_1' },
      },
      unknown_flags: ['gone"x'],
      evaluation_time_ms: 2,
      evaluation_time_us: 1734.5,
    });
    expect(gateway.backend.calls).toMatchObject([
      { body: { flagKeys: ['new_shop', '__proto__', 'gone"x'], exposes: false } },
    ]);
  });

  it('evaluates all flags by default', async () => {
    serve([]);
    const { data } = await bodyOf(await evaluate({ player_id: PLAYER }));
    expect(data).toMatchObject({ evaluations: {}, unknown_flags: [] });
    expect(gateway.backend.calls).toMatchObject([{ body: { flagKeys: 'all' } }]);
  });

  it('is 404 for an unknown player, and 400 if the keys are no list or too many', async () => {
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    expect((await evaluate({ player_id: PLAYER })).status).toBe(404);
    for (const flagKeys of ['new_shop', [5], Array.from({ length: FLAG_API_LIMITS.evaluatedFlags + 1 }, () => 'f')]) {
      const response = await evaluate({ player_id: PLAYER, flag_keys: flagKeys });
      expect(response.status).toBe(400);
      expect((await bodyOf(response)).error.details.fields[0]?.path).toMatch(/^\/flag_keys/);
    }
  });
});

describe('a browser', () => {
  it('may evaluate flags: the preflight needs no key, and the response is readable', async () => {
    serve([MATCHED]);
    const origin = { Origin: 'https://game.example' };
    for (const path of [SINGLE, BULK]) {
      const preflight = await gateway.call(undefined, 'OPTIONS', path, undefined, origin);
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('X-API-Key');
      const response = await gateway.call(key, 'POST', path, { player_id: PLAYER }, origin);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

/** A context of about so many bytes, with strings below their own limit. */
function contextOf(sizeBytes: number): Record<string, string> {
  const count = Math.ceil(sizeBytes / 4_000);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x'.repeat(4_000)]));
}
