import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../core/kernel/errors.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { RECEIVED_AT, accept, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let server: string;
let client: string;

beforeAll(async () => {
  gateway = await startGateway();
  server = await gateway.key();
  client = await gateway.key({ kind: 'client' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.backend.calls.length = 0;
  gateway.backend.reply = accept;
});

const ID = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const read = (what: 'lifecycle' | 'churn-risk', { id = ID, key = server } = {}) =>
  gateway.call(key, 'GET', `/v1/players/players/${id}/${what}`);

describe('the lifecycle summary', () => {
  it('has the documented fields, and times with an offset', async () => {
    gateway.backend.reply = () => ({
      kind: 'lifecycle',
      playerId: ID,
      stage: 'reactivated',
      changedAt: RECEIVED_AT - 1,
      firstSeenAt: Date.UTC(2025, 11, 31, 23, 59, 59, 7),
      lastSeenAt: RECEIVED_AT,
      sessionCount: 12,
      totalPlaytimeSeconds: 5_400,
    });
    const response = await read('lifecycle', { id: ID.toUpperCase() });
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).data).toEqual({
      player_id: ID,
      lifecycle_stage: 'reactivated',
      lifecycle_changed_at: '2026-01-15T10:30:00.511+00:00',
      first_seen_at: '2025-12-31T23:59:59.007+00:00',
      last_seen_at: '2026-01-15T10:30:00.512+00:00',
      session_count: 12,
      total_playtime_seconds: 5_400,
    });
    expect(gateway.backend.calls).toMatchObject([{ entityId: ID, body: { kind: 'GetLifecycle', playerId: ID } }]);
  });
});

describe('the churn risk', () => {
  it('has the documented fields, and contributions that sum to the score', async () => {
    gateway.backend.reply = () => ({
      kind: 'churnRisk',
      playerId: ID,
      risk: {
        score: 6_678,
        level: 'high',
        factors: [
          { factor: 'session_decline', description: 'Fewer.', contribution: 3_000 },
          { factor: 'playtime_decline', description: 'Shorter.', contribution: 1_964 },
          { factor: 'inactivity', description: 'Last active 6 days ago.', contribution: 1_714 },
        ],
        confidence: 87,
        predictedAt: RECEIVED_AT,
      },
    });
    const response = await read('churn-risk');
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).data).toEqual({
      player_id: ID,
      risk_score: 0.6678,
      risk_level: 'high',
      factors: [
        { factor: 'session_decline', description: 'Fewer.', contribution: 0.3 },
        { factor: 'playtime_decline', description: 'Shorter.', contribution: 0.1964 },
        { factor: 'inactivity', description: 'Last active 6 days ago.', contribution: 0.1714 },
      ],
      prediction_date: '2026-01-15T10:30:00.512Z',
      confidence: 0.87,
    });
    expect(gateway.backend.calls).toMatchObject([{ entityId: ID, body: { kind: 'GetChurnRisk', playerId: ID } }]);
  });
});

describe.each(['lifecycle', 'churn-risk'] as const)('%s', (what) => {
  it('is for server keys only', async () => {
    const response = await read(what, { key: client });
    expect([response.status, (await bodyOf(response)).error.code]).toEqual([403, 'FORBIDDEN']);
    expect(gateway.backend.calls).toEqual([]);
  });

  it('is 404 PLAYER_NOT_FOUND for an unknown player and for one of another game', async () => {
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    const response = await read(what);
    expect([response.status, (await bodyOf(response)).error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);
  });

  it('is 400 for an invalid id', async () => {
    expect((await read(what, { id: '42' })).status).toBe(400);
    expect(gateway.backend.calls).toEqual([]);
  });
});
