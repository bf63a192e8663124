import { describe, expect, it } from 'vitest';
import type { Server, ServerOptions } from '../server/server.ts';
import {
  acceptAll,
  CHANGES,
  createServerWorld,
  DEFINITIONS,
  type Received,
  type Reply,
} from './support/server-world.ts';

const A = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const rule = { segment_id: null, value: true, percentage: 100, priority: 1, start_at: null, end_at: null };

/** Definitions in which the flag `shop` is on from revision 2 on. */
function definitions(revision: number, more: object = {}) {
  const shop = {
    key: 'shop',
    version: revision,
    flag_type: 'boolean',
    enabled: true,
    salt: 's',
    default_value: false,
    variants: [],
    prerequisites: [],
    targeting_rules: revision >= 2 ? [rule] : [],
  };
  return { format: 1, revision, flags: [shop], segments: [], ...more };
}

function setUp(options: Partial<ServerOptions> = {}, document: (revision: number) => object = definitions) {
  const world = createServerWorld();
  const service = {
    revision: 1,
    /** Before the normal answers. */
    replies: [] as { path: string; reply: Reply }[],
    document,
  };
  world.reply = (received: Received): Reply => {
    const planned = service.replies.findIndex(({ path }) => path === received.path);
    if (planned !== -1) return service.replies.splice(planned, 1)[0]?.reply ?? 'cut';
    if (received.path === CHANGES) return { data: null };
    if (received.path !== DEFINITIONS) return acceptAll(received);
    const etag = `"${service.revision}"`;
    if (received.headers['If-None-Match'] === etag) return { status: 304, text: '' };
    return { data: service.document(service.revision), headers: { ETag: etag } };
  };
  const server = world.start({ flags: true, ...options });
  const connect = async () => {
    await world.clock.flush();
    const stream = world.streams.at(-1);
    if (stream === undefined) throw new Error('no stream is open');
    stream.send('connected', { revision: service.revision });
    await world.clock.flush();
    return stream;
  };
  const isOn = () => server.flag('shop', false, { id: A }, { exposes: false });
  return { world, service, server, connect, isOn, fetches: () => world.of(DEFINITIONS).length };
}

const stateOf = ({ flags }: Server) => [flags.status.revision, flags.status.source, flags.status.isStreaming];

