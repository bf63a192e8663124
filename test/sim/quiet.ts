import { sleep } from '../../core/kernel/clock.ts';
import { decodeJson } from '../../core/codec/codec.ts';
import { factsSubject } from '../../streams/subjects.ts';
import type { MemoryBroker } from '../../streams/log/memory/log-memory.ts';
import { parseSinkPosition } from '../../streams/positions/positions.ts';
import { type SinkName, sinksOf } from '../../streams/positions/sink-registry.ts';
import { BACKEND_LIMITS } from '../../src/gateway/backend/limits.ts';
import { OWNER_LIMITS } from '../../actors/runtime/limits.ts';
import { isComputing } from './checks/check-computed.ts';
import type { CampaignHistory } from './model/campaign-history.ts';
import type { Clients } from './clients/clients.ts';
import type { FakeClickhouse } from './machines/fake-clickhouse.ts';
import type { Follower } from './follower.ts';
import type { ConfigHistory } from './model/model-segments.ts';
import type { Operations } from './clients/operations.ts';
import type { Machine, SimProcess } from './machines/sim-process.ts';
import type { World } from './world.ts';
import { isUnavailable } from './clients/operation.ts';

export interface QuietOptions {
  world: World;
  broker: MemoryBroker;
  clickhouse: Pick<FakeClickhouse, 'pendingErasures'>;
  config: ConfigHistory;
  campaigns: CampaignHistory;
  machines: readonly Machine[];
  partitions: number;
  players: readonly string[];
  clients: Clients;
  operations: Operations;
  follower: Follower;
  /** Whether webhooks are delivered: then DELIVERIES must become empty. */
  delivers: boolean;
  /** Whether another night passes once everybody is quiet, so that only timers change players. */
  night: boolean;
  /** What still runs from the phase of faults. */
  busy: readonly Promise<void>[];
}

/**
 * Longer than anything takes in a healthy service: the longest reply, a lease with its margin, the longest back-off of
 * a sink.
 */
const HEALING_MS = 45_000;
const CATCH_UP_MS = 45_000;
const NIGHT_MS = 25 * 60 * 60 * 1000;
/** Longer than it takes to record exposures, which the owner does after it has replied, when no store is written. */
const EXPOSING_MS = 200;
const EXPOSING_CHECK_MS = 5;

/**
 * The phase after all faults are repaired: the clients end, every player must be readable and writable through every
 * process, and all outputs must catch up. This proves that the service recovers without help.
 */
