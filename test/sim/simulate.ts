import { partitionOf } from '../../core/kernel/partition.ts';
import { createMemoryBroker } from '../../streams/log/memory/log-memory.ts';
import { STREAMS } from '../../streams/log/stream-definitions.ts';
import { recordCampaigns } from './model/campaign-history.ts';
import { createChaos, drawWeather, drawWriteFaults, type FaultKind } from './machines/chaos.ts';
import { checkCampaigns, checkScheduled } from './checks/check-campaigns.ts';
import { checkComputed } from './checks/check-computed.ts';
import { checkExposed, checkServed } from './checks/check-exposures.ts';
import { checkLog } from './checks/check-log.ts';
import { checkAttempts, checkDeliveries, checkRebuild, checkRows, checkStore } from './checks/check-outputs.ts';
import { checkReplies } from './checks/check-replies.ts';
import { checkMemberships } from './checks/check-segments.ts';
import { checkTrialRows, checkTrials } from './checks/check-trials.ts';
import { createClients } from './clients/clients.ts';
import { changeDefinitions, makeWebhook } from './clients/definitions.ts';
import { createFakeClickhouse } from './machines/fake-clickhouse.ts';
import { recordFlags } from './model/flags/flag-history.ts';
import { createFollower } from './follower.ts';
import { createHandedByRecord } from './machines/handed-commands.ts';
import { createHistory } from './history.ts';
import { recordConfig } from './model/model-segments.ts';
import { observe } from './observer.ts';
import { createOperations } from './clients/operations.ts';
import { BROKEN_ROWS, createRareFaults, drawRareWeather } from './machines/rare-faults.ts';
import { createReceivers } from './clients/receivers.ts';
import { createMachines } from './machines/machines.ts';
import { type Machine, type ProcessOptions, type SimProcess, startProcess } from './machines/sim-process.ts';
import { waitForQuiet } from './quiet.ts';
import { SIM_LIMITS, type SimLimits } from './machines/sim-limits.ts';
import { createWorld, type Violation, type World } from './world.ts';
import { playerIdOf } from './clients/player-ids.ts';
import type { CommitRecord } from '../../core/vocabulary/facts/commit-record.ts';

