import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { decodeReplies, encodeQueries } from '../../../core/codec/codec.ts';
import { createMemoryBroker, type MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { OWNER_LIMITS } from '../limits.ts';
import { charge } from '../../conditions/steps.ts';
import { decide } from '../../decide.ts';
import { aFlagDocument } from '../../flags/testing-served-flags.ts';
import { aCommand, definitionsOf } from '../../testing-players.ts';
import { createEntities } from './entities.ts';
import { createQueryHandler, type QueryHandler } from './query-handler.ts';
import { createReplySender } from './send-replies.ts';
import { createMemoryStores } from '../store/store-memory.ts';

describe('queries', () => {
  let clock: FakeClock;
  let gateway: MemoryLog;
  let queryHandler: QueryHandler;
  let leaseHeld: boolean;
  const answered: string[] = [];
  const kinds: string[] = [];

  beforeEach(async () => {
    clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    gateway = broker.connect('gateway');
    answered.length = 0;
    kinds.length = 0;
    gateway.subscribe('replies.g1', (data) => {
      for (const { requestId, reply } of decodeReplies(data)) {
        answered.push(requestId);
        kinds.push(reply.kind === 'failure' ? reply.code : reply.kind);
      }
    });
    leaseHeld = true;
    const store = createMemoryStores().partition(0);
    const log = broker.connect('owner');
    const entities = createEntities({ store, factsCreated: '', hotBytes: 1_000, nowMs: () => 0 });
    const draft = entities.draft();
    const registration = { kind: 'RegisterPlayer', playerId: 'p', externalId: 'e', createOnly: false } as const;
    decide(draft, aCommand({ ...registration, byClientKey: false }), definitionsOf());
    entities.applyCommit(draft, [], 1);
    queryHandler = createQueryHandler({
      partition: 0,
      epoch: 1,
      log,
      clock,
      config: { revision: 0, seen: async () => true },
      entities,
      store,
      definitions: definitionsOf({
        flags: new Map([
          [
            'costly',
            {
              key: 'costly',
              document: aFlagDocument({ key: 'costly' }),
              evaluate: () => {
                charge(OWNER_LIMITS.turnSteps / 2);
                return { flagKey: 'costly', value: 'true', variantKey: null, reason: 'default', period: 1 };
              },
            },
          ],
          [
            'broken',
            {
              key: 'broken',
              document: aFlagDocument({ key: 'broken' }),
              evaluate: () => {
                throw new Error('a bug');
              },
            },
          ],
        ]),
      }),
      exposures: { note: () => false },
      leaseHeld: () => leaseHeld,
      sendReplies: createReplySender(log, undefined),
      onStoreFault: () => {},
      onProofWanted: () => {},
      logger: silentLogger,
    });
    queryHandler.open();
    await clock.flush();
  });

  async function query(requestId: string): Promise<void> {
    const envelope = { requestId, replyTo: 'g1', game: 'demo', environment: 'live', configRevision: 0 } as const;
    const body = { kind: 'GetPlayer', playerId: 'p' } as const;
    gateway.publish('queries.0', encodeQueries([{ ...envelope, deadlineAt: clock.wallMs() + 1_000, body }]));
    await clock.flush();
  }

  async function release(outcome: 'proved' | 'unproved'): Promise<void> {
    queryHandler.release(outcome);
    await clock.flush();
  }

  it('are answered at once while the lease is valid', async () => {
    await query('1');
    expect(answered).toEqual(['1']);
    expect(queryHandler.wantsProof).toBe(false);
  });

  it('wait without a lease for an append that is sent after they arrived', async () => {
    leaseHeld = false;
    await query('1');
    expect(queryHandler.wantsProof).toBe(true);
    queryHandler.hold(new Map());
    await release('proved');
    expect(answered).toEqual(['1']);
    expect(queryHandler.wantsProof).toBe(false);
  });

  it('are not answered after the acknowledgement of an append that was sent before they arrived', async () => {
    leaseHeld = false;
    queryHandler.hold(new Map());
    await query('1');
    await release('proved');
    expect(answered).toEqual([]);
    expect(queryHandler.wantsProof).toBe(true);
    queryHandler.hold(new Map());
    await release('proved');
    expect(answered).toEqual(['1']);
  });

  it('that are expensive are answered over several turns of the event loop', async () => {
    const envelope = { replyTo: 'g1', game: 'demo', environment: 'live', configRevision: 0 } as const;
    const deadlineAt = clock.wallMs() + 1_000;
    const body = {
      kind: 'EvaluateFlags',
      playerId: 'p',
      flagKeys: ['costly'],
      context: '{}',
      exposes: false,
      by: 'server',
    } as const;
    const costly = Array.from({ length: 8 }, (_, n) => ({ ...envelope, deadlineAt, requestId: `c${n}`, body }));
    gateway.publish('queries.0', encodeQueries(costly));
    await query('other');
    expect(answered).toEqual(['c0', 'c1', 'c2', 'other']);
    await clock.advance(5);
    expect(answered).toHaveLength(9);
  });

  it('that throw fail alone; the others of their message are answered', async () => {
    const envelope = { replyTo: 'g1', game: 'demo', environment: 'live', configRevision: 0 } as const;
    const deadlineAt = clock.wallMs() + 1_000;
    const broken = {
      kind: 'EvaluateFlags',
      playerId: 'p',
      flagKeys: 'all',
      context: '{}',
      exposes: true,
      by: 'server',
    } as const;
    const read = { kind: 'GetPlayer', playerId: 'p' } as const;
    gateway.publish(
      'queries.0',
      encodeQueries([
        { ...envelope, deadlineAt, requestId: '1', body: broken },
        { ...envelope, deadlineAt, requestId: '2', body: read },
      ]),
    );
    await clock.flush();
    expect(answered).toEqual(['1', '2']);
    expect(kinds).toEqual(['INTERNAL_ERROR', 'player']);
  });

  it('keep waiting when the append was refused', async () => {
    leaseHeld = false;
    await query('1');
    queryHandler.hold(new Map());
    await release('unproved');
    expect(answered).toEqual([]);
    expect(queryHandler.wantsProof).toBe(true);
  });
});
