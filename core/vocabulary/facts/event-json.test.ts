import { describe, expect, test } from 'vitest';
import { acknowledgedMembers, eventMembers, webhookMembers } from './event-json.ts';

const EVENT = {
  eventId: 'own "id"\u2028',
  eventName: 'level\\up',
  playerId: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  externalId: 'ext-"1"',
  sessionId: 's\n1',
  properties: '{"a":1e3,"__proto__":{"b":"é"}}',
  timestamp: Date.UTC(1970, 0, 1),
  receivedAt: Date.UTC(2299, 11, 31, 23, 59, 59, 999),
};

describe('the public JSON of an event, byte for byte', () => {
  test('in lists and in the stream', () => {
    expect(eventMembers(EVENT)).toBe(
      '"event_id":"own \\"id\\"\u2028","event_name":"level\\\\up","player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11",' +
        '"session_id":"s\\n1","properties":{"a":1e3,"__proto__":{"b":"é"}},"timestamp":"1970-01-01T00:00:00.000Z",' +
        '"received_at":"2299-12-31T23:59:59.999Z"',
    );
    expect(eventMembers({ ...EVENT, sessionId: null })).toContain('"session_id":null,');
  });

  test('in an acknowledgement', () => {
    expect(acknowledgedMembers(EVENT)).toBe(
      '"event_id":"own \\"id\\"\u2028","player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","event_name":"level\\\\up",' +
        '"timestamp":"1970-01-01T00:00:00.000Z","received_at":"2299-12-31T23:59:59.999Z"',
    );
  });

  test('in a webhook', () => {
    expect(webhookMembers(EVENT)).toBe(
      '"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","external_id":"ext-\\"1\\"","event_name":"level\\\\up",' +
        '"properties":{"a":1e3,"__proto__":{"b":"é"}}',
    );
  });
});
