import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import { failure, type ErrorCode } from '../../../core/kernel/errors.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { API_LIMITS } from '../../../src/api/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { startGateway, unavailable, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = await gateway.key({ kind: 'client' });
  serve([MATCHED]);
});
afterEach(() => gateway.close());

const SINGLE = '/ofrep/v1/evaluate/flags/new_shop';
const BULK = '/ofrep/v1/evaluate/flags';
const EXTERNAL = { context: { targetingKey: 'player_12345', platform: 'ios' } };

const MATCHED: FlagEvaluation = {
  flagKey: 'new_shop',
  value: '"b"',
  variantKey: 'b',
  reason: 'segment_match',
  period: 3,
  segmentId: 'seg_1',
};
const PLAIN: FlagEvaluation = { flagKey: 'double_xp', value: 'false', variantKey: null, reason: 'default', period: 7 };

function serve(evaluations: FlagEvaluation[], unknownFlags: string[] = [], durationUs = 3): void {
  gateway.backend.reply = () => ({ kind: 'flags', evaluations, unknownFlags, durationUs });
}

const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  gateway.call(key, 'POST', path, body, headers);

describe('a single OFREP evaluation', () => {
  it('returns the evaluation in the format of OpenFeature', async () => {
    const response = await post(SINGLE, EXTERNAL);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      key: 'new_shop',
      value: 'b',
      reason: 'TARGETING_MATCH',
      variant: 'b',
      metadata: { reason: 'segment_match', period: 3, segment_id: 'seg_1' },
    });
  });

  it.each([
    ['default', 'STATIC'],
    ['segment_match', 'TARGETING_MATCH'],
    ['player_override', 'TARGETING_MATCH'],
    ['percentage_rollout', 'SPLIT'],
    ['flag_disabled', 'DISABLED'],
  ] as const)('tells %s as %s', async (reason, word) => {
    serve([{ flagKey: 'f', value: 'null', variantKey: null, reason, period: 2 }]);
    expect(await (await post(SINGLE, EXTERNAL)).json()).toEqual({
      key: 'f',
      reason: word,
      metadata: { reason, period: 2 },
    });
  });

  it('leaves the value out if the flag is disabled, so that SDKs answer the default in the code', async () => {
    serve([{ flagKey: 'f', value: 'false', variantKey: null, reason: 'flag_disabled', period: 1 }]);
    expect(await (await post(SINGLE, EXTERNAL)).json()).not.toHaveProperty('value');
    expect(await (await post(BULK, EXTERNAL)).json()).toMatchObject({
      flags: [expect.not.objectContaining({ value: false })],
    });
    serve([{ flagKey: 'f', value: 'false', variantKey: null, reason: 'default', period: 1 }]);
    expect(await (await post(SINGLE, EXTERNAL)).json()).toMatchObject({ value: false });
  });

  it('evaluates a player who is not registered as an empty one, also for a name that looks like a player id', async () => {
    await post(SINGLE, EXTERNAL);
    expect(gateway.backend.calls.splice(0)).toMatchObject([{ body: { externalId: 'player_12345' } }]);
    const name = uuidv5(gateway.namespace('demo'), 'live:someone');
    gateway.backend.reply = ({ body }) =>
      'externalId' in body
        ? { kind: 'flags', evaluations: [PLAIN], unknownFlags: [], durationUs: 1 }
        : failure('PLAYER_NOT_FOUND');
    expect((await post(SINGLE, { context: { targetingKey: name } })).status).toBe(200);
    expect(gateway.backend.calls).toMatchObject([{ entityId: name }, { body: { externalId: name } }]);
  });

  it('evaluates for the player with the external_id, records an exposure, and passes the context on', async () => {
    await post(SINGLE, EXTERNAL);
    const playerId = uuidv5(gateway.namespace('demo'), 'live:player_12345');
    expect(gateway.backend.calls).toMatchObject([
      {
        entityId: playerId,
        body: { playerId, flagKeys: ['new_shop'], context: '{"platform":"ios"}', exposes: true },
      },
    ]);
  });

  it('accepts a player id as the targetingKey, and an external_id that looks like one', async () => {
    const id = uuidv5(gateway.namespace('demo'), 'live:someone');
    const body = { context: { targetingKey: id.toUpperCase() } };
    await post(SINGLE, body);
    expect(gateway.backend.calls.splice(0)).toMatchObject([{ entityId: id }]);
    gateway.backend.reply = ({ entityId }) =>
      entityId === id
        ? failure('PLAYER_NOT_FOUND')
        : { kind: 'flags', evaluations: [PLAIN], unknownFlags: [], durationUs: 1 };
    expect((await post(SINGLE, body)).status).toBe(200);
    const byExternalId = uuidv5(gateway.namespace('demo'), `live:${id.toUpperCase()}`);
    expect(gateway.backend.calls.map(({ entityId }) => entityId)).toEqual([id, byExternalId]);
  });

  it('sends one query for a UUID that cannot be a player id', async () => {
    await post(SINGLE, { context: { targetingKey: '6f0f5a3e-8d7b-4c39-9a43-0d6f0e9c2b11' } });
    expect(gateway.backend.calls.map(({ entityId }) => entityId)).toEqual([
      uuidv5(gateway.namespace('demo'), 'live:6f0f5a3e-8d7b-4c39-9a43-0d6f0e9c2b11'),
    ]);
  });
});

