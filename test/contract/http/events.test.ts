import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TrackEvents } from '../../../core/vocabulary/commands/commands.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import {
  accept,
  playerIn,
  RECEIVED_AT,
  startGateway,
  unavailable,
  type Gateway,
} from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let client: string;

beforeAll(async () => {
  gateway = await startGateway();
  client = await gateway.key({ kind: 'client' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.backend.calls.length = 0;
  gateway.backend.reply = accept;
});

const track = (body: unknown, headers?: Record<string, string>) =>
  gateway.call(client, 'POST', '/v1/events/events', body, headers);
const batch = (events: unknown, headers?: Record<string, string>) =>
  gateway.call(client, 'POST', '/v1/events/events/batch', { events }, headers);
const commands = (): TrackEvents[] =>
  gateway.backend.calls.flatMap(({ body }) => (body.kind === 'TrackEvents' ? [body] : []));
const items = () => commands().flatMap((command) => command.items);
const event = (some: Record<string, unknown> = {}) => ({ player_id: playerIn(0), event_name: 'level_up', ...some });

describe('tracking one event', () => {
  it('sends one command with defaults for missing fields', async () => {
    const before = Date.now();
    const response = await track(event());
    expect(response.status).toBe(200);
    expect(items()).toEqual([
      {
        index: 0,
        playerId: playerIn(0),
        eventId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        remember: false,
        eventName: 'level_up',
        properties: '{}',
        sessionId: null,
        timestamp: expect.any(Number),
      },
    ]);
    expect(items()[0]?.timestamp).toBeGreaterThanOrEqual(before);
    expect(items()[0]?.timestamp).toBe(gateway.backend.calls[0]?.origin.receivedAt);
    const { data } = await bodyOf(response);
    expect(data).toEqual({
      event_id: items()[0]?.eventId,
      player_id: playerIn(0),
      event_name: 'level_up',
      timestamp: new Date(items()[0]?.timestamp ?? 0).toISOString(),
      received_at: new Date(RECEIVED_AT).toISOString(),
    });
  });

  it('passes every field on', async () => {
    await track(
      event({
        player_id: playerIn(0).toUpperCase(),
        event_id: 'mine-1',
        session_id: 'ses_1',
        timestamp: '2026-01-02T03:04:05+01:00',
        properties: { a: 1.5, b: [null, { c: 'é' }] },
      }),
    );
    expect(items()).toEqual([
      {
        index: 0,
        playerId: playerIn(0),
        eventId: 'mine-1',
        remember: true,
        eventName: 'level_up',
        properties: '{"a":1.5,"b":[null,{"c":"é"}]}',
        sessionId: 'ses_1',
        timestamp: Date.UTC(2026, 0, 2, 2, 4, 5),
      },
    ]);
  });

  it('returns the stored event for a duplicate and marks the response as replayed', async () => {
    gateway.backend.reply = (call) => {
      const reply = accept(call);
      if (reply.kind !== 'tracked') return reply;
      return {
        ...reply,
        results: reply.results.map((result) => ({ ...result, status: 'duplicate', timestamp: 1000 })),
      };
    };
    const response = await track(event({ event_id: 'mine' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('idempotent-replayed')).toBe('true');
    expect((await bodyOf(response)).data.timestamp).toBe('1970-01-01T00:00:01.000Z');
  });

  it('derives the event id from an Idempotency-Key', async () => {
    await track(event(), { 'Idempotency-Key': 'k' });
    await track(event(), { 'Idempotency-Key': 'k' });
    await track(event(), { 'Idempotency-Key': 'l' });
    const [first, second, third] = items();
    expect(first).toMatchObject({ remember: true });
    expect(second?.eventId).toBe(first?.eventId);
    expect(third?.eventId).not.toBe(first?.eventId);
    expect(commands()[0]).toMatchObject({ idempotency: { key: 'k' } });
    expect(commands()[0]).not.toHaveProperty('ledgerId');
  });

  it('reports a quarantined event', async () => {
    gateway.backend.reply = (call) => {
      const reply = accept(call);
      if (reply.kind !== 'tracked') return reply;
      return { ...reply, results: reply.results.map((result) => ({ ...result, status: 'quarantined' })) };
    };
    const response = await track(event());
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).data.status).toBe('quarantined');
  });

  it('returns failures of the command and of the event', async () => {
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    expect((await track(event())).status).toBe(404);
    gateway.backend.reply = (call) => {
      const reply = accept(call);
      if (reply.kind !== 'tracked') return reply;
      const error = { code: 'PLAYER_NOT_FOUND', message: 'gone' } as const;
      return { ...reply, results: reply.results.map((result) => ({ ...result, status: 'rejected', error })) };
    };
    const response = await track(event());
    expect(response.status).toBe(404);
    expect((await bodyOf(response)).error).toMatchObject({ code: 'PLAYER_NOT_FOUND', message: 'gone' });
  });

  it('returns 503 with Retry-After if no owner replies', async () => {
    gateway.backend.reply = unavailable;
    const response = await track(event());
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each([
    [{ player_id: undefined }, '/player_id', 'is required'],
    [{ player_id: '42' }, '/player_id', 'must be a UUID'],
    [{ player_id: null }, '/player_id', 'must be string'],
    [{ event_name: undefined }, '/event_name', 'is required'],
    [{ event_name: '' }, '/event_name', 'must not be empty'],
    [{ event_name: 'x'.repeat(129) }, '/event_name', 'at most 128 characters'],
    [{ properties: 5 }, '/properties', 'must be object'],
    [{ properties: [1] }, '/properties', 'must be object'],
    [{ properties: 'x' }, '/properties', 'must be object'],
    [{ session_id: 7 }, '/session_id', 'must be string'],
    [{ timestamp: 'yesterday' }, '/timestamp', 'ISO 8601'],
    [{ timestamp: 1767225600 }, '/timestamp', 'must be string'],
    [{ timestamp: '2300-01-01' }, '/timestamp', '1970 to 2299'],
    [{ event_id: 'x'.repeat(129) }, '/event_id', 'at most 128 characters'],
  ])('refuses %j', async (some, path, message) => {
    const response = await track(event(some));
    expect(response.status).toBe(400);
    const { error } = await bodyOf(response);
    expect(error.details.fields).toContainEqual({ path, message: expect.stringContaining(message) });
    expect(gateway.backend.calls).toEqual([]);
  });

  it.each([
    ['{"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","event_name":"a\\u0000"}', '/event_name'],
    [
      '{"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","event_name":"a","properties":{"x":"\\ud83d"}}',
      '/properties/x',
    ],
    [
      '{"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","event_name":"a","properties":{"x":[1e999]}}',
      '/properties/x/0',
    ],
    [
      '{"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","event_name":"a","properties":{"x":9007199254740993}}',
      '/properties/x',
    ],
  ])('names the invalid value in %s', async (body, path) => {
    const response = await track(body);
    expect(response.status).toBe(400);
    expect((await bodyOf(response)).error.details.fields).toEqual([{ path, message: expect.any(String) }]);
    expect(gateway.backend.calls).toEqual([]);
  });
});

describe('tracking a batch', () => {
  it('sends one command per partition, each in the order of the batch, and merges the results', async () => {
    const events = [0, 1, 0, 1, 1].map((partition, n) =>
      event({ player_id: playerIn(partition === 0 ? 0 : 1, n), event_id: `e${n}` }),
    );
    const response = await batch(events);
    expect(response.status).toBe(200);
    expect(commands().map((command) => command.items.map((item) => item.eventId))).toEqual([
      ['e0', 'e2'],
      ['e1', 'e3', 'e4'],
    ]);
    expect((await bodyOf(response)).data).toEqual({
      accepted: 5,
      duplicates: 0,
      rejected: 0,
      quarantined: 0,
      unavailable: 0,
      results: [0, 1, 2, 3, 4].map((index) => ({ index, event_id: `e${index}`, status: 'accepted' })),
    });
  });

  it('rejects invalid items and accepts the others', async () => {
    const events = [event(), event({ timestamp: 'x', event_id: 'bad' }), 'no event', event({ extra: 1 }), null];
    const response = await batch(events);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-fields')).toBe('events[].extra');
    const { data } = await bodyOf(response);
    expect(data).toMatchObject({ accepted: 2, rejected: 3 });
    expect(data.results.map((result: { status: string }) => result.status)).toEqual([
      'accepted',
      'rejected',
      'rejected',
      'accepted',
      'rejected',
    ]);
    expect(data.results[1]).toMatchObject({
      event_id: 'bad',
      error: { code: 'VALIDATION_ERROR', details: { fields: [{ path: '/events/1/timestamp' }] } },
    });
    expect(data.results[2]?.event_id).toBeNull();
    expect(items().map((item) => item.index)).toEqual([0, 3]);
  });

  it('rejects only the item with an invalid value', async () => {
    const good = JSON.stringify(event());
    const bad = good.replace('level_up', 'a\\u0000b');
    const response = await gateway.call(client, 'POST', '/v1/events/events/batch', `{"events":[${good},${bad}]}`);
    expect((await bodyOf(response)).data).toMatchObject({ accepted: 1, rejected: 1 });
    const elsewhere = await gateway.call(
      client,
      'POST',
      '/v1/events/events/batch',
      `{"events":[${good}],"x":"\\ud800"}`,
    );
    expect(elsewhere.status).toBe(400);
  });

  it('refuses a body with more invalid values than the service looks for', async () => {
    const bad = JSON.stringify(event()).replace('level_up', 'a\\u0000b');
    const events = Array.from({ length: 40 }, () => bad).join(',');
    const response = await gateway.call(client, 'POST', '/v1/events/events/batch', `{"events":[${events}]}`);
    expect(response.status).toBe(400);
    expect(items()).toEqual([]);
  });

  it('rejects an item with too large properties and accepts the others', async () => {
    const large = { text: Array.from({ length: 9 }, () => 'x'.repeat(8000)) };
    const { data } = await bodyOf(await batch([event(), event({ properties: large })]));
    expect(data).toMatchObject({ accepted: 1, rejected: 1 });
    expect(data.results[1]?.error.details.fields[0]?.path).toBe('/events/1/properties');
  });

  it('reports items of an unreachable partition as unavailable', async () => {
    gateway.backend.reply = (call) => (call.entityId.startsWith('3') ? unavailable() : accept(call));
    const response = await batch([event(), event({ player_id: playerIn(1) })]);
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).data).toMatchObject({
      accepted: 1,
      unavailable: 1,
      results: [{ status: 'accepted' }, { status: 'unavailable', error: { code: 'SERVICE_UNAVAILABLE' } }],
    });
  });

  it('returns the error of the first item if none was accepted', async () => {
    gateway.backend.reply = unavailable;
    const down = await batch([event()]);
    expect(down.status).toBe(503);
    expect(down.headers.get('retry-after')).not.toBeNull();
    const bad = await batch([event({ event_name: 5 }), event()]);
    expect(bad.status).toBe(400);
    expect((await bodyOf(bad)).error.details.results).toHaveLength(2);
  });

  it('accepts 1 to 100 items and refuses a batch of 101', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => event({ player_id: playerIn(0, n) }));
    expect((await bodyOf(await batch(many(100)))).data.accepted).toBe(100);
    gateway.backend.calls.length = 0;
    for (const events of [many(101), [], undefined, {}, 'x', null]) {
      const response = await batch(events);
      expect(response.status).toBe(400);
      expect((await bodyOf(response)).error.details.fields[0]?.path).toBe('/events');
    }
    expect(gateway.backend.calls).toEqual([]);
  });

  it('claims an Idempotency-Key first and derives the event ids from it', async () => {
    const response = await batch([event(), event({ player_id: playerIn(1) }), event({ event_id: 'own' })], {
      'Idempotency-Key': 'k',
    });
    expect(response.status).toBe(200);
    const [claim, ...rest] = gateway.backend.calls;
    expect(claim?.body.kind).toBe('ClaimIdempotencyKey');
    expect(claim?.entityId).toMatch(/^ledger:/);
    expect(rest.every(({ body }) => body.kind === 'TrackEvents' && body.ledgerId === claim?.entityId)).toBe(true);
    expect(commands().every((command) => command.idempotency?.key === 'k')).toBe(true);
    expect(items().every((item) => item.remember)).toBe(true);
    const ids = items().map((item) => item.eventId);
    expect(new Set(ids).size).toBe(3);
    gateway.backend.calls.length = 0;
    await batch([event(), event({ player_id: playerIn(1) }), event({ event_id: 'own' })], { 'Idempotency-Key': 'k' });
    expect(items().map((item) => item.eventId)).toEqual(ids);
  });

  it('returns 409 for an Idempotency-Key used with another body, and sends no command', async () => {
    gateway.backend.reply = (call) => (call.body.kind === 'ClaimIdempotencyKey' ? failure('CONFLICT') : accept(call));
    const response = await batch([event()], { 'Idempotency-Key': 'k' });
    expect(response.status).toBe(409);
    expect((await bodyOf(response)).error.code).toBe('CONFLICT');
    expect(commands()).toEqual([]);
  });

  it('marks a replayed response', async () => {
    gateway.backend.reply = (call) => {
      const reply = accept(call);
      return reply.kind === 'failure' ? reply : { ...reply, replayed: true };
    };
    const response = await batch([event()], { 'Idempotency-Key': 'k' });
    expect(response.headers.get('idempotent-replayed')).toBe('true');
  });
});