export async function waitForQuiet(options: QuietOptions): Promise<void> {
  const { world, broker, clickhouse, config, campaigns, machines, partitions, follower, busy } = options;
  const healed = Promise.all(busy).then(() => probeAll(options));
  let isHealed = false;
  void healed.then(() => {
    isHealed = true;
  });
  const startMs = world.clock.monotonicMs();
  const failed = (): boolean => world.violation !== undefined;
  await world.clock.run(() => isHealed || failed(), startMs + HEALING_MS);
  if (failed()) return;
  if (!isHealed) {
    world.violate('comes-back', 'a client still gets no answer long after all faults were repaired');
    return;
  }
  await catchUp();
  if (options.night && !failed()) {
    world.clock.jumpWall(NIGHT_MS);
    world.cause('clock', BACKEND_LIMITS.commandDeadlineMs);
    world.cover('a night without requests');
    // Every owner looks at its timers at least once.
    await world.clock.run(failed, world.clock.monotonicMs() + 2 * OWNER_LIMITS.storeFlushMs);
    await catchUp();
  }

  async function catchUp(): Promise<void> {
    await world.clock.run(() => isCaughtUp() || failed(), world.clock.monotonicMs() + CATCH_UP_MS);
    if (!isCaughtUp()) world.violate('catches-up', `sinks or stores stay behind: ${describe()}`);
  }

  function describe(): string {
    const { lastSequence } = broker.stream('FACTS').bounds();
    return `FACTS ends at ${lastSequence}, ${positions()}, stream ${follower.has(lastSequence)}, segments ${JSON.stringify(sweeps())} of ${config.lastSegmentRevision} and ${lastSchedule()}, erasures ${clickhouse.pendingErasures}`;
  }

  function positions(): string {
    return sinksOf('FACTS')
      .map((sink) => `${sink} ${position(sink)}`)
      .join(', ');
  }

  function position(sink: SinkName): number {
    const entry = broker.bucket('POSITIONS').get(sink);
    return (entry?.value && parseSinkPosition(decodeJson(entry.value))?.sequence) ?? 0;
  }

  /**
   * The revision up to which each partition has swept its players, and the time up to which it has run campaign
   * schedules.
   */
  function sweeps(): { revision: number; schedulesUpTo: number }[] {
    return Array.from({ length: partitions }, (_, partition) => {
      const entry = broker.bucket('POSITIONS').get(`segments.${partition}`);
      const value: unknown = entry?.value === undefined ? undefined : decodeJson(entry.value);
      const progress = new Map<string, unknown>(Object.entries(value ?? {}));
      if (progress.get('done') !== true) return { revision: 0, schedulesUpTo: 0 };
      return {
        revision: Number(progress.get('revision')),
        schedulesUpTo: Number(progress.get('schedulesUpTo') ?? 0),
      };
    });
  }

  /** The latest scheduled time that has passed and is not too late; 0: none. */
  function lastSchedule(): number {
    const nowMs = world.clock.wallMs();
    const times = campaigns
      .latest()
      .flatMap(({ campaign: { trigger } }) => (trigger.kind === 'schedule' ? [trigger.at] : []));
    return Math.max(0, ...times.filter((at) => at <= nowMs && at > nowMs - OWNER_LIMITS.scheduleLateMs));
  }

  function isCaughtUp(): boolean {
    const { lastSequence } = broker.stream('FACTS').bounds();
    if (sinksOf('FACTS').some((sink) => position(sink) !== lastSequence)) return false;
    if (options.delivers && broker.stream('DELIVERIES').bounds().records > 0) return false;
    if (!follower.has(lastSequence) || clickhouse.pendingErasures > 0) return false;
    const wanted = { revision: config.lastSegmentRevision, scheduleAt: lastSchedule() };
    const isBehind = sweeps().some(
      ({ revision, schedulesUpTo }) => revision < wanted.revision || schedulesUpTo < wanted.scheduleAt,
    );
    if (isBehind) return false;
    for (let partition = 0; partition < partitions; partition++) {
      const last = broker.stream('FACTS').last(factsSubject(partition))?.sequence;
      const store = machines
        .map(({ disk }) => disk.stores.partition(partition))
        .find((candidate) => candidate.mark()?.appliedSeq === last);
      const nextDue = store?.nextDue() ?? Infinity;
      if (store === undefined || nextDue <= world.clock.wallMs()) return false;
      if (isComputing(Array.from(store.all(), ({ state }) => state))) return false;
    }
    return true;
  }
}

/** Evaluates a flag for every player, reads every player and writes one of them, through every process. */
async function probeAll({ world, machines, players, clients, operations }: QuietOptions): Promise<void> {
  for (const machine of machines) {
    if (!machine.roles.has('gateway')) continue;
    const process = await servingOn(world, machine);
    for (const playerId of players) {
      await answered(() => clients.perform(operations.evaluate(playerId), process), world);
      await answered(() => clients.perform(operations.read(playerId), process), world);
    }
    await answered(() => clients.perform(operations.probe(world.random('probe').pick(players)), process), world);
  }
  await exposuresRecorded(world, machines);
}

/**
 * Waits until the owners have recorded what they served. An owner whose memory is full decides nothing while it writes
 * its store, which may take longer than everything else.
 */
export async function exposuresRecorded(
  { clock }: Pick<World, 'clock'>,
  machines: readonly { process: Pick<SimProcess, 'writesStore'> | undefined }[],
): Promise<void> {
  let sinceMs = clock.monotonicMs();
  while (clock.monotonicMs() - sinceMs < EXPOSING_MS) {
    await sleep(clock, EXPOSING_CHECK_MS);
    if (machines.some(({ process }) => process?.writesStore === true)) sinceMs = clock.monotonicMs();
  }
}

async function servingOn(world: World, machine: Machine): Promise<SimProcess> {
  for (;;) {
    if (machine.process?.serving !== undefined) return machine.process;
    await new Promise<void>((resolve) => {
      world.clock.timer(50, resolve);
    });
  }
}

async function answered(perform: () => ReturnType<Clients['perform']>, world: World): Promise<void> {
  while (isUnavailable(await perform())) world.cover('client: waits for the service to come back');
}
