import { describe, expect, it } from 'vitest';
import type { ServerOptions } from '../server/server.ts';
import { acceptAll, accepted, BATCH, createServerWorld, type Received, type Reply } from './support/server-world.ts';

const EXPOSURES = '/v1/flags/exposures';
const player = (turn: number) => `6f0f5a3e-8d7b-5c39-9a43-${String(turn).padStart(12, '0')}`;
const A = player(1);

function setUp(options: Partial<ServerOptions> = {}) {
  const world = createServerWorld();
  const server = world.start(options);
  const names = (received: Received[]) =>
    received.map(({ body }) => Object(body['events']).map((event: { event_name: string }) => event.event_name));
  return { world, server, names, batches: () => world.of(BATCH) };
}

/** Results of a batch with this status for events of some names. */
const statuses =
  (of: Record<string, string>) =>
  (received: Received): Reply => {
    if (received.path !== BATCH) return acceptAll(received);
    const events: { event_name: string; event_id: string }[] = Object(received.body['events']);
    return {
      data: {
        results: events.map(({ event_name: name, event_id }, index) => {
          const status = of[name] ?? 'accepted';
          const error = { code: 'VALIDATION_ERROR', message: 'It is faulty.' };
          return { index, event_id, status, ...(status === 'rejected' ? { error } : {}) };
        }),
      },
    };
  };

