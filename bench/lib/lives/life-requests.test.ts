import { expect, test } from 'vitest';
import { createLifeBodies, LIFE_EVENTS, type LifeRequest } from './life-requests.ts';

const bodyOf = createLifeBodies();
const REQUEST: LifeRequest = {
  kind: 'sync',
  playerId: '00000000-0000-5000-8000-000000000000',
  sessionId: 'ses_1',
  turn: 1234,
  wallMs: Date.UTC(2026, 0, 2),
};

test('a sync brings 20 events of the seconds before it, in order, and changes the player’s state', () => {
  const body: { events: { timestamp: string; event_name: string }[] } = JSON.parse(bodyOf(REQUEST));
  expect(body).toMatchObject({
    player_id: REQUEST.playerId,
    session_id: 'ses_1',
    state_updates: { coins: expect.any(Number) },
  });
  expect(body.events).toHaveLength(LIFE_EVENTS.sync);
  const timestamps = body.events.map(({ timestamp }) => timestamp);
  expect(timestamps).toEqual(timestamps.toSorted());
  expect(timestamps[0]).toBe('2026-01-01T23:59:55.000Z');
  expect(new Set(body.events.map(({ event_name: name }) => name)).size).toBeGreaterThan(1);
});

test('two syncs of one player differ', () => {
  expect(bodyOf({ ...REQUEST, turn: 1235 })).not.toBe(bodyOf(REQUEST));
});

test('an init names the device, and asks for all flags', () => {
  const body: unknown = JSON.parse(bodyOf({ ...REQUEST, kind: 'init' }));
  expect(body).toEqual({
    player_id: REQUEST.playerId,
    device_info: {
      platform: expect.any(String),
      os_version: expect.any(String),
      app_version: expect.any(String),
      device_model: expect.any(String),
    },
  });
});

test('an end brings its duration and the last event', () => {
  const body: { final_events: unknown[] } = JSON.parse(bodyOf({ ...REQUEST, kind: 'end' }));
  expect(body).toMatchObject({ session_id: 'ses_1', session_duration_seconds: 40 });
  expect(body.final_events).toHaveLength(LIFE_EVENTS.end);
});

test('bodies are ASCII: their length is their size', () => {
  for (const kind of ['init', 'sync', 'end'] as const) {
    const body = bodyOf({ ...REQUEST, kind });
    expect(Buffer.byteLength(body)).toBe(body.length);
  }
});
