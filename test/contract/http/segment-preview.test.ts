import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Preview, PreviewRequest } from '../../../src/api/segments/segment-previews.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

const FOUND: Preview = {
  kind: 'preview',
  players: 12,
  margin: 3,
  total: 100,
  evaluated: 40,
  complete: false,
  overBudget: 0,
  examples: [{ playerId: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', externalId: 'ann' }],
  tookMs: 1_701,
};

let gateway: Gateway;
let key: string;
let requests: PreviewRequest[];
beforeEach(async () => {
  requests = [];
  gateway = await startGateway({
    segmentPreviews: {
      async preview(request) {
        requests.push(request);
        return FOUND;
      },
    },
  });
  key = await gateway.key();
});
afterEach(() => gateway.close());

const preview = async (body: unknown) => {
  const response = await gateway.call(key, 'POST', '/v1/segments/segments/preview', body);
  return { status: response.status, body: await bodyOf(response) };
};

describe('a preview', () => {
  it('answers numbers and examples, for the caller’s game', async () => {
    const excludes = ['6F0F5A3E-8D7B-5C39-9A43-0D6F0E9C2B11'];
    const { status, body } = await preview({ conditions: { is_payer: true }, excludes });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      players: 12,
      exact: false,
      margin: 3,
      players_evaluated: 40,
      players_total: 100,
      players_over_budget: 0,
      examples: [{ player_id: FOUND.examples[0]?.playerId, external_id: 'ann' }],
      evaluation_time_ms: 1_701,
    });
    const scope = { game: 'demo', environment: 'live' };
    const lower = excludes.map((id) => id.toLowerCase());
    expect(requests).toEqual([{ ...scope, conditions: '{"is_payer":true}', includes: [], excludes: lower }]);
  });

  it('warns of events that nothing counts yet, until a definition does', async () => {
    const conditions = {
      events: { name: 'level_failed', where: { 'properties.level': 3 }, within_days: 7, count: { $gte: 2 } },
    };
    const warned = await preview({ conditions });
    expect(warned.body.data['warnings']).toMatchObject([{ path: '/conditions', suggestions: [] }]);
    expect(JSON.stringify(warned.body.data['warnings'])).toContain('that nothing counts yet');
    const segment = { key: 'stuck', name: 'Stuck', enabled: false, conditions };
    expect((await gateway.call(key, 'POST', '/v1/segments/segments', segment)).status).toBe(201);
    expect(JSON.stringify((await preview({ conditions })).body.data['warnings'] ?? '')).not.toContain('counts yet');
  });

  it.each([
    [{}, '/conditions'],
    [{ conditions: { levle: 1 } }, '/conditions/levle'],
    [{ conditions: { 'computed.none': 1 } }, '/conditions'],
    [{ conditions: {}, includes: ['x'] }, '/includes/0'],
    [{ conditions: {}, extra: 1 }, '/extra'],
  ])('of %j is refused', async (body, path) => {
    const refused = await preview(body);
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.fields[0]?.path).toBe(path);
    expect(requests).toEqual([]);
  });

  it('of an unknown computed property is refused with the nearest key', async () => {
    const property = { key: 'gems_spent', event: 'item_bought', aggregate: 'count' };
    expect((await gateway.call(key, 'POST', '/v1/properties/properties', property)).status).toBe(201);
    const { body } = await preview({ conditions: { 'computed.gems_spnt': 1 } });
    expect(body.error.details.fields[0]?.message).toMatch(
      /computed\.gems_spnt.*\(did you mean computed\.gems_spent\?\); GET \/v1\/properties\/properties lists all/,
    );
  });
});