describe('an OFREP failure', () => {
  it.each([
    ['no context', {}, 'TARGETING_KEY_MISSING'],
    ['a context without targetingKey', { context: { platform: 'ios' } }, 'TARGETING_KEY_MISSING'],
    ['an empty targetingKey', { context: { targetingKey: '' } }, 'TARGETING_KEY_MISSING'],
    ['a targetingKey that is no string', { context: { targetingKey: 5 } }, 'INVALID_CONTEXT'],
    ['a targetingKey no player can have', { context: { targetingKey: 'x'.repeat(257) } }, 'INVALID_CONTEXT'],
    ['a context that is no object', { context: 'ios' }, 'INVALID_CONTEXT'],
    ['an unusable string in the context', { context: { targetingKey: 'p', a: '\u0000' } }, 'INVALID_CONTEXT'],
    ['a context with too many keys', { context: manyKeys() }, 'INVALID_CONTEXT'],
    ['a body that is no JSON', '{"context":', 'PARSE_ERROR'],
    ['a body that is no object', '[]', 'PARSE_ERROR'],
  ])('of %s is 400 with that error code, and with the flag key in a single evaluation', async (_, body, errorCode) => {
    const single = await post(SINGLE, body);
    expect(single.status).toBe(400);
    expect(await single.json()).toEqual({ key: 'new_shop', errorCode, errorDetails: expect.any(String) });
    const bulk = await post(BULK, body);
    expect(bulk.status).toBe(400);
    expect(await bulk.json()).toEqual({ errorCode, errorDetails: expect.any(String) });
    expect(gateway.backend.calls).toEqual([]);
  });

  it('for an unknown flag is 404 FLAG_NOT_FOUND', async () => {
    serve([], ['new_shop']);
    const response = await post(SINGLE, EXTERNAL);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      key: 'new_shop',
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: 'The flag does not exist.',
    });
  });

  it.each<[ErrorCode, number, () => Promise<Response>]>([
    ['UNAUTHORIZED', 401, () => gateway.call(undefined, 'POST', BULK, EXTERNAL)],
    ['UNSUPPORTED_MEDIA_TYPE', 415, () => post(BULK, EXTERNAL, { 'Content-Type': 'application/xml' })],
    ['PAYLOAD_TOO_LARGE', 413, () => post(BULK, `"${'x'.repeat(API_LIMITS.bodyBytes)}"`)],
  ])('of the gateway has no envelope either: %s', async (_, status, send) => {
    const response = await send();
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ errorCode: 'GENERAL', errorDetails: expect.any(String) });
  });

  it('is 503 with Retry-After for an unreachable owner, and 500 without internals for a bug', async () => {
    gateway.backend.reply = unavailable;
    const away = await post(SINGLE, EXTERNAL);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
    gateway.backend.reply = () => {
      throw new Error('secret detail');
    };
    const bug = await post(SINGLE, EXTERNAL);
    expect(bug.status).toBe(500);
    expect(await bug.json()).toEqual({
      key: 'new_shop',
      errorCode: 'GENERAL',
      errorDetails: 'Internal error. Report it with the request id.',
    });
  });
});

describe('a bulk OFREP evaluation', () => {
  it('returns all flags ordered by key and records no exposure', async () => {
    serve([MATCHED, PLAIN]);
    const response = await post(BULK, EXTERNAL);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      flags: [
        { key: 'double_xp', value: false, reason: 'STATIC', metadata: { reason: 'default', period: 7 } },
        expect.objectContaining({ key: 'new_shop', value: 'b' }),
      ],
    });
    expect(gateway.backend.calls).toMatchObject([{ body: { flagKeys: 'all', exposes: false } }]);
  });

  it('has an ETag, and returns 304 without a body until an evaluation changes', async () => {
    const first = await post(BULK, EXTERNAL);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    // The order of the flags and the duration do not change the response.
    serve([MATCHED], [], 99);
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await post(BULK, EXTERNAL, { 'If-None-Match': held });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    for (const evaluations of [[PLAIN], [{ ...MATCHED, segmentId: 'seg_2' }], []]) {
      serve(evaluations);
      const changed = await post(BULK, EXTERNAL, { 'If-None-Match': etag });
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(etag);
    }
  });

  it('does not depend on the order of the flags in the owner', async () => {
    serve([MATCHED, PLAIN]);
    const one = (await post(BULK, EXTERNAL)).headers.get('etag');
    serve([PLAIN, MATCHED]);
    expect((await post(BULK, EXTERNAL)).headers.get('etag')).toBe(one);
  });
});

describe('an OFREP key', () => {
  it('is sent as X-API-Key or as a bearer token', async () => {
    const bearer = { Authorization: `Bearer ${key}` };
    expect((await gateway.call(undefined, 'POST', SINGLE, EXTERNAL, bearer)).status).toBe(200);
    expect((await gateway.call(undefined, 'POST', BULK, EXTERNAL, { Authorization: `bearer ${key}` })).status).toBe(
      200,
    );
    for (const wrong of [`Basic ${key}`, key, 'Bearer', `Bearer x${key}`]) {
      expect((await gateway.call(undefined, 'POST', BULK, EXTERNAL, { Authorization: wrong })).status).toBe(401);
    }
  });

  it('can be sent by browsers, which can read the ETag', async () => {
    const origin = { Origin: 'https://game.example' };
    const preflight = await gateway.call(undefined, 'OPTIONS', BULK, undefined, origin);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization.*If-None-Match/);
    const response = await post(BULK, EXTERNAL, origin);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
  });
});

function manyKeys(): Record<string, unknown> {
  const keys = Array.from({ length: TEXT_LIMITS.documentKeys }, (_, index) => [`k${index}`, index]);
  return { targetingKey: 'p', ...Object.fromEntries(keys) };
}