/**
 * Deterministic simulation of the service.
 *
 * THE WORLD. Two or three machines run the service's own code, unchanged and wired as main.ts wires it: gateway, owners
 * with a local store, trimmer, ClickHouse sink, webhook matcher and live stream (sim-process.ts). They share one broker
 * in memory (streams/log/memory/log-memory.ts) and a ClickHouse that implements only blocks, tokens and snapshots
 * (fake-clickhouse.ts). Time is a heap of timers that the simulation fires one by one (sim-clock.ts), every message has
 * a random latency, and all choices come from the seed: the same seed gives the same run, to the last message. Clients
 * (clients.ts, operations.ts) register, patch, track, send batches, read, evaluate and override flags, and retry what
 * was not answered, usually through another machine.
 *
 * THE FAULTS (chaos.ts, touch-points.ts). Each seed uses some of: crash at any time or at the n-th use of log, bucket,
 * disk or ClickHouse; restart on the same disk or an empty one; orderly stop; SIGSTOP past the lease, and its worst
 * form, an owner that resumes just when its successor has been paused; broken connections; broker restarts that lose
 * REQUESTS; writes lost, doubled or late, as request or as reply; wall clocks that are off; nights and weeks that pass
 * at once; a full FACTS; ClickHouse slow, unreachable or taking blocks without confirmation. Definitions change
 * meanwhile. Three seeds in ten also have one or two rare faults (rare-faults.ts): disks that refuse writes, lose their
 * last ones, damage a mark or rows that an owner then meets; elections of single streams and buckets; machines that are
 * suspended and resume with a wrong clock; definitions that reach a process late; commands of newer versions; a FACTS
 * so small that it stays full; an old backup in ClickHouse's place; webhook workers with unreliable receivers; scripted
 * coincidences. In some seeds the machines differ in their roles or their clocks drift (machines.ts).
 *
 * THE VERDICT. After some seconds all faults are repaired, and the service must recover without help (quiet.ts:
 * `comes-back`, `catches-up`). Then everything that was ever stored (observer.ts) is compared with a sequential model
 * of the documented behaviour that shares no code with the domain (model.ts). The invariants, and where they are
 * checked:
 *
 * - `exactly-its-facts`, `exactly-once`, `nothing-passed-over` (check-log): the commands between two positions,
 *   decided one after another, give exactly the facts in the record.
 * - `one-epoch-per-sequence`, `position`, `deadline`, `time` (check-log): a barrier precedes every owner's records,
 *   positions only advance, no command is decided late, timed changes are due.
 * - `backlog-first` (check-log): a new owner decides the commands that waited for it before any timer.
 * - `time`, `membership` (check-log, check-segments): segments change with the player's facts, on time and after an
 *   edit; after the run every player is in the right segments.
 * - `computed` (check-log, check-computed): computed properties begin and end with the definitions of their record;
 *   past and live events count once; in the end every value equals its recomputation from all events.
 * - `caps`, `delivered-once`, `schedule` (check-campaigns): no player gets more of a campaign than its caps and
 *   cooldown allow; an intervention is delivered again only in a later session; a scheduled time gives every player one
 *   turn.
 * - `exposure` (check-exposures): what an evaluation served counts as seen, once per period and variant, and never
 *   for a player with an override.
 * - `served` (check-exposures, model-served): what an evaluation's reply contains is stored first; an event exposes
 *   that, or the variant that it names.
 * - `kept-variant` (check-trials): nobody's variant or phase changes while an experiment is active, except that the
 *   experiment drops the variant.
 * - `experiment-rows` (check-trials): rows of exposures and of mixed players have the experiment and the phase.
 * - `phase` (experiment-history): other shares begin a phase of an experiment, and nothing else does.
 * - `period` (flag-history): an edit begins a period of its flag exactly if it changes which player gets which
 *   variant.
 * - `acknowledged-is-stored`, `reply` (check-replies): what a reply reports was stored before it, and the reply is
 *   the model's there.
 * - `no-stale-answer`, `read` (check-replies): a reply without changes is true at some time between request and
 *   reply, with definitions at least as new as the gateway's.
 * - `snapshot`, `store-is-fold`, `rebuild` (check-log, check-outputs): snapshots, local stores, and snapshots plus
 *   later facts equal the model's state.
 * - `one-row-per-fact`, `one-token-one-block`, `one-delivery-per-fact` (check-outputs, fake-clickhouse): sinks write
 *   everything once, and no token with other bytes.
 * - `every-delivery-sent` (check-outputs): every queued delivery is accepted, or attempted as often as allowed.
 * - `no-alarm` (world): every ERROR line has a cause in the world.
 * - `stream-in-order` (follower): a stream reader that reconnects gets every event once, in order, or a `gap`; events
 *   of a player that was erased since may be missing.
 * - `erased-is-gone` (check-outputs): no row from before a player's erasure remains, and no later row is missing.
 * - `no-false-deposition`, `no-alarm`, `no-exception` (here, world): no owner steps down without a successor; no
 *   ERROR line, no exception.
 *
 * mutants.ts removes the safeguards one by one; an invariant must catch each.
 */