describe('tracked events', () => {
  it('go in one request after the interval, with id, time and what they had when they were tracked', async () => {
    const { world, server, batches } = setUp();
    const properties = { level: 4 };
    expect(server.track(A, 'level_up', properties)).toBe(true);
    properties.level = 5;
    const options = { event_id: 'own', session_id: 'ses_1', timestamp: new Date(Date.UTC(2026, 0, 2)) };
    server.track(A, 'boss', undefined, options);
    await world.clock.advance(1_999);
    expect(batches()).toEqual([]);
    await world.clock.advance(1);
    expect(batches().map(({ body }) => body['events'])).toEqual([
      [
        {
          player_id: A,
          event_name: 'level_up',
          event_id: 'id-1',
          timestamp: '2026-01-01T00:00:00.000Z',
          properties: { level: 4 },
        },
        {
          player_id: A,
          event_name: 'boss',
          event_id: 'own',
          timestamp: '2026-01-02T00:00:00.000Z',
          session_id: 'ses_1',
        },
      ],
    ]);
    expect(server.queued).toBe(0);
    await world.clock.advance(60_000);
    expect(batches()).toHaveLength(1);
  });

  it('go at once when enough have gathered, at most 100 and 500,000 bytes in a request', async () => {
    const { world, server, batches } = setUp({ lanes: 1, flushAt: 3 });
    for (let turn = 0; turn < 250; turn++) server.track(A, `e${turn}`);
    await world.clock.flush();
    const sizes = batches().map(({ body }) => Object(body['events']).length);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(250);
    expect(Math.max(...sizes)).toBe(100);
    for (let turn = 0; turn < 20; turn++) server.track(A, 'large', { text: 'ü'.repeat(30_000) });
    await world.clock.flush();
    const large = batches().slice(sizes.length);
    expect(large.map(({ body }) => Object(body['events']).length)).toEqual([3, 8, 8, 1]);
  });

  it('of one player stay in order, others go beside them', async () => {
    const { world, server, names } = setUp({ flushAt: 1 });
    world.reply = () => 'hang';
    for (let turn = 0; turn < 5; turn++) for (let of = 0; of < 8; of++) server.track(player(of), `${of}-${turn}`);
    await world.clock.flush();
    expect(world.received).toHaveLength(4);
    world.reply = acceptAll;
    // The hanging requests end, and are sent again.
    await world.clock.advance(60_000);
    const seen = new Map<string, string[]>();
    for (const name of names(world.of(BATCH).slice(4)).flat()) {
      const [of = '', turn = ''] = String(name).split('-');
      seen.set(of, [...(seen.get(of) ?? []), turn]);
    }
    expect(seen.size).toBe(8);
    for (const turns of seen.values()) expect(turns).toEqual(['0', '1', '2', '3', '4']);
  });

  it('are sent again with the same ids until they are acknowledged, with growing waits', async () => {
    const { world, server, batches } = setUp();
    const replies: Reply[] = ['cut', { status: 503, code: 'SERVICE_UNAVAILABLE' }, { status: 200, text: '<html>' }];
    world.reply = (received) => replies.shift() ?? acceptAll(received);
    server.track(A, 'one');
    await world.clock.advance(60_000);
    expect(batches()).toHaveLength(4);
    expect(new Set(batches().map(({ body }) => JSON.stringify(body['events']))).size).toBe(1);
    const times = batches().map(({ atMs }) => atMs);
    expect(times.map((at, turn) => at - (times[turn - 1] ?? 0))).toEqual([2_000, 2_000, 2_000, 3_000]);
    expect(world.problems.map(({ kind }) => kind)).toEqual(['network', 'service', 'bad-answer']);
    expect(world.dropped).toEqual([]);
  });

  it('wait as long as a rate limit says, also when they are flushed', async () => {
    const { world, server, batches } = setUp();
    const replies: Reply[] = [{ status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'Retry-After': '20' } }];
    world.reply = (received) => replies.shift() ?? acceptAll(received);
    server.track(A, 'one');
    await server.flush();
    await server.flush();
    await world.clock.advance(20_000);
    expect(batches()).toHaveLength(1);
    await world.clock.advance(2_000);
    expect(batches()).toHaveLength(2);
    expect(server.queued).toBe(0);
  });

  it('that are faulty are dropped alone; those that are unavailable are kept', async () => {
    const { world, server, names, batches } = setUp();
    world.reply = statuses({ bad: 'rejected', later: 'unavailable', odd: 'quarantined', twice: 'duplicate' });
    for (const name of ['good', 'bad', 'later', 'odd', 'twice']) server.track(A, name, { n: 1 });
    await server.flush();
    expect(world.dropped).toMatchObject([
      { kind: 'event', reason: 'rejected', event: { event_name: 'bad', properties: { n: 1 } } },
    ]);
    expect(world.dropped[0]?.message).toContain('It is faulty.');
    expect(world.problems.map(({ kind }) => kind)).toEqual(['quarantined']);
    expect(server.queued).toBe(1);
    world.reply = acceptAll;
    await server.flush();
    expect(names(batches())).toEqual([['good', 'bad', 'later', 'odd', 'twice'], ['later']]);
  });

  it('of which none was accepted are read from the error', async () => {
    const { world, server } = setUp();
    world.reply = ({ body }) => ({
      status: 404,
      code: 'PLAYER_NOT_FOUND',
      details: { results: accepted(body['events']).results.map((each) => ({ ...each, status: 'rejected' })) },
    });
    server.track(A, 'one');
    server.track(A, 'two');
    await server.flush();
    expect(world.dropped.map((each) => each.kind === 'event' && each.event.event_name)).toEqual(['one', 'two']);
    expect(server.queued).toBe(0);
  });

  it('of a refused request are halved until only what is at fault is dropped', async () => {
    for (const [status, reason] of [
      [413, 'too-large'],
      [400, 'rejected'],
    ] as const) {
      const { world, server, batches } = setUp();
      world.reply = (received) =>
        JSON.stringify(received.body).includes('poison')
          ? { status, code: status === 413 ? 'PAYLOAD_TOO_LARGE' : 'VALIDATION_ERROR' }
          : acceptAll(received);
      for (let turn = 0; turn < 40; turn++) server.track(A, turn === 23 ? 'poison' : 'good');
      await server.flush();
      expect(world.dropped).toMatchObject([{ kind: 'event', reason, event: { event_name: 'poison' } }]);
      expect(server.queued).toBe(0);
      expect(batches().length).toBeLessThan(20);
    }
  });

  it('wait long after a refused key, and are not lost', async () => {
    const { world, server, batches } = setUp();
    world.reply = () => ({ status: 401, code: 'UNAUTHORIZED' });
    server.track(A, 'one');
    await world.clock.advance(60_000);
    expect([batches().length, server.queued]).toEqual([1, 1]);
    expect(world.problems).toMatchObject([{ kind: 'unauthorized', requestId: 'req_1' }]);
    world.reply = acceptAll;
    await world.clock.advance(300_000);
    expect(server.queued).toBe(0);
  });

  it('that are invalid are refused at once', () => {
    const { world, server } = setUp();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const refused: [unknown, unknown, unknown, object?][] = [
      ['player-1', 'x', {}],
      [undefined, 'x', {}],
      [A, '', {}],
      [A, 'x'.repeat(129), {}],
      [A, 'x', cycle],
      [A, 'x', { n: 1n }],
      [A, 'x', [1]],
      [A, 'x', { text: 'x'.repeat(70_000) }],
      [A, 'x', {}, { timestamp: new Date(NaN) }],
    ];
    for (const [id, name, properties, options] of refused) {
      expect(server.track(Object(id).valueOf(), Object(name).valueOf(), Object(properties), options)).toBe(false);
    }
    expect(world.dropped.map(({ reason }) => reason)).toEqual([
      ...Array<string>(7).fill('invalid'),
      'too-large',
      'invalid',
    ]);
    expect(world.clock.timers).toBe(0);
  });

  it('are refused, and said to be dropped, when the queue is full by count or by bytes', async () => {
    for (const bound of [{ maxQueued: 3 }, { maxQueuedBytes: 450 }]) {
      const { world, server } = setUp(bound);
      world.reply = () => 'cut';
      const taken = Array.from({ length: 5 }, (_, turn) => server.track(A, `e${turn}`));
      expect(taken).toEqual([true, true, true, false, false]);
      expect(world.dropped.map(({ reason }) => reason)).toEqual(['queue-full', 'queue-full']);
      world.reply = acceptAll;
      await server.flush();
      expect(server.track(A, 'again')).toBe(true);
    }
  });

  it('disturb nothing when a callback throws', async () => {
    const { server, world } = setUp({
      onDropped: () => {
        throw new Error('of the game');
      },
      onProblem: () => {
        throw new Error('of the game');
      },
    });
    world.reply = statuses({ bad: 'rejected' });
    server.track(A, 'bad');
    server.track(A, 'good');
    await server.flush();
    expect(server.queued).toBe(0);
  });
});

