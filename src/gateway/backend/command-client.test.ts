import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import type { Command, Query } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { decodeCommands, decodeQueries, encodeReplies } from '../../../core/codec/codec.ts';
import type { StreamDefinition } from '../../../streams/log/stream-definitions.ts';
import {
  createMemoryBroker,
  type MemoryBroker,
  type MemoryFaults,
  type MemoryLog,
} from '../../../streams/log/memory/log-memory.ts';
import { BACKEND_LIMITS } from './limits.ts';
import { createMetrics } from '../../parts/metrics.ts';
import { createCommandClient, type CommandClient } from './command-client.ts';

const MIB = 1024 * 1024;
const ID = 'player-1';
const FOUND: Reply = { kind: 'claimed' };

describe('the command client', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  let owner: MemoryLog;
  let client: CommandClient;
  const faults: MemoryFaults = {};

  beforeEach(() => {
    delete faults.onAppend;
    delete faults.latencyMs;
    clock = createFakeClock();
    broker = createMemoryBroker({ clock, faults });
    log = broker.connect('gateway');
    owner = broker.connect('owner');
    const shared = { log, clock, logger: silentLogger, metrics: createMetrics() };
    client = createCommandClient({ ...shared, gateway: 'g1', partitions: 1, configRevision: () => 7 });
  });

  const origin = () => ({ game: 'demo', environment: 'live' as const, receivedAt: clock.wallMs() });
  const send = (externalId = 'e') =>
    client.send(origin(), ID, {
      kind: 'RegisterPlayer',
      playerId: ID,
      externalId,
      createOnly: false,
      byClientKey: false,
    });
  const answer = (requestId: string, reply: Reply, epoch = 1) =>
    owner.publish('replies.g1', encodeReplies([{ requestId, epoch, partition: 0, reply }]));

  /** A gateway at a broker whose REQUESTS is another. */
  function connectTo(requests: Partial<StreamDefinition>): void {
    broker = createMemoryBroker({ clock, streams: { REQUESTS: requests } });
    owner = broker.connect('owner');
    const shared = { log: broker.connect('gateway'), clock, logger: silentLogger, metrics: createMetrics() };
    client = createCommandClient({ ...shared, gateway: 'g1', partitions: 1, configRevision: () => 0 });
  }

  function published(): Command[][] {
    const stream = broker.stream('REQUESTS');
    const { firstSequence, lastSequence } = stream.bounds();
    const messages: Command[][] = [];
    for (let sequence = firstSequence; sequence <= lastSequence; sequence++) {
      const record = stream.get(sequence);
      if (record !== undefined) messages.push(decodeCommands(record.data));
    }
    return messages;
  }

  it('stamps a command with deadline, gateway and the revision it was made under', async () => {
    void send();
    await clock.advance(0);
    expect(published()).toMatchObject([
      [
        {
          replyTo: 'g1',
          configRevision: 7,
          deadlineAt: clock.wallMs() + BACKEND_LIMITS.commandDeadlineMs,
          game: 'demo',
        },
      ],
    ]);
  });

  it('batches the commands of one turn, and those that arrive during a publish, in order', async () => {
    faults.latencyMs = () => 25;
    for (let i = 0; i < 3; i++) void send(`first-${i}`);
    await clock.advance(10);
    for (let i = 0; i < 5; i++) void send(`next-${i}`);
    await clock.advance(200);
    const names = published().map((commands) =>
      commands.map(({ body }) => (body.kind === 'RegisterPlayer' ? body.externalId : '')),
    );
    expect(names).toEqual([
      ['first-0', 'first-1', 'first-2'],
      ['next-0', 'next-1', 'next-2', 'next-3', 'next-4'],
    ]);
  });

  it('sends the first command after a quiet time at once, and gathers those that follow it', async () => {
    void send('first');
    await clock.advance(0);
    expect(published()).toHaveLength(1);
    for (let i = 0; i < 3; i++) {
      void send(`next-${i}`);
      await clock.advance(BACKEND_LIMITS.requestsGatherMs / 4);
      expect(published()).toHaveLength(1);
    }
    await clock.advance(BACKEND_LIMITS.requestsGatherMs / 4);
    expect(published().map((commands) => commands.length)).toEqual([1, 3]);
    await clock.advance(BACKEND_LIMITS.requestsGatherMs);
    void send('last');
    await clock.advance(0);
    expect(published().map((commands) => commands.length)).toEqual([1, 3, 1]);
  });

  it('sends the gathered commands of all partitions in the same turn', async () => {
    const partitions = 4;
    client.close();
    const shared = { log, clock, logger: silentLogger, metrics: createMetrics() };
    client = createCommandClient({ ...shared, gateway: 'g2', partitions, configRevision: () => 0 });
    const times: number[] = [];
    faults.onAppend = () => {
      times.push(clock.monotonicMs());
      return 'deliver';
    };
    for (let i = 0; i < 40; i++) {
      const body = { kind: 'RegisterPlayer', playerId: `p${i}`, externalId: 'e', createOnly: false } as const;
      void client.send(origin(), `p${i}`, { ...body, byClientKey: false });
      await clock.advance(BACKEND_LIMITS.requestsGatherMs / 10);
    }
    expect(times.length).toBeGreaterThan(partitions);
    const turns = [...new Set(times)];
    for (const [at, ms] of turns.slice(1).entries())
      expect(ms - (turns[at] ?? 0)).toBe(BACKEND_LIMITS.requestsGatherMs);
  });

  it('resolves to the owner’s reply', async () => {
    const reply = send();
    await clock.advance(0);
    answer(published()[0]?.[0]?.requestId ?? '', FOUND);
    expect(await reply).toEqual(FOUND);
  });

  it('ignores the reply of an older owner', async () => {
    const first = send('first');
    const second = send('second');
    await clock.advance(0);
    const [a, b] = published()[0] ?? [];
    answer(a?.requestId ?? '', FOUND, 5);
    expect(await first).toEqual(FOUND);
    answer(b?.requestId ?? '', FOUND, 4);
    await clock.advance(BACKEND_LIMITS.commandDeadlineMs + BACKEND_LIMITS.commandGraceMs + 200);
    expect(await second).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
  });

  it('resolves to 503 only after deadline and grace', async () => {
    let completed = false;
    const reply = send();
    void reply.then(() => {
      completed = true;
    });
    await clock.advance(BACKEND_LIMITS.commandDeadlineMs + BACKEND_LIMITS.commandGraceMs - 200);
    expect(completed).toBe(false);
    await clock.advance(400);
    expect(await reply).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
  });

  it('publishes again after a lost acknowledgement; the message is stored once', async () => {
    let calls = 0;
    faults.onAppend = () => (calls++ === 0 ? 'lose_ack' : 'deliver');
    void send();
    await clock.advance(3_000);
    expect(calls).toBeGreaterThan(1);
    expect(published()).toHaveLength(1);
  });

  it('does not publish an answered message again, even without an acknowledgement', async () => {
    let calls = 0;
    faults.onAppend = () => {
      calls += 1;
      return 'lose_ack';
    };
    const reply = send();
    await clock.advance(0);
    answer(published()[0]?.[0]?.requestId ?? '', FOUND);
    expect(await reply).toEqual(FOUND);
    await clock.advance(BACKEND_LIMITS.commandDeadlineMs);
    expect(calls).toBe(1);
  });

  it('never publishes past the deadline', async () => {
    log.disconnect();
    const reply = send();
    await clock.advance(BACKEND_LIMITS.commandDeadlineMs + BACKEND_LIMITS.commandGraceMs + 500);
    expect(await reply).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    log.reconnect();
    await clock.advance(5_000);
    expect(published()).toEqual([]);
  });

  it('continues when REQUESTS is full, because decided requests are dropped', async () => {
    connectTo({ maxBytes: 2_000 });
    for (let i = 0; i < 50; i++) {
      const reply = send(`player-${i}`);
      await clock.advance(BACKEND_LIMITS.requestsGatherMs);
      answer(published().at(-1)?.[0]?.requestId ?? '', FOUND);
      expect(await reply).toEqual(FOUND);
    }
    expect(broker.stream('REQUESTS').bounds().firstSequence).toBeGreaterThan(1);
  });

  it('refuses at once a command that the log certainly refused', async () => {
    connectTo({ maxBytes: 10, discard: 'new' });
    const reply = send();
    await clock.advance(0);
    expect(await reply).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('refuses at once a command beyond the bound', async () => {
    log.disconnect();
    const replies = Array.from({ length: BACKEND_LIMITS.gatewayPendingCommands + 2_001 }, () => send());
    await clock.advance(0);
    const last = await replies.at(-1);
    expect(last).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('refuses at once a command beyond the share of its partition', async () => {
    const shared = { log, clock, logger: silentLogger, metrics: createMetrics() };
    client = createCommandClient({ ...shared, gateway: 'g1', partitions: 32, configRevision: () => 7 });
    log.disconnect();
    const text = 'x'.repeat(MIB);
    // One message of them is on its way, and 8 MiB wait.
    const replies = Array.from({ length: 1 + 8 }, () => send(text));
    await clock.advance(0);
    void send('small');
    expect(await replies.at(-1)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('sends a query again until it is answered', async () => {
    const received: Query[][] = [];
    owner.subscribe('queries.0', (data) => received.push(decodeQueries(data)));
    await clock.advance(0);
    const reply = client.query(origin(), ID, { kind: 'GetPlayer', playerId: ID });
    await clock.advance(700);
    expect(received.length).toBeGreaterThanOrEqual(3);
    answer(received[0]?.[0]?.requestId ?? '', FOUND);
    await clock.advance(0);
    expect(await reply).toEqual(FOUND);
    const before = received.length;
    await clock.advance(2_000);
    expect(received).toHaveLength(before);
  });

  it('hands queries to an owner in its own process, and sends unanswered ones as messages', async () => {
    const messages: Query[][] = [];
    const requested: string[] = [];
    owner.subscribe('queries.0', (data) => messages.push(decodeQueries(data)));
    await clock.advance(0);
    const take = (queries: readonly Query[]): void => {
      for (const { requestId } of queries) {
        requested.push(requestId);
        if (requested.length === 1) client.local.receive([{ requestId, epoch: 1, partition: 0, reply: FOUND }]);
      }
    };
    const stop = client.local.serve(0, take);
    const first = client.query(origin(), ID, { kind: 'GetPlayer', playerId: ID });
    const second = client.query(origin(), ID, { kind: 'GetPlayer', playerId: ID });
    await clock.advance(100);
    expect(await first).toEqual(FOUND);
    expect([requested.length, messages.length]).toEqual([2, 0]);

    await clock.advance(400);
    expect(messages.flat().map(({ requestId }) => requestId)).toContain(requested[1]);
    expect(requested).toHaveLength(2);
    answer(requested[1] ?? '', FOUND);
    await clock.advance(10);
    expect(await second).toEqual(FOUND);

    stop();
    void client.query(origin(), ID, { kind: 'GetPlayer', playerId: ID });
    const before = messages.length;
    await clock.advance(10);
    expect([requested.length, messages.length]).toEqual([2, before + 1]);
  });

  it('hands queries of a partition to the latest owner in its process', async () => {
    const requested: string[] = [];
    const stopFirst = client.local.serve(0, () => requested.push('first'));
    client.local.serve(0, () => requested.push('second'));
    stopFirst();
    void client.query(origin(), ID, { kind: 'GetPlayer', playerId: ID });
    await clock.advance(10);
    expect(requested).toEqual(['second']);
  });

  it('resolves waiting requests to 503 when it closes', async () => {
    const reply = send();
    client.close();
    expect(await reply).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
