import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../../test/support/silent-logger.ts';
import { decodeReplies, encodeQueries } from '../../streams/codec.ts';
import { createMemoryBroker, type MemoryLog } from '../../streams/log-memory.ts';
import { createEntities } from './entities.ts';
import { createQueryDesk, type QueryDesk } from './query-desk.ts';
import { createReplySender } from './send-replies.ts';
import { createMemoryStores } from './store-memory.ts';

describe('queries', () => {
  let clock: FakeClock;
  let gateway: MemoryLog;
  let desk: QueryDesk;
  let leaseHeld: boolean;
  const answered: string[] = [];

  beforeEach(async () => {
    clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    gateway = broker.connect('gateway');
    answered.length = 0;
    gateway.subscribe('replies.g1', (data) => answered.push(...decodeReplies(data).map(({ requestId }) => requestId)));
    leaseHeld = true;
    const store = createMemoryStores().partition(0);
    const log = broker.connect('owner');
    desk = createQueryDesk({
      partition: 0,
      epoch: 1,
      log,
      clock,
      config: { revision: 0, seen: async () => true },
      entities: createEntities({ store, factsCreated: '', hotBytes: 1_000, nowMs: () => 0 }),
      leaseHeld: () => leaseHeld,
      sendReplies: createReplySender(log, undefined),
      onProofWanted: () => {},
      logger: silentLogger,
    });
    desk.open();
    await clock.settle();
  });

  async function ask(requestId: string): Promise<void> {
    const envelope = { requestId, replyTo: 'g1', game: 'demo', environment: 'live', configRevision: 0 } as const;
    const body = { kind: 'GetPlayer', playerId: 'p' } as const;
    gateway.publish('queries.0', encodeQueries([{ ...envelope, deadlineAt: clock.wallMs() + 1_000, body }]));
    await clock.settle();
  }

  async function release(outcome: 'proved' | 'unproved'): Promise<void> {
    desk.release(outcome);
    await clock.settle();
  }

  it('are answered at once while the lease is valid', async () => {
    await ask('1');
    expect(answered).toEqual(['1']);
    expect(desk.wantsProof).toBe(false);
  });

  it('wait without a lease for an append that is sent after they came', async () => {
    leaseHeld = false;
    await ask('1');
    expect(desk.wantsProof).toBe(true);
    desk.hold(new Map());
    await release('proved');
    expect(answered).toEqual(['1']);
    expect(desk.wantsProof).toBe(false);
  });

  it('are not answered on the acknowledgement of an append that was sent before they came', async () => {
    leaseHeld = false;
    desk.hold(new Map());
    await ask('1');
    await release('proved');
    expect(answered).toEqual([]);
    expect(desk.wantsProof).toBe(true);
    desk.hold(new Map());
    await release('proved');
    expect(answered).toEqual(['1']);
  });

  it('go on waiting when the append was refused', async () => {
    leaseHeld = false;
    await ask('1');
    desk.hold(new Map());
    await release('unproved');
    expect(answered).toEqual([]);
    expect(desk.wantsProof).toBe(true);
  });
});
