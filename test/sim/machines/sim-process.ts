import { type Actors, startActors } from '../../../actors/runtime/actors.ts';
import { TERM_ENDED } from '../../../actors/runtime/membership/contender.ts';
import { TAKEN_OVER } from '../../../actors/runtime/term/partition-owner.ts';
import { createLiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { type FactsRoom, watchFactsRoom } from '../../../streams/facts/facts-room.ts';
import { startFactsTrimmer } from '../../../streams/facts/facts-trimmer.ts';
import { type CommandClient, createCommandClient } from '../../../src/gateway/backend/command-client.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import type { SimLimits } from './sim-limits.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { type ConfigStore, openConfigStore } from '../../../streams/config/config-store.ts';
import type { MemoryBroker, MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { watchBrokerClock } from '../../../streams/broker-clock.ts';
import { shareReader } from '../../../streams/log/shared-reader.ts';
import { createEraser } from '../../../streams/sinks/clickhouse/erasure/eraser.ts';
import { createFactsWriter } from '../../../streams/sinks/clickhouse/facts-writer.ts';
import { createLiveFeed, type RunningLiveFeed } from '../../../streams/sinks/live/live-feed.ts';
import { createMatcher } from '../../../streams/sinks/webhooks/matching/matcher.ts';
import type { Disk } from './disk.ts';
import type { FakeClickhouse } from './fake-clickhouse.ts';
import { watchErasures } from '../../../streams/facts/erasures.ts';
import { createAttemptLog } from '../../../streams/sinks/webhooks/delivery/attempt-log.ts';
import { createWorker } from '../../../streams/sinks/webhooks/delivery/worker.ts';
import type { HandedByRecord } from './handed-commands.ts';
import type { History } from '../history.ts';
import { ACK_WAIT_MS, ATTEMPT_TIMEOUT_MS, createIds, type Receivers, RETRY_DELAYS_MS } from '../clients/receivers.ts';
import type { ProcessClock, Quartz } from './sim-clock.ts';
import { type Toucher, type TouchPoint, touchyLog, touchyStores } from './touch-points.ts';
import type { World } from '../world.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';

/** As in src/settings/config.ts. */
export type Role = 'gateway' | 'actors' | 'sinks';
export const ALL_ROLES: readonly Role[] = ['gateway', 'actors', 'sinks'];

/** A machine. Its disk outlives its processes. */
export interface Machine {
  name: string;
  disk: Disk;
  roles: ReadonlySet<Role>;
  /** Absent: its clocks are exact. */
  quartz: Quartz | undefined;
  incarnations: number;
  process: SimProcess | undefined;
}

/** One process of the service with its machine's roles, wired as src/main.ts wires it. */
export interface SimProcess {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly log: MemoryLog;
  /** Present once its definitions are loaded, if it is a gateway: from then on it accepts requests. */
  readonly serving: { commandClient: CommandClient; config: ConfigStore; feed: RunningLiveFeed } | undefined;
  /** The number of partitions that it owns now. */
  readonly led: number;
  /** Whether a write of one of its local stores is under way. */
  readonly writesStore: boolean;
  /** Runs an action at the `count`-th future visit of a touch point. Only one action can be set. */
  at(point: TouchPoint | 'any', count: number, action: () => void): void;
  /** `kill -9`. */
  kill(): void;
  /** SIGTERM: stops in order, then exits. */
  stop(): Promise<void>;
  /** Resolves when the process has ended. */
  readonly gone: Promise<void>;
}

export interface ProcessOptions {
  world: World;
  broker: MemoryBroker;
  clickhouse: FakeClickhouse;
  /** Present if processes with sinks also deliver webhooks. */
  receivers: Receivers | undefined;
  history: History;
  handed: HandedByRecord;
  partitions: number;
  limits: SimLimits;
  retentionMs: number;
  /** Rough bytes of players in memory; `undefined`: some processes keep all of them, others few. */
  hotBytes: number | undefined;
  onRefused: (record: CommitRecord) => void;
  onTaken: (process: SimProcess) => void;
  /** A term of one of this process's owners has ended. */
  onTermEnd: (owner: string, partition: number, end: string) => void;
}

const HEARTBEAT_MS = 1_000;

/** They are not read, so one set serves every process of every world. */
const metrics = createMetrics();

/** Starts a process on a machine whose previous process has ended. */
export function startProcess(options: ProcessOptions, machine: Machine): SimProcess {
  const { world, broker, clickhouse, history, partitions, limits } = options;
  machine.incarnations += 1;
  const incarnation = String(machine.incarnations);
  const name = `${machine.name}-${incarnation}`;
  const random = world.random(name);
  const clock = world.clock.process(machine.quartz);
  const log = broker.connect(name, clock);
  let plan: { point: TouchPoint | 'any'; count: number; action: () => void } | undefined;
  let serving: SimProcess['serving'];
  let actors: Actors | undefined;
  let storeWrites = 0;
  let onGone: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    onGone = resolve;
  });
  const parts: (() => Promise<void>)[] = [];

  function kill(): void {
    if (clock.state === 'dead') return;
    world.note(0, () => `! ${name} is killed`);
    clock.kill();
    log.kill(random.chance(0.6) ? 'deliver' : 'lose');
    serving = undefined;
    if (machine.process === process) machine.process = undefined;
    onGone();
  }

  const isDead = (): boolean => clock.state === 'dead';
  const toucher: Toucher = {
    touch(point) {
      if (isDead()) return true;
      if (plan === undefined || (plan.point !== 'any' && plan.point !== point)) return false;
      plan.count -= 1;
      if (plan.count > 0) return false;
      const { action } = plan;
      plan = undefined;
      world.cover(`struck at: ${point}`);
      world.note(1, () => `! ${name} is struck: ${point}`);
      action();
      return isDead();
    },
    pause: () => sleep(clock, random.between(0.2, random.chance(0.05) ? 400 : 3)),
    storeWrites(change) {
      storeWrites += change;
    },
    onRequests: (commands) => history.sent(commands),
    onFacts: (partition, data) => handed.sends(partition, data),
    onRefused: options.onRefused,
    cover: (what) => world.cover(what),
  };
  const handed = options.handed.process(world, history, random.fork('handed commands').chance(0.6));
  const owner = `${machine.name}.${incarnation}.`;
  const logger = world.logger(name, (message, fields) => {
    if (message === TAKEN_OVER) options.onTaken(process);
    if (message !== TERM_ENDED) return;
    options.onTermEnd(owner, Number(fields.get('partition')), String(fields.get('end')));
  });
  const shared = { log: touchyLog(log, toucher), clock, logger, metrics };

  async function boot(): Promise<void> {
    const config = await openConfigStore(shared.log, clock, logger);
    const commandClient = createCommandClient({
      ...shared,
      gateway: name,
      partitions,
      configRevision: () => config.revision,
    });
    const room = machine.roles.has('actors') ? watchFactsRoom({ ...shared, limits }) : undefined;
    actors = room && startOwners(config, commandClient, room);
    const feed = machine.roles.has('gateway') ? createLiveFeed({ ...shared, heartbeatMs: HEARTBEAT_MS }) : undefined;
    void feed?.start();
    const trimmer = room && trimFacts(room);
    if (machine.roles.has('sinks')) startSinks(config);
    parts.push(() => Promise.all([trimmer?.stop(), actors?.stop()]).then(() => room?.stop()));
    if (feed === undefined) return;
    parts.unshift(() => feed.stop());
    serving = { commandClient, config, feed };
  }

  function startOwners(config: ConfigStore, commandClient: CommandClient, room: FactsRoom): Actors {
    const brokerClock = watchBrokerClock({ ...shared, bucket: shared.log.bucket('OWNERS') });
    parts.push(() => Promise.resolve(brokerClock.stop()));
    return startActors({
      local: handed.watch(commandClient.local),
      clockFault: () => brokerClock.fault(),
      ...shared,
      partitions,
      node: machine.name,
      incarnation,
      limits,
      config,
      definitions: createLiveDefinitions(config, logger),
      stores: touchyStores(machine.disk.faulty, toucher),
      source: clickhouse.source(clock),
      history: clickhouse.history(clock),
      room,
      hotBytes: options.hotBytes ?? (random.chance(0.3) ? 2_000 : 1_000_000),
      flushChunk: random.between(1, 5),
    });
  }

  function trimFacts(room: FactsRoom): ReturnType<typeof startFactsTrimmer> {
    return startFactsTrimmer({
      ...shared,
      partitions,
      holder: name,
      retentionMs: options.retentionMs,
      room,
      limits,
    });
  }

  function startSinks(config: ConfigStore): void {
    const target = clickhouse.target(toucher, clock);
    const eraser = createEraser({
      ...shared,
      target: clickhouse.eraser(toucher, clock),
      leads: () => sink.leads(),
      limits,
    });
    const readFacts = shareReader({
      ...shared,
      stream: 'FACTS',
      gatherMs: limits.sinksGatherMs,
      limits,
    });
    const sink = createFactsWriter({ ...shared, readFacts, holder: name, target, onErasures: () => eraser.wake() });
    sink.start();
    eraser.start();
    const matcher = createMatcher({ ...shared, readFacts, config, holder: name, limits });
    const stopWorker = options.receivers && startWorker(config, options.receivers);
    parts.push(
      () => Promise.all([matcher.stop(), stopWorker?.()]).then(() => undefined),
      () => Promise.all([sink.stop(), eraser.stop()]).then(() => undefined),
    );
  }

  function startWorker(config: ConfigStore, receivers: Receivers): () => Promise<void> {
    const ids = createIds(random.fork('ids'));
    const erasures = watchErasures(shared.log, clock);
    const attempts = createAttemptLog({ ...shared, node: machine.name, writer: `${name}/attempts`, erasures });
    const worker = createWorker({
      ...shared,
      config,
      ids,
      sender: receivers.sender(clock),
      erasures,
      attempts,
      retryDelaysMs: RETRY_DELAYS_MS,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      ackWaitMs: ACK_WAIT_MS,
    });
    return async () => {
      await worker.stop();
      await attempts.close();
      erasures.stop();
    };
  }

  const process: SimProcess = {
    name,
    clock,
    log,
    get serving() {
      return serving;
    },
    get led() {
      return clock.state === 'dead' ? 0 : (actors?.led ?? 0);
    },
    get writesStore() {
      return clock.state !== 'dead' && storeWrites > 0;
    },
    at(point, count, action) {
      plan = { point, count, action };
    },
    kill,
    async stop() {
      serving = undefined;
      for (const stop of parts) await stop();
      await log.close();
      world.cover('process stopped in order');
      kill();
    },
    gone,
  };
  machine.process = process;
  world.note(2, () => `! ${name} starts`);
  void boot();
  return process;
}
