import { failure } from '../../../core/kernel/errors.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { Backend } from '../../../src/api/route/backend.ts';
import { createGatewayMerges, type GatewayMerges } from '../../../src/gateway/merges/merges.ts';
import { startMergeKeeper } from '../../../src/gateway/merges/merge-keeper.ts';
import type { MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { ProcessClock } from '../machines/sim-clock.ts';
import type { World } from '../world.ts';
import type { SimOwners } from './owners.ts';

/** One gateway: the real saga, forwarding and keeper, over a network that delays and loses what it carries. */
export interface SimGateway {
  readonly name: string;
  readonly merges: GatewayMerges;
  readonly isAlive: boolean;
  kill(): void;
}

export interface GatewayOptions {
  world: World;
  broker: MemoryBroker;
  owners: SimOwners;
  name: string;
  /** The share of messages that are lost or late. */
  lossOf: () => number;
}

const DEADLINE_MS = 5_000;

export function startGateway({ world, broker, owners, name, lossOf }: GatewayOptions): SimGateway {
  const random = world.random(name);
  const clock: ProcessClock = world.clock.process();
  const log = broker.connect(name, clock);
  const logger = world.logger(name, () => {});
  let serial = 0;
  /** A sender may have stood still for minutes before its command left. */
  const latestMs = (): number => (random.chance(0.3) ? 120_000 : DEADLINE_MS);

  /** A message may be lost before or after it is decided, or be decided after its sender gave up. */
  function over(decided: () => Reply): Promise<Reply> {
    return new Promise((resolve) => {
      clock.timer(DEADLINE_MS, () => resolve(failure('SERVICE_UNAVAILABLE')));
      if (random.chance(lossOf())) {
        world.cover('network: a command is lost');
        return;
      }
      const isLate = random.chance(lossOf());
      if (isLate) world.cover('network: a command is late');
      world.clock.timer(isLate ? random.between(1_000, latestMs()) : random.between(0.2, 4), () => {
        const reply = decided();
        if (random.chance(lossOf())) {
          world.cover('network: a reply is lost');
          return;
        }
        clock.arrivals.timer(random.between(0.2, 4), () => resolve(reply));
      });
    });
  }

  const backend: Backend = {
    partitionOf: (entityId) => owners.partitionOf(entityId),
    send: (origin, entityId, body) => over(() => owners.decide(origin, entityId, body)),
    query: (origin, playerId, body) =>
      'playerId' in body
        ? over(() => owners.answer(origin, { ...body, playerId }))
        : Promise.resolve(failure('NOT_FOUND')),
  };
  const ids = { uuidv7: () => `${name}-${(serial += 1)}` };
  const merges = createGatewayMerges({ owners: backend, log, clock, ids, logger });
  const mayWrite = (): boolean => true;
  const onEnded = (): void => {};
  void startMergeKeeper({ merges, log, holder: name, mayWrite, onEnded, clock, logger });
  return {
    name,
    merges,
    get isAlive() {
      return clock.state !== 'dead';
    },
    kill() {
      clock.kill();
      log.disconnect(random.chance(0.5) ? 'lose' : 'deliver');
    },
  };
}
