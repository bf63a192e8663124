import { partitionOf } from '../../src/kernel/partition.ts';
import type { CommitRecord } from '../../actors/facts.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { createMemoryBroker } from '../../streams/log-memory.ts';
import { createChaos, drawWeather, drawWriteFaults } from './chaos.ts';
import { checkLog } from './check-log.ts';
import { checkDeliveries, checkRebuild, checkRows, checkStore } from './check-outputs.ts';
import { checkReplies } from './check-replies.ts';
import { createClients } from './clients.ts';
import { changeDefinitions } from './definitions.ts';
import { createFakeClickhouse } from './fake-clickhouse.ts';
import { createHistory } from './history.ts';
import { observe } from './observer.ts';
import { createOperations } from './operations.ts';
import { createMachine, startProcess, type SimProcess } from './sim-process.ts';
import { waitForQuiet } from './quiet.ts';
import { createWorld, type Violation, type World } from './world.ts';

export interface SimulationResult {
  seed: number;
  violation: Violation | undefined;
  coverage: ReadonlyMap<string, number>;
  /** The same for every run of a seed. */
  traceHash: number;
}

/**
 * The simulation lives faster than the service: what would take minutes happens in seconds, so that a short life meets
 * snapshots, marks and trimming.
 */
Object.assign(LIMITS, { snapshotIntervalMs: 4_000, firstSnapshotMs: 1_000, trimMs: 3_000, matcherPositionMs: 300 });
const RETENTION_MS = 2_500;

/** One seed's life, from an empty broker to the verdict. With `onLine` its history is told. */
export async function simulate(seed: number, onLine?: (line: string) => void): Promise<SimulationResult> {
  const world = createWorld(seed, onLine);
  const result = (): SimulationResult => {
    const { violation, coverage, traceHash } = world;
    return { seed, violation, coverage, traceHash };
  };
  try {
    await live(world);
  } catch (error) {
    world.violate('no-exception', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return result();
}

async function live(world: World): Promise<void> {
  const random = world.random('shape');
  const partitions = random.int(1, 2);
  const machines = Array.from({ length: random.int(2, 3) }, (_, index) => createMachine(`n${index + 1}`));
  const players = Array.from({ length: random.int(2, 5) }, (_, index) => `player-${index + 1}`);
  const lifeMs = random.between(6_000, 22_000);
  const weather = drawWeather(random);
  const inPartition = (entityId: string): number => partitionOf(entityId, partitions);

  let calm = false;
  const broker = createMemoryBroker({ clock: world.clock, faults: drawWriteFaults(world, weather, () => calm) });
  const observer = observe(world, broker);
  const clickhouse = createFakeClickhouse(world);
  const history = createHistory(world);
  const refused: CommitRecord[] = [];
  const processOptions = {
    ...{ world, broker, clickhouse, history, partitions, retentionMs: RETENTION_MS },
    onRefused: (record: CommitRecord) => void refused.push(record),
  };
  const start = (machine: (typeof machines)[number]): void => {
    if (machine.process === undefined) startProcess(processOptions, machine);
  };
  const serving = (): SimProcess[] =>
    machines.flatMap(({ process }) => (process?.serving === undefined ? [] : process));
  const operations = createOperations({ random: world.random('operations'), players, partitionOf: inPartition });
  const clients = createClients({ world, history, operations, partitionOf: inPartition, serving });
  const chaos = createChaos({ world, weather, machines, broker, clickhouse, start });

  for (const machine of machines) start(machine);
  const isOver = (): boolean => calm || world.violation !== undefined;
  const busy = [...Array.from({ length: random.int(2, 4) }, () => clients.run(isOver)), chaos.run(isOver)];
  void changeDefinitions({ world, serving, done: isOver });
  await world.clock.run(() => world.violation !== undefined, lifeMs);

  calm = true;
  chaos.heal();
  await waitForQuiet({ world, broker, machines, partitions, players, clients, operations, busy });
  if (world.violation !== undefined) return;

  for (let partition = 0; partition < partitions; partition++) {
    const log = checkLog({ world, observer, history, partition, refused });
    checkReplies(
      world,
      history.attempts.filter((attempt) => attempt.partition === partition),
      log,
    );
    for (const { name, stores } of machines) checkStore(world, stores.partition(partition), log, name);
    checkRebuild(world, broker, clickhouse, partition, log);
  }
  checkRows(world, clickhouse, observer);
  checkDeliveries(world, broker, observer);
}
