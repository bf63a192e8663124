import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aPlayer } from '../../../actors/testing-players.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { accept, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { startOfToday } from '../../support/whole-day.ts';

/* What a player would get from a campaign, and why not. */

/** Days since 1970. */
const TODAY = (await startOfToday()) / 86_400_000;

let gateway: Gateway;
let key: string;
let player: Parameters<typeof aPlayer>[0];
beforeEach(async () => {
  gateway = await startGateway();
  player = {};
  gateway.backend.reply = (call) => {
    if (call.body.kind !== 'ExportPlayer') return accept(call);
    return { kind: 'exported', player: { ...aPlayer({ id: call.body.playerId, ...player }), keys: [] } };
  };
  key = await gateway.key();
});
afterEach(() => gateway.close());

const CAMPAIGN = {
  key: 'stuck',
  trigger: { event: 'level_failed', conditions: { 'properties.level': { $gte: 10 } } },
  content: { title: 'Stuck?', body: 'Here is a hint.' },
};
async function explain(body: object) {
  const response = await gateway.call(key, 'POST', '/v1/campaigns/campaigns/explain', body);
  return { status: response.status, body: await bodyOf(response) };
}
async function made(some: object = {}): Promise<string> {
  const response = await gateway.call(key, 'POST', '/v1/campaigns/campaigns', { ...CAMPAIGN, ...some });
  return String((await bodyOf(response)).data['campaign_id']);
}

describe('explaining a campaign', () => {
  it('answers for a campaign that does not exist yet, and leaves conditions on the event open', async () => {
    const { status, body } = await explain({ player: 'hal', campaign: CAMPAIGN });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ outcome: 'given', decided_by: null, messages_before: 0, waiting: 0 });
    expect(body.data['checks']).toContainEqual({ check: 'conditions', passes: null });
  });

  it('evaluates the conditions with the properties of an event', async () => {
    const { body } = await explain({ player: 'hal', campaign: CAMPAIGN, properties: { level: 3 } });
    expect(body.data).toMatchObject({ outcome: 'not_concerned', decided_by: 'conditions' });
  });

  it('says why a stored campaign is suppressed', async () => {
    const campaign = await made({ holdout_percentage: 100, caps: { total: 2 } });
    const tally = {
      campaignId: campaign,
      total: 3,
      shown: 2,
      day: TODAY,
      today: 2,
      lastAt: 1,
      suppressedAt: 0,
      suppressed: 0,
    };
    player = { campaignTallies: [tally] };
    const { body } = await explain({ player: 'hal', campaign_id: campaign });
    expect(body.data).toMatchObject({ outcome: 'suppressed', decided_by: 'cap_total', messages_before: 3 });
    expect(body.data['checks']).toContainEqual({ check: 'cap_total', passes: false, value: 2, most: 2 });
    expect(body.data['checks']).toContainEqual({ check: 'holdout', passes: false });
  });

  it('finds the player by its id or by the external id', async () => {
    const id = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
    await explain({ player: id, campaign: CAMPAIGN });
    expect(gateway.backend.calls.at(-1)?.entityId).toBe(id);
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    const { status, body } = await explain({ player: id, campaign: CAMPAIGN });
    expect([status, body.error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);
    expect(gateway.backend.calls.at(-1)?.entityId).not.toBe(id);
  });

  it('refuses no campaign, two of them, an unknown one, and a faulty one with the path of the fault', async () => {
    const campaign = await made();
    const refused = async (body: object) => {
      const { status, body: answered } = await explain({ player: 'hal', ...body });
      return [status, answered.error.code, answered.error.details['fields']?.[0]?.path];
    };
    expect(await refused({})).toEqual([400, 'VALIDATION_ERROR', '/campaign']);
    expect(await refused({ campaign_id: campaign, campaign: CAMPAIGN })).toEqual([
      400,
      'VALIDATION_ERROR',
      '/campaign',
    ]);
    expect(await refused({ campaign_id: 'cmp_x' })).toEqual([404, 'NOT_FOUND', undefined]);
    expect(await refused({ campaign: { ...CAMPAIGN, audience: 'seg_x' } })).toEqual([
      400,
      'VALIDATION_ERROR',
      '/campaign/audience',
    ]);
  });
});
