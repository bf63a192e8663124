import { describe, expect, it } from 'vitest';
import { failure } from '../../../core/kernel/errors.ts';
import { FLAG_API_LIMITS } from '../../../src/api/flags/limits.ts';
import { playerIn } from '../../support/in-memory/http-gateway.ts';
import { EXAMPLE, SWITCH, rule, setUpFlags, variants } from './flag-requests.ts';

const world = setUpFlags();
const { call, create } = world;
const PATH = '/v1/flags/exposures';
const PLAYER = playerIn(0);
const SEEN = {
  player_id: PLAYER,
  flag_key: 'button_color',
  flag_version: 1,
  variant_key: 'variant_a',
  reason: 'percentage_rollout',
};

const report = (...exposures: object[]) => call('POST', PATH, { exposures });
const sent = () => world.gateway.backend.calls.map(({ body }) => body).filter(({ kind }) => kind === 'ExposeFlag');

describe('exposures of local evaluations', () => {
  it('are recorded with the value, the period and their origin', async () => {
    await create(EXAMPLE);
    await create(SWITCH);
    const segment = { reason: 'segment_match', segment_id: 'seg_1' };
    const { status, body } = await report(
      { ...SEEN, player_id: PLAYER.toUpperCase() },
      { ...SEEN, ...segment, flag_key: 'switch', variant_key: 'true' },
      { ...SEEN, variant_key: null, reason: 'default' },
    );
    expect([status, body.data]).toEqual([
      200,
      {
        accepted: 3,
        rejected: 0,
        unavailable: 0,
        results: [0, 1, 2].map((index) => ({ index, status: 'accepted' })),
      },
    ]);
    const common = { kind: 'ExposeFlag', playerId: PLAYER, flagVersion: 1, period: 1, attribution: 'local' };
    const rollout = { ...common, flagKey: 'button_color', reason: 'percentage_rollout' };
    expect(sent()).toEqual([
      { ...rollout, variantKey: 'variant_a', value: '"green"' },
      { ...common, flagKey: 'switch', reason: 'segment_match', segmentId: 'seg_1', variantKey: null, value: 'true' },
      { ...rollout, variantKey: null, value: 'null', reason: 'default' },
    ]);
  });

  it('count in the period of the definitions that the server held', async () => {
    await create(EXAMPLE);
    const { targeting_rules: rules } = rule({ percentage: 50 });
    await call('PATCH', '/v1/flags/flags/button_color', { targeting_rules: rules });
    await call('PATCH', '/v1/flags/flags/button_color', {
      variants: variants({ key: 'variant_b', value: 'red', weight: 1 }).variants,
    });
    const { body } = await report(
      SEEN,
      { ...SEEN, flag_version: 2 },
      { ...SEEN, flag_version: 3 },
      { ...SEEN, flag_version: 3, variant_key: 'variant_b' },
      { ...SEEN, flag_version: 4, variant_key: 'variant_b' },
    );
    expect(body.data['results']).toMatchObject([
      { status: 'accepted' },
      { status: 'accepted' },
      { status: 'rejected', error: { code: 'VALIDATION_ERROR' } },
      { status: 'accepted' },
      { status: 'accepted' },
    ]);
    expect(sent()).toMatchObject([
      // The value of an earlier period is gone.
      { period: 1, variantKey: 'variant_a', value: 'null' },
      // A roll-out that only becomes smaller begins no period.
      { period: 1, variantKey: 'variant_a', flagVersion: 2 },
      { period: 2, variantKey: 'variant_b', value: '"red"' },
      // This gateway lags behind the server's.
      { period: 2, flagVersion: 4 },
    ]);
  });

  it('that are faulty are rejected one by one, with the reason', async () => {
    await create(EXAMPLE);
    await create(SWITCH);
    const { body } = await report(
      SEEN,
      { ...SEEN, flag_key: 'gone' },
      { ...SEEN, variant_key: 'other' },
      { ...SEEN, flag_key: 'switch', variant_key: null },
      { ...SEEN, flag_key: 'switch', variant_key: 'variant_a' },
    );
    expect(body.data).toMatchObject({ accepted: 1, rejected: 4 });
    expect(body.data['results']).toMatchObject([
      { status: 'accepted' },
      { error: { code: 'FLAG_NOT_FOUND' } },
      { error: { details: { fields: [{ path: '/exposures/2/variant_key' }] } } },
      { error: { message: expect.stringContaining('"true" or "false"') } },
      { error: { message: expect.stringContaining('"true" or "false"') } },
    ]);
  });

  it('fail with the first error if none was accepted, and say which may be sent again', async () => {
    await create(EXAMPLE);
    const replies = [failure('PLAYER_NOT_FOUND'), failure('SERVICE_UNAVAILABLE')];
    world.gateway.backend.reply = () => replies.shift() ?? { kind: 'noted' };
    const { status, body } = await report(SEEN, SEEN);
    expect([status, body.error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);
    expect(body.error.details?.['results']).toMatchObject([{ status: 'rejected' }, { status: 'unavailable' }]);
  });

  it('of an invalid form are refused as a whole, with nothing recorded', async () => {
    await create(EXAMPLE);
    for (const [exposures, path] of [
      [[], '/exposures'],
      [Array.from({ length: FLAG_API_LIMITS.reportedExposures + 1 }, () => SEEN), '/exposures'],
      [[{ ...SEEN, reason: 'player_override' }], '/exposures/0/reason'],
      [[{ ...SEEN, flag_version: 0 }], '/exposures/0/flag_version'],
      [[{ ...SEEN, player_id: 'x' }], '/exposures/0/player_id'],
      [[{ ...SEEN, variant_key: undefined }], '/exposures/0/variant_key'],
    ] as const) {
      const { status, body } = await call('POST', PATH, { exposures });
      expect([status, body.error.details?.['fields']]).toMatchObject([400, [{ path }]]);
    }
    expect(sent()).toEqual([]);
  });

  it('are for server keys only', async () => {
    world.key = await world.gateway.key({ kind: 'client' });
    expect((await report(SEEN)).status).toBe(403);
  });
});