describe('purchases', () => {
  it('go one by one with an id that stays, and a key that makes the answer the same', async () => {
    const { world, server } = setUp();
    const replies: Reply[] = ['cut'];
    world.reply = (received) => replies.shift() ?? acceptAll(received);
    server.purchase(A, 9.99, { currency: 'EUR', product_id: 'gems' });
    await world.clock.advance(60_000);
    const sent = world.of(`/v1/players/players/${A}/purchase`);
    expect(sent.map(({ query }) => Object.fromEntries(query))).toEqual(
      [1, 2].map(() => ({ amount: '9.99', currency: 'EUR', product_id: 'gems', transaction_id: 'id-1' })),
    );
    expect(sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['id-2', 'id-2']);
  });

  it('that the service refuses are dropped with the reason', async () => {
    const { world, server } = setUp();
    world.reply = () => ({ status: 404, code: 'PLAYER_NOT_FOUND' });
    server.purchase(A, 1, { transaction_id: 'store-1' });
    for (const amount of [0, -1, NaN, Infinity]) expect(server.purchase(A, amount)).toBe(false);
    await server.flush();
    expect(world.dropped.at(-1)).toMatchObject({
      kind: 'purchase',
      reason: 'rejected',
      purchase: { transaction_id: 'store-1', amount: 1 },
    });
    expect(world.dropped).toHaveLength(5);
  });
});

describe('shutdown', () => {
  it('sends what is queued, and answers nothing if all was sent', async () => {
    const { world, server, batches } = setUp();
    const replies: Reply[] = ['cut', { status: 503 }];
    world.reply = (received) => replies.shift() ?? acceptAll(received);
    server.track(A, 'one');
    server.purchase(A, 1);
    const done = server.shutdown(60_000);
    await world.clock.advance(30_000);
    expect(await done).toEqual({ events: [], purchases: [], exposures: [] });
    expect(batches().length).toBeGreaterThan(0);
    expect(world.clock.timers).toBe(0);
  });

  it('answers what could not be sent, so that it can be sent later with its ids', async () => {
    const { world, server } = setUp();
    world.reply = () => 'hang';
    server.track(A, 'one', { n: 1 });
    server.track(player(2), 'two');
    server.purchase(A, 5, { currency: 'EUR' });
    const done = server.shutdown(3_000);
    await world.clock.advance(3_000);
    const report = await done;
    expect(report.events.map(({ event_name, event_id, properties }) => [event_name, event_id, properties])).toEqual(
      expect.arrayContaining([
        ['one', 'id-1', { n: 1 }],
        ['two', 'id-2', undefined],
      ]),
    );
    expect(report.purchases).toEqual([{ player_id: A, amount: 5, currency: 'EUR', transaction_id: 'id-3' }]);
    expect(world.clock.timers).toBe(0);
    expect(server.track(A, 'late')).toBe(false);
    expect(world.dropped).toMatchObject([{ reason: 'stopped' }]);
    expect(await server.shutdown()).toBe(report);
  });
});

describe('exposures', () => {
  it('leave before the events that were tracked after them', async () => {
    const world = createServerWorld();
    const server = world.start({ bootstrap: BOOTSTRAP });
    expect(server.flag('shop', false, { id: A })).toBe(true);
    server.track(A, 'bought');
    await server.flush();
    expect(world.received.map(({ path }) => path)).toEqual([EXPOSURES, BATCH]);
    expect(world.received[0]?.body).toEqual({
      exposures: [
        { player_id: A, flag_key: 'shop', flag_version: 3, variant_key: 'true', reason: 'percentage_rollout' },
      ],
    });
  });

  it('are reported once per player and result, and never of what is none', async () => {
    const world = createServerWorld();
    const server = world.start({ bootstrap: BOOTSTRAP });
    for (let turn = 0; turn < 3; turn++) {
      server.flag('shop', false, { id: A });
      server.flag('shop', false, { id: player(2) });
      server.flag('shop', false, { id: player(3) }, { exposes: false });
      server.flag('off', true, { id: A });
      server.flag('gone', true, { id: A });
      server.flag('shop', false, { id: player(4), overrides: { shop: false } });
    }
    await server.flush();
    expect(world.of(EXPOSURES).flatMap(({ body }) => Object(body['exposures']).length)).toEqual([2]);
  });
});

const flag = { flag_type: 'boolean', salt: 's', default_value: false, variants: [], prerequisites: [], version: 3 };
const everybody = { segment_id: null, value: true, percentage: 100, priority: 1, start_at: null, end_at: null };
const BOOTSTRAP = {
  format: 1,
  revision: 7,
  flags: [
    { ...flag, key: 'off', enabled: false, targeting_rules: [] },
    { ...flag, key: 'shop', enabled: true, targeting_rules: [everybody] },
  ],
  segments: [],
};
