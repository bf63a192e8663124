import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import type { HandedCommands } from '../../../core/vocabulary/commands/local-gateway.ts';
import type { Command } from '../../../core/vocabulary/commands/commands.ts';
import { decodeCommands } from '../../../core/codec/codec.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { BACKEND_LIMITS } from './limits.ts';
import { createMetrics } from '../../parts/metrics.ts';
import { createCommandClient, type CommandClient } from './command-client.ts';

const ID = 'player-1';

describe('commands handed over to an owner in the same process', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let client: CommandClient;
  let wakeUps: number;

  beforeEach(() => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock });
    const shared = { log: broker.connect('gateway'), clock, logger: silentLogger, metrics: createMetrics() };
    client = createCommandClient({ ...shared, gateway: 'g1', partitions: 1, configRevision: () => 0 });
    wakeUps = 0;
  });

  const send = (externalId: string) =>
    client.send({ game: 'demo', environment: 'live', receivedAt: clock.wallMs() }, ID, {
      kind: 'RegisterPlayer',
      playerId: ID,
      externalId,
      createOnly: false,
      byClientKey: false,
    });
  const handOver = (): HandedCommands =>
    client.local.commands(0, () => {
      wakeUps += 1;
    });
  const nameOf = ({ body }: Command): string => (body.kind === 'RegisterPlayer' ? body.externalId : '');
  const answer = (requestId: string): void =>
    client.local.receive([{ requestId, epoch: 1, partition: 0, reply: { kind: 'claimed' } }]);

  function takeAll(handed: HandedCommands): string[] {
    const names: string[] = [];
    for (let command = handed.peek(); command !== undefined; command = handed.peek()) {
      handed.take();
      names.push(nameOf(command));
    }
    return names;
  }

  function published(): Command[] {
    const stream = broker.stream('REQUESTS');
    const { lastSequence } = stream.bounds();
    const messages = Array.from({ length: lastSequence }, (_, index) => stream.get(index + 1)?.data);
    return messages.flatMap((data) => (data === undefined ? [] : decodeCommands(data)));
  }

  it('are not published, and wake the owner', async () => {
    const handed = handOver();
    for (const name of ['a', 'b']) void send(name);
    await clock.advance(0);
    expect(wakeUps).toBeGreaterThan(0);
    expect(takeAll(handed)).toEqual(['a', 'b']);
    void send('c');
    expect(takeAll(handed)).toEqual(['c']);
    await clock.advance(100);
    expect(published()).toEqual([]);
  });

  it('wait until those that were published are answered', async () => {
    void send('a');
    await clock.advance(BACKEND_LIMITS.requestsGatherMs);
    const handed = handOver();
    void send('b');
    await clock.advance(20);
    expect(takeAll(handed)).toEqual([]);
    for (const { requestId } of published()) answer(requestId);
    await clock.advance(2);
    expect(takeAll(handed)).toEqual(['b']);
    expect(published().map(nameOf)).toEqual(['a']);
  });

  it('wait for those that were published also after the log refused later ones', async () => {
    broker = createMemoryBroker({ clock, streams: { REQUESTS: { maxBytes: 400, discard: 'new' } } });
    const shared = { log: broker.connect('gateway'), clock, logger: silentLogger, metrics: createMetrics() };
    client = createCommandClient({ ...shared, gateway: 'g1', partitions: 1, configRevision: () => 0 });
    void send('a');
    await clock.advance(BACKEND_LIMITS.requestsGatherMs);
    const refused = send('b'.repeat(400));
    await clock.advance(BACKEND_LIMITS.requestsGatherMs);
    expect(await refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(published().map(nameOf)).toEqual(['a']);
    const handed = handOver();
    void send('c');
    await clock.advance(20);
    expect(takeAll(handed)).toEqual([]);
    for (const { requestId } of published()) answer(requestId);
    await clock.advance(2);
    expect(takeAll(handed)).toEqual(['c']);
  });

  it('are published while those published before stay unanswered', async () => {
    void send('a');
    await clock.advance(BACKEND_LIMITS.requestsGatherMs);
    const handed = handOver();
    void send('b');
    await clock.advance(60);
    void send('c');
    await clock.advance(10);
    expect(published().map(nameOf)).toEqual(['a', 'b', 'c']);
    for (const { requestId } of published()) answer(requestId);
    await clock.advance(2_000);
    void send('d');
    await clock.advance(0);
    expect(takeAll(handed)).toEqual(['d']);
  });

  it('are published in order when the owner stops: first those that it took and did not settle', async () => {
    const handed = handOver();
    for (const name of ['a', 'b', 'c', 'd']) void send(name);
    await clock.advance(0);
    handed.take();
    expect(handed.settle().map(nameOf)).toEqual(['a']);
    handed.take();
    handed.stop();
    void send('e');
    await clock.advance(10);
    expect(published().map(nameOf)).toEqual(['b', 'c', 'd', 'e']);
    expect(handed.peek()).toBeUndefined();
  });

  it('are published if the owner puts them back: another one decided in its place', async () => {
    const handed = handOver();
    for (const name of ['a', 'b', 'c']) void send(name);
    await clock.advance(0);
    handed.take();
    handed.take();
    handed.putBack(handed.settle());
    handed.stop();
    await clock.advance(10);
    expect(published().map(nameOf)).toEqual(['a', 'b', 'c']);
  });

  it('go to the latest owner, and are not published when the one before stops', async () => {
    const before = handOver();
    const handed = handOver();
    before.stop();
    void send('a');
    await clock.advance(10);
    expect(takeAll(before)).toEqual([]);
    expect(takeAll(handed)).toEqual(['a']);
    expect(published()).toEqual([]);
  });

  it('go to the latest owner at once, also those that waited for the one before', async () => {
    const before = handOver();
    for (const name of ['a', 'b']) void send(name);
    await clock.advance(0);
    before.take();
    wakeUps = 0;
    const handed = handOver();
    await clock.advance(0);
    expect(wakeUps).toBeGreaterThan(0);
    expect(takeAll(handed)).toEqual(['b']);
    expect(takeAll(before)).toEqual([]);
    wakeUps = 0;
    before.stop();
    expect(wakeUps).toBeGreaterThan(0);
    expect(takeAll(handed)).toEqual(['a']);
    await clock.advance(100);
    expect(published()).toEqual([]);
  });

  it('are published if the owner stops in the moment in which it gets them', async () => {
    const handed = client.local.commands(0, () => queueMicrotask(() => handed.stop()));
    void send('a');
    await clock.advance(100);
    expect(published().map(nameOf)).toEqual(['a']);
  });

  it('are bounded: one over the bound is refused at once', async () => {
    const handed = handOver();
    for (let i = 0; i < BACKEND_LIMITS.gatewayPendingCommands; i++) void send(`${i}`);
    expect(await send('one more')).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await clock.advance(0);
    expect(takeAll(handed)).toHaveLength(BACKEND_LIMITS.gatewayPendingCommands);
    void send('next');
    expect(takeAll(handed)).toEqual(['next']);
  });

  it('count as waiting until they are taken', async () => {
    const handed = handOver();
    void send('a');
    await clock.advance(0);
    let drained = false;
    void client.drained().then(() => {
      drained = true;
    });
    await clock.advance(100);
    expect(drained).toBe(false);
    takeAll(handed);
    await clock.advance(0);
    expect(drained).toBe(true);
  });
});