describe('the definitions', () => {
  it('arrive at the start, and follow a change that the stream tells within its spread', async () => {
    const { world, service, server, connect, isOn } = setUp();
    expect([isOn(), server.flags.evaluate('shop', { id: A }).reason]).toEqual([false, 'not_ready']);
    await world.clock.flush();
    await server.ready;
    const stream = await connect();
    expect(stream.received.headers['Last-Event-ID']).toBe('1');
    expect([isOn(), ...stateOf(server)]).toEqual([false, 1, 'service', true]);
    const changes: (number | undefined)[] = [];
    server.flags.onChange(({ revision }) => void changes.push(revision));
    service.revision = 2;
    stream.send('flags_changed', { revision: 2, spread_ms: 100 });
    stream.send('definitions_changed', { revision: 2, spread_ms: 100 });
    await world.clock.advance(49);
    expect(isOn()).toBe(false);
    await world.clock.advance(1);
    expect([isOn(), ...changes]).toEqual([true, 2]);
  });

  it('are asked for again while a node lags behind the change', async () => {
    const { world, service, connect, isOn, fetches } = setUp();
    const stream = await connect();
    stream.send('definitions_changed', { revision: 2, spread_ms: 0 });
    await world.clock.advance(0);
    expect([isOn(), fetches()]).toEqual([false, 2]);
    service.revision = 2;
    await world.clock.advance(1_000);
    expect([isOn(), fetches()]).toEqual([true, 3]);
    await world.clock.advance(10_000);
    expect(fetches()).toBe(3);
  });

  it('are current as long as the stream says so, and their age grows when it is gone', async () => {
    const { world, server, connect } = setUp();
    const stream = await connect();
    await world.clock.advance(30_000);
    stream.send('heartbeat', { timestamp: 'x' });
    await world.clock.advance(5_000);
    expect(server.flags.status.staleMs).toBe(5_000);
    world.reply = () => 'cut';
    stream.cut();
    await world.clock.advance(100_000);
    expect(server.flags.status).toMatchObject({ staleMs: 105_000, isStreaming: false, revision: 1 });
  });

  it('are polled while the stream is down, which is opened again with growing waits', async () => {
    const { world, service, connect, isOn, fetches } = setUp();
    const stream = await connect();
    for (let turn = 0; turn < 5; turn++) service.replies.push({ path: CHANGES, reply: 'cut' });
    service.revision = 2;
    stream.cut();
    await world.clock.advance(29_999);
    expect([isOn(), fetches()]).toEqual([false, 1]);
    await world.clock.advance(1);
    expect([isOn(), fetches()]).toEqual([true, 2]);
    const attempts = world.of(CHANGES).map(({ atMs }) => atMs);
    expect(attempts).toEqual([0, 750, 2_250, 5_250, 11_250, 23_250]);
    await world.clock.advance(60_000);
    expect(world.streams).toHaveLength(2);
    expect(world.streams[1]?.received.headers['Last-Event-ID']).toBe('2');
  });

  it('count as cut off after silence, and wait as long as the service asks', async () => {
    const { world, connect, server } = setUp();
    const stream = await connect();
    stream.write('retry: 9000\n\n');
    await world.clock.advance(89_999);
    expect(server.flags.status.isStreaming).toBe(true);
    await world.clock.advance(1);
    expect([server.flags.status.isStreaming, stream.isOpen, world.streams.length]).toEqual([false, false, 1]);
    await world.clock.advance(8_999);
    expect(world.streams).toHaveLength(1);
    await world.clock.advance(1);
    expect(world.streams).toHaveLength(2);
  });

  it('stay in use whatever the service answers', async () => {
    const { world, service, server, connect, isOn } = setUp();
    service.revision = 2;
    const stream = await connect();
    await world.clock.advance(0);
    expect(isOn()).toBe(true);
    for (const document of [{}, null, { ...definitions(3), format: 2 }, { ...definitions(3), flags: [7] }]) {
      service.revision += 1;
      service.document = () => Object(document);
      stream.send('definitions_changed', { revision: service.revision });
      await world.clock.advance(0);
      expect([isOn(), server.flags.status.revision]).toEqual([true, 2]);
    }
    stream.write('data: {\n\nevent: definitions_changed\ndata: [\n\n');
    await world.clock.advance(20_000);
    expect(isOn()).toBe(true);
    expect(world.problems.some(({ message }) => message.includes('Update it'))).toBe(true);
    // A service that has usable ones again.
    service.document = (revision) => definitions(revision);
    await server.flags.refresh();
    expect(server.flags.status.revision).toBe(service.revision);
  });

  it('start from a file, which newer ones replace', async () => {
    const { world, server, isOn } = setUp({ bootstrap: definitions(2) });
    expect([isOn(), ...stateOf(server)]).toEqual([true, 2, 'bootstrap', false]);
    expect(server.flags.status.staleMs).toBeUndefined();
    await world.clock.flush();
    expect([isOn(), ...stateOf(server).slice(0, 2)]).toEqual([false, 1, 'service']);
    expect(JSON.parse(JSON.stringify(server.flags.definitions))).toEqual(definitions(1));
  });

  it('of a broken file are as none', async () => {
    for (const bootstrap of [{}, { ...definitions(2), format: 9 }]) {
      const { world, server, isOn } = setUp({ bootstrap: Object(bootstrap), flags: false });
      expect([isOn(), server.flags.status.source]).toEqual([false, 'none']);
      expect(world.problems).toMatchObject([{ kind: 'definitions' }]);
      await server.ready;
    }
  });

  it('are followed no more after the shutdown', async () => {
    const { world, server, connect } = setUp();
    const stream = await connect();
    await server.shutdown();
    await world.clock.flush();
    expect([stream.isOpen, world.clock.timers]).toEqual([false, 0]);
    expect(server.flags.evaluate('shop', { id: A }).reason).toBe('default');
    expect(world.problems).toEqual([]);
  });

  it('let a start succeed while the service is down', async () => {
    const world = createServerWorld();
    world.reply = () => 'cut';
    const server = world.start({ flags: true });
    await world.clock.advance(100);
    await server.ready;
    expect(server.flag('shop', 'old', { id: A })).toBe('old');
    const resolved = server.flags.resolve({ id: A }, { keys: ['shop'] });
    await world.clock.advance(60_000);
    expect((await resolved).get('shop')?.reason).toBe('not_ready');
    await world.clock.advance(600_000);
    await server.shutdown();
    expect(world.clock.timers).toBe(0);
  });
});

describe('resolve', () => {
  const EVALUATE = '/v1/flags/flags/evaluate';
  const needy = { ...rule, conditions: { is_payer: true } };

  it('asks the service once, for the flags that need more than was given', async () => {
    const [shop] = definitions(2).flags;
    const flags = [shop, { ...shop, key: 'vip', version: 9, targeting_rules: [needy] }];
    const { world, service, server } = setUp({}, (revision) => ({ ...definitions(revision), flags }));
    await world.clock.flush();
    service.replies.push({
      path: EVALUATE,
      reply: {
        data: {
          evaluations: { vip: { value: true, variant_key: null, reason: 'percentage_rollout' } },
          unknown_flags: [],
        },
      },
    });
    const results = await server.flags.resolve({ id: A }, { context: { build: 3 } });
    expect(results.get('shop')).toMatchObject({ value: true, reason: 'percentage_rollout' });
    expect(results.get('vip')).toEqual({
      key: 'vip',
      value: true,
      variant: null,
      reason: 'percentage_rollout',
      version: 9,
    });
    expect(world.of(EVALUATE).map(({ body }) => body)).toEqual([
      { player_id: A, flag_keys: ['vip'], context: { build: 3 } },
    ]);
    await server.flags.resolve({ id: A, is_payer: false });
    expect(world.of(EVALUATE)).toHaveLength(1);
    expect(server.flags.expose({ id: A }, Object(results.get('vip')))).toBe(true);
  });

  it('leaves results as they are when the service does not answer', async () => {
    const flags = definitions(1).flags.map((shop) => ({ ...shop, targeting_rules: [needy] }));
    const { world, service, server } = setUp({}, (revision) => ({ ...definitions(revision), flags }));
    await world.clock.flush();
    service.replies.push({ path: EVALUATE, reply: { status: 404, code: 'PLAYER_NOT_FOUND' } });
    const results = await server.flags.resolve({ id: A });
    expect(results.get('shop')).toMatchObject({ reason: 'needs_state', missing: ['is_payer'] });
    expect(world.problems).toMatchObject([{ kind: 'service' }]);
  });
});