export async function simulate(seed: number, { onLine, faults }: SimulationOptions = {}): Promise<SimulationResult> {
  const world = createWorld(seed, onLine);
  const escaped = (error: unknown): void =>
    world.violate('no-exception', error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on('unhandledRejection', escaped);
  try {
    await live(world, faults);
  } catch (error) {
    escaped(error);
  } finally {
    process.off('unhandledRejection', escaped);
  }
  const { violation, coverage, traceHash } = world;
  return { seed, violation, coverage, traceHash };
}

export interface SimulationOptions {
  /** Receives the history, line by line. */
  onLine?: (line: string) => void;
  /** Only these faults. */
  faults?: readonly FaultKind[] | undefined;
}

export interface SimulationResult {
  seed: number;
  violation: Violation | undefined;
  coverage: ReadonlyMap<string, number>;
  /** A hash of the run: equal for every run of a seed. */
  traceHash: number;
}

const RETENTION_MS = 2_500;
/** A small FACTS fills up during a run, and stays full: only its size lets it be trimmed. */
const SMALL_LOGS_BYTES = [45_000, 67_500];
/**
 * The reserve of a small FACTS, at least 22 KB, must hold what its bound counts: two records in flight (4 KB), what
 * another process appends between two polls (5 KB), and snapshots of five players (10 KB). A mark that does not fit
 * keeps FACTS from being trimmed for good.
 */
const SMALL_LOGS_RESERVE = { factsReserveMostShare: 1 / 2 };
const LONG_RETENTION_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs one seed, from an empty broker to the verdict. */
async function live(world: World, only: readonly FaultKind[] | undefined): Promise<void> {
  const random = world.random('shape');
  // With small records the owner decides one message in several commits.
  const campaignFactsPerCommand = world.random('campaign facts').pick([2, 2_000, 2_000]);
  const usualLimits: SimLimits = { ...SIM_LIMITS, commitFacts: random.pick([2, 4, 5_000]), campaignFactsPerCommand };
  const partitions = random.int(1, 2);
  const machines = createMachines(world, random.pick([2, 3, 3]), only !== undefined);
  const players = Array.from({ length: random.int(2, 5) }, (_, index) => playerIdOf(index + 1));
  const usualLifeMs = random.between(6_000, 22_000);
  const weather = drawWeather(random, only);
  // Half of all runs include midnight, when daily counts change.
  if (random.chance(0.5)) world.clock.jumpWall(DAY_MS - random.int(0, 15_000));
  const inPartition = (entityId: string): number => partitionOf(entityId, partitions);

  const rareWeather = drawRareWeather(world, only);
  const breaksRows = rareWeather.kinds.includes(BROKEN_ROWS);
  const isLogSmall = rareWeather.kinds.includes('small log');
  const limits = isLogSmall ? { ...usualLimits, ...SMALL_LOGS_RESERVE } : usualLimits;
  const factsBytes = isLogSmall ? world.random('small log').pick(SMALL_LOGS_BYTES) : STREAMS.FACTS.maxBytes;
  const lifeMs = isLogSmall ? 2 * usualLifeMs : usualLifeMs;
  if (isLogSmall) world.cause('facts full', Infinity);
  let calm = false;
  const rare = createRareFaults({
    world,
    weather: rareWeather,
    machines,
    partitions,
    setFactsRoom: (room) => chaos.setFactsRoom(room),
  });
  const broker = createMemoryBroker({
    clock: world.clock,
    faults: drawWriteFaults(world, weather, rare, () => calm),
    streams: { FACTS: { maxBytes: factsBytes } },
  });
  const handed = createHandedByRecord();
  const observer = observe(world, broker, handed);
  const config = recordConfig(broker);
  const flags = recordFlags(world, broker);
  const campaigns = recordCampaigns(world, broker);
  const clickhouse = createFakeClickhouse(world);
  // A clock that is ahead sends a retry later than a run waits, and days of failures disable a webhook.
  const isTimeExact = !weather.kinds.some((kind) => kind === 'night' || kind === 'wall clock off') && !breaksRows;
  const receivers = isTimeExact && rareWeather.kinds.includes('webhook workers') ? createReceivers(world) : undefined;
  const history = createHistory(world);
  const refused: CommitRecord[] = [];

  function onTermEnd(owner: string, partition: number, end: string): void {
    world.cover(`term ended: ${end}`);
    const barrier = observer.commits.findLast(({ record }) => record.partition === partition && record.epoch === 0);
    if (end !== 'deposed' || barrier?.record.owner.startsWith(owner) !== true) return;
    world.violate('no-false-deposition', `${owner} stepped down from partition ${partition}, but no owner took over`);
  }

  function start(machine: Machine): void {
    if (machine.process === undefined) startProcess(processOptions, machine);
  }

  const serving = (): SimProcess[] =>
    machines.flatMap(({ process }) => (process?.serving === undefined ? [] : process));
  const operations = createOperations({ random: world.random('operations'), players, partitionOf: inPartition });
  const clients = createClients({ world, history, operations, partitionOf: inPartition, serving });
  const readAll = (process?: SimProcess): void => {
    for (const playerId of players) void clients.perform(operations.read(playerId), process);
  };
  const writeAll = (): void => {
    for (const playerId of players) void clients.perform(operations.probe(playerId));
  };
  const chaos = createChaos({
    world,
    factsBytes,
    weather,
    machines,
    rare,
    broker,
    clickhouse,
    start,
    flurry: () => readAll(),
  });
  const processOptions: ProcessOptions = {
    world,
    broker,
    clickhouse,
    receivers,
    history,
    handed,
    partitions,
    limits,
    retentionMs: isLogSmall ? LONG_RETENTION_MS : RETENTION_MS,
    hotBytes: breaksRows ? 1 : undefined,
    onRefused: (record) => void refused.push(record),
    onTaken: (process) => chaos.onTaken(process),
    onTermEnd,
  };

  for (const machine of machines) start(machine);
  const isOver = (): boolean => calm || world.violation !== undefined;
  const busy = [...Array.from({ length: random.int(2, 4) }, () => clients.run(isOver)), chaos.run(isOver)];
  void rare.run(
    {
      broker,
      clickhouse,
      clients,
      operations,
      readAll,
      writeAll,
      makeWebhook: (process, key) => makeWebhook(world, process, key),
    },
    isOver,
  );
  const follower = createFollower(world, serving);
  void follower.run();
  changeDefinitions({ world, serving, done: isOver, players });
  await world.clock.run(() => world.violation !== undefined, lifeMs);

  calm = true;
  const calmTick = world.tick();
  chaos.heal();
  receivers?.heal();
  await waitForQuiet({
    world,
    broker,
    clickhouse,
    config,
    campaigns,
    machines,
    partitions,
    players,
    clients,
    operations,
    follower,
    delivers: receivers !== undefined,
    night: weather.kinds.includes('night') && world.random('last night').chance(0.3),
    busy,
  });
  if (world.violation !== undefined) return;

  checkCampaigns(world, observer, campaigns);
  checkTrials(world, observer, flags);
  for (let partition = 0; partition < partitions; partition++) {
    const log = checkLog({
      world,
      observer,
      history,
      config,
      flags,
      campaigns,
      campaignFactsPerCommand,
      partition,
      refused,
    });
    checkMemberships(world, config, log, observer);
    checkComputed(world, log, config.neededAt(Infinity));
    checkScheduled(world, log, campaigns, observer);
    const attempts = history.attempts.filter((attempt) => attempt.partition === partition);
    checkReplies(world, attempts, log, flags, config);
    checkExposed(world, attempts, log, { flags, observer, calmTick });
    // While FACTS was full, replies were sent without a record.
    if (!world.wasCaused('facts full', 0, Infinity)) checkServed(world, attempts, log);
    for (const { name, disk } of machines) {
      if (!disk.hasBrokenMark(partition)) checkStore(world, disk.stores.partition(partition), log, name);
    }
    checkRebuild(world, broker, clickhouse, partition, log, observer);
  }
  follower.check(observer);
  checkRows(world, clickhouse, observer);
  checkTrialRows(world, clickhouse, observer);
  checkDeliveries(world, broker, observer);
  if (receivers !== undefined) checkAttempts(world, receivers, observer);
}
