import { partitionOf } from '../../../core/kernel/partition.ts';
import { createMetrics, type Metrics } from '../../../src/parts/metrics.ts';
import { type CommandClient, createCommandClient } from '../../../src/gateway/backend/command-client.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { type Actors, startActors } from '../../../actors/runtime/actors.ts';
import type { LiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import type { EventHistory } from '../../../core/vocabulary/event-history.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import { watchFactsRoom, type FactsRoom, type FactsRoomOptions } from '../../../streams/facts/facts-room.ts';
import { createMemoryStores } from '../../../actors/runtime/store/store-memory.ts';
import type { Stores } from '../../../actors/runtime/store/store.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { definitionsOf } from '../../../actors/testing-players.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { watchBrokerClock } from '../../../streams/broker-clock.ts';
import { decodeCommit } from '../../../core/codec/codec.ts';
import { encodeState } from '../../../core/codec/state/state-codec.ts';
import {
  createMemoryBroker,
  type MemoryBrokerOptions,
  type MemoryLog,
} from '../../../streams/log/memory/log-memory.ts';
import { createFakeClock, type FakeClock, type FakeNode } from '../in-memory/fake-clock.ts';
import { liveDefinitions } from '../in-memory/live-definitions.ts';
import { silentLogger } from '../in-memory/silent-logger.ts';
import { NO_HANDED_COMMANDS } from '../../../core/vocabulary/commands/local-gateway.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';
import type { Definitions } from '../../../actors/decision/definitions.ts';

/** One process of the backbone: gateway and actors with one client and one clock. */
export interface BackboneNode {
  name: string;
  log: MemoryLog;
  clock: FakeNode;
  commandClient: CommandClient;
  actors: Actors;
  stores: Stores;
  room: FactsRoom;
  metrics: Metrics;
  /** Ends it as `kill -9` would. */
  kill(): void;
}

export interface NodeOptions {
  /** Of a killed process, to use its disk. */
  stores?: Stores;
  source?: SnapshotSource;
  history?: EventHistory;
  incarnation?: string;
  /** The definitions that it has seen; default: those of the backbone, of revision 0. */
  config?: Pick<ConfigStore, 'revision' | 'seen'>;
  definitions?: LiveDefinitions;
  /** Whether the gateway also publishes the commands of the process's own owners, as if they were elsewhere. */
  publishes?: boolean;
}

export interface Backbone {
  clock: FakeClock;
  broker: ReturnType<typeof createMemoryBroker>;
  partitions: number;
  /** Starts a process. */
  start(name: string, options?: NodeOptions): BackboneNode;
  /** Starts a process and waits until it leads every partition. */
  lead(name: string, options?: NodeOptions): Promise<BackboneNode>;
  /** Advances time until the promise is completed. */
  complete<T>(promise: Promise<T>): Promise<T>;
  register(node: BackboneNode, id: string, more?: { attributes?: string; environment?: Environment }): Promise<Reply>;
  track(node: BackboneNode, id: string, eventName: string, eventId?: string): Promise<Reply>;
  read(node: BackboneNode, id: string): Promise<Reply>;
  /** What FACTS holds. */
  records(): { sequence: number; record: CommitRecord }[];
  /** Facts of one kind in FACTS, in order. */
  facts<K extends Fact['kind']>(kind: K): Extract<Fact, { kind: K }>[];
}

const NO_SNAPSHOTS: SnapshotSource = {
  confirmedTo: () => Promise.reject(new Error('no snapshots in this test')),
  count: () => Promise.reject(new Error('no snapshots in this test')),
  countPlayers: () => Promise.reject(new Error('no snapshots in this test')),
  load: () => {
    throw new Error('no snapshots in this test');
  },
};

/** The backbone in memory, on a clock that the test advances. */
export function createBackbone(
  options: Partial<MemoryBrokerOptions> & {
    partitions?: number;
    definitions?: Definitions | LiveDefinitions;
    roomLimits?: FactsRoomOptions['limits'];
    hotBytes?: number;
  } = {},
): Backbone {
  const clock = createFakeClock();
  const partitions = options.partitions ?? 1;
  const definitions = options.definitions ?? definitionsOf();
  const broker = createMemoryBroker({ clock, ...options });
  let events = 0;

  function start(name: string, more: NodeOptions = {}): BackboneNode {
    const nodeClock = clock.node();
    const log = broker.connect(name);
    const stores = more.stores ?? createMemoryStores();
    const config = more.config ?? { revision: 0, seen: () => Promise.resolve(true) };
    const shared = { log, clock: nodeClock, logger: silentLogger, metrics: createMetrics() };
    const gateway = `${name}-${more.incarnation ?? '1'}`;
    const commandClient = createCommandClient({
      ...shared,
      gateway,
      partitions,
      configRevision: () => config.revision,
    });
    const { local } = commandClient;
    const { roomLimits } = options;
    const room = watchFactsRoom({ ...shared, ...(roomLimits === undefined ? {} : { limits: roomLimits }) });
    const brokerClock = watchBrokerClock({ ...shared, bucket: log.bucket('OWNERS') });
    const actors = startActors({
      room,
      local: more.publishes === true ? { ...local, commands: () => NO_HANDED_COMMANDS } : local,
      clockFault: () => brokerClock.fault(),
      ...shared,
      partitions,
      node: name,
      incarnation: more.incarnation ?? '1',
      config,
      definitions: more.definitions ?? (isLive(definitions) ? definitions : liveDefinitions(definitions)),
      stores,
      source: more.source ?? NO_SNAPSHOTS,
      history: more.history,
      hotBytes: options.hotBytes ?? 10_000_000,
    });
    return {
      name,
      log,
      clock: nodeClock,
      commandClient,
      actors,
      stores,
      room,
      metrics: shared.metrics,
      kill() {
        log.kill();
        nodeClock.kill();
      },
    };
  }

  const origin = (environment: Environment = 'live') => ({ game: 'demo', environment, receivedAt: clock.wallMs() });

  async function complete<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const completed = promise.finally(() => {
      done = true;
    });
    completed.catch(() => {});
    await clock.advanceUntil(() => done);
    return completed;
  }

  const backbone: Backbone = {
    clock,
    broker,
    partitions,
    start,
    async lead(name, more) {
      const node = start(name, more);
      for (let partition = 0; partition < partitions; partition++) {
        const id = idIn(partition, partitions);
        // Any answer to a read proves that there is a leader: a 503 means that there is none yet.
        for (let reply = await backbone.read(node, id); ; reply = await backbone.read(node, id)) {
          if (reply.kind !== 'failure' || reply.code === 'PLAYER_NOT_FOUND') break;
        }
      }
      return node;
    },
    complete,
    register: (node, id, more = {}) =>
      complete(
        node.commandClient.send(origin(more.environment), id, {
          kind: 'RegisterPlayer',
          playerId: id,
          externalId: `ext-${id}`,
          createOnly: false,
          byClientKey: false,
          ...(more.attributes === undefined ? {} : { attributes: more.attributes }),
        }),
      ),
    track(node, id, eventName, eventId) {
      events += 1;
      const item = {
        index: 0,
        playerId: id,
        eventId: eventId ?? `generated-${events}`,
        remember: eventId !== undefined,
        eventName,
        properties: '{}',
        sessionId: null,
        timestamp: clock.wallMs(),
      };
      return complete(node.commandClient.send(origin(), id, { kind: 'TrackEvents', items: [item] }));
    },
    read: (node, id) => complete(node.commandClient.query(origin(), id, { kind: 'GetPlayer', playerId: id })),
    records() {
      const stream = broker.stream('FACTS');
      const { firstSequence, lastSequence } = stream.bounds();
      const found: { sequence: number; record: CommitRecord }[] = [];
      for (let sequence = firstSequence; sequence <= lastSequence; sequence++) {
        const stored = stream.get(sequence);
        if (stored !== undefined) found.push({ sequence, record: decodeCommit(stored.data) });
      }
      return found;
    },
    facts(kind) {
      const all = backbone.records().flatMap(({ record }) => record.facts);
      return all.filter((fact): fact is Extract<Fact, { kind: typeof kind }> => fact.kind === kind);
    },
  };
  return backbone;
}

/** An id that belongs to the partition. */
function idIn(partition: number, partitions: number): string {
  for (let i = 0; ; i++) if (partitionOf(`probe-${i}`, partitions) === partition) return `probe-${i}`;
}

/** A fake clock starts then, and so does a FACTS made at once. */
const CREATED_MS = Date.UTC(2026, 0, 1);

/** A snapshot source in memory. */
export function snapshotsOf(states: readonly EntityState[]): SnapshotSource {
  const since = (changedSince: number) => states.filter(({ lastSeq }) => lastSeq >= changedSince);
  return {
    confirmedTo: async () => ({ createdMs: CREATED_MS, sequence: 0 }),
    count: async (_partition, changedSince) => since(changedSince).length,
    countPlayers: async () => states.filter(({ kind }) => kind !== 'ledger').length,
    async *load(_partition, changedSince) {
      yield since(changedSince).map(encodeState);
    },
  };
}

function isLive(definitions: Definitions | LiveDefinitions): definitions is LiveDefinitions {
  return 'segmentsVersion' in definitions;
}
