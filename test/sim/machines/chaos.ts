import { sleep } from '../../../core/kernel/clock.ts';
import { BACKEND_LIMITS } from '../../../src/gateway/backend/limits.ts';
import { STREAMS } from '../../../streams/log/stream-definitions.ts';
import type { MemoryBroker, MemoryFaults } from '../../../streams/log/memory/log-memory.ts';
import type { WriteFault } from '../../../streams/log/memory/connection.ts';
import type { FakeClickhouse } from './fake-clickhouse.ts';
import type { Random } from '../random.ts';
import { createDisk } from './disk.ts';
import type { RareFault, RareFaults } from './rare-faults.ts';
import type { Machine, SimProcess } from './sim-process.ts';
import { TOUCH_POINTS } from './touch-points.ts';
import type { World } from '../world.ts';

/** Every kind of fault. A seed uses some of them, each with its own frequency. */
const FAULTS = [
  'crash',
  'crash at a touch point',
  'orderly stop',
  'empty disk',
  'pause',
  'handover',
  'disconnect',
  'broker restart',
  'requests lost',
  'wall clock off',
  'night',
  'facts full',
  'clickhouse trouble',
] as const;
type CommonFault = (typeof FAULTS)[number];
export type FaultKind = CommonFault | RareFault;

/** The faults of a seed, and how unreliable its writes are. */
export interface Weather {
  kinds: readonly CommonFault[];
  /** Share of writes that fail in transit. */
  writeFaults: number;
  /** Mean milliseconds between two faults. */
  everyMs: number;
}

/** @param only the only faults to use, for a run that needs a rare one */
export function drawWeather(random: Random, only?: readonly FaultKind[]): Weather {
  return {
    kinds: FAULTS.filter((kind) => (only === undefined ? random.chance(0.5) : only.includes(kind))),
    writeFaults: random.chance(0.6) ? random.pick([0.02, 0.06, 0.15, 0.3]) : 0,
    everyMs: random.pick([700, 1_500, 3_000]),
  };
}

/** Decides what happens to single writes. `calm` ends all faults of writes. */
export function drawWriteFaults(world: World, weather: Weather, rare: RareFaults, calm: () => boolean): MemoryFaults {
  const random = world.random('network');
  function fault(what: string): WriteFault {
    if (calm() || !random.chance(weather.writeFaults)) return 'deliver';
    const kind = random.pick(['lose_ack', 'lose_request', 'duplicate', 'late request', 'late ack'] as const);
    // The broker receives an ordinary write once. Only a write that its sender repeats in doubt may arrive twice:
    // then a refusal of the second copy decides nothing.
    if (kind === 'duplicate' && weather.kinds.includes('facts full')) return 'deliver';
    world.cover(`${what}: ${kind}`);
    if (kind === 'late request') return { requestDelayMs: lateMs(random) };
    if (kind === 'late ack') return { ackDelayMs: lateMs(random) };
    return kind;
  }
  return {
    onAppend: ({ stream, client }) => rare.faultOf(stream, client) ?? fault(stream),
    onBucketWrite: ({ bucket, client }) => rare.faultOf(bucket, client) ?? fault(bucket),
    leaderInMs: (source, client, use) => rare.leaderInMs(source, client, use),
    latencyMs: () => (random.chance(0.02) ? random.between(5, 80) : random.between(0.1, 2)),
  };
}

const lateMs = (random: Random): number => random.between(1, random.chance(0.3) ? 9_000 : 900);

export interface ChaosOptions {
  world: World;
  /** The usual size of FACTS. */
  factsBytes: number;
  weather: Weather;
  machines: readonly Machine[];
  rare: RareFaults;
  broker: MemoryBroker;
  clickhouse: FakeClickhouse;
  start: (machine: Machine) => void;
  /** Opens several readers at once. */
  flurry: () => void;
}

/** Causes faults until it is stopped, then repairs everything. */
export interface Chaos {
  run(done: () => boolean): Promise<void>;
  /** Reports that a process has taken over a partition. */
  onTaken(process: SimProcess): void;
  /** Leaves FACTS no free byte, or as many as usual. */
  setFactsRoom(room: 'none' | 'plenty'): void;
  heal(): void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Lets days pass at once: usually one, sometimes enough for players to become at risk or churned. */
const NIGHTS = [1.04, 1.04, 1.04, 7.5, 45];

export function createChaos(options: ChaosOptions): Chaos {
  const { world, factsBytes, weather, machines, rare, broker, clickhouse, start, flurry } = options;
  const random = world.random('chaos');
  /** Paused processes whose connection broke meanwhile. They notice it when they resume. */
  const brokenMeanwhile = new Set<SimProcess>();
  /** An owner that is paused until another owner has taken over, and then resumes at the worst moment. */
  let sleeper: SimProcess | undefined;
  let calm = false;

  const running = (): SimProcess[] => machines.flatMap(({ process }) => process ?? []);
  const later = (fromMs: number, toMs: number, fn: () => void): void => {
    world.clock.timer(random.between(fromMs, toMs), () => {
      if (!calm) fn();
    });
  };
  function setRoom(maxBytes: number): void {
    Object.assign(broker.stream('FACTS').definition, { maxBytes });
    world.endCause('facts full');
    if (maxBytes < STREAMS.FACTS.maxBytes) world.cause('facts full', Infinity);
  }
  /** A process is paused, or cannot reach the broker, for this long. */
  const isAway = (durationMs: number): void => world.cause('away', durationMs);

  function restart(machine: Machine): void {
    later(50, random.chance(0.7) ? 1_500 : 8_000, () => {
      if (machine.process === undefined) start(machine);
    });
  }

  function disconnect(process: SimProcess, outageMs: number): void {
    if (process.clock.state === 'paused') brokenMeanwhile.add(process);
    else process.log.disconnect(random.chance(0.5) ? 'deliver' : 'lose');
    isAway(outageMs);
    world.clock.timer(outageMs, () => process.log.reconnect());
  }

  function resume(process: SimProcess): void {
    if (brokenMeanwhile.delete(process)) {
      process.log.disconnect('deliver');
      world.clock.timer(random.between(1, 300), () => process.log.reconnect());
    }
    process.clock.resume();
  }

  function strike(kind: CommonFault, machine: Machine, process: SimProcess): void {
    switch (kind) {
      case 'crash':
        process.kill();
        return;
      case 'crash at a touch point':
        process.at(random.chance(0.4) ? 'any' : random.pick(TOUCH_POINTS), random.int(1, 25), () => process.kill());
        return;
      case 'orderly stop':
        void process.stop();
        world.clock.timer(10_000, () => process.kill());
        return;
      case 'empty disk':
        process.kill();
        machine.disk = createDisk();
        return;
      case 'pause':
        process.clock.pause();
        isAway(9_000);
        later(50, random.chance(0.5) ? 1_000 : 9_000, () => resume(process));
        return;
      case 'handover': {
        const owners = running().filter(({ led }) => led > 0);
        if (owners.length === 0) return;
        const owner = random.pick(owners);
        const sleep = (): void => {
          if (calm) return;
          sleeper = owner;
          owner.clock.pause();
          isAway(12_000);
          later(7_000, 12_000, () => resume(owner));
        };
        if (random.chance(0.5)) sleep();
        else owner.at('append to FACTS sent', 1, sleep);
        return;
      }
      case 'disconnect':
        disconnect(process, random.between(5, random.chance(0.6) ? 800 : 7_000));
        return;
      case 'broker restart':
      case 'requests lost':
        for (const each of running()) disconnect(each, random.between(20, 2_000));
        if (kind === 'requests lost') broker.wipe('REQUESTS', random.pick(['new', 'same']));
        return;
      case 'wall clock off': {
        const durationMs = random.between(300, 6_000);
        process.clock.setWall(random.pick([-60_000, -4_000, -700, 700, 4_000, 60_000]));
        world.wallClockWrong(durationMs);
        later(durationMs, durationMs, () => process.clock.setWall(0));
        return;
      }
      case 'night':
        if (!random.chance(0.3)) return;
        world.clock.jumpWall(random.pick(NIGHTS) * DAY_MS);
        // What the broker stored before the night and a process reads after it looks like a wrong clock.
        world.cause('clock', BACKEND_LIMITS.commandDeadlineMs);
        return;
      case 'facts full':
        setRoom(broker.stream('FACTS').bounds().sizeBytes + random.int(0, 2_000));
        later(300, 5_000, () => setRoom(factsBytes));
        return;
      case 'clickhouse trouble':
        clickhouse.mood = random.pick(['slow', 'away', 'crashing', 'crashing']);
        world.cause('clickhouse', Infinity);
        later(500, 9_000, () => {
          clickhouse.mood = 'well';
          world.endCause('clickhouse');
        });
        return;
    }
  }

  /**
   * The successor is paused soon after its take-over. The former owner resumes and may believe that it still owns the
   * partition.
   */
  function handOver(old: SimProcess, successor: SimProcess): void {
    later(10, random.chance(0.5) ? 300 : 1_500, () => {
      world.cover('handover: the successor falls silent, the old owner wakes');
      if (random.chance(0.3)) successor.kill();
      else successor.clock.pause();
      isAway(6_000);
      flurry();
      later(300, 6_000, () => resume(successor));
      later(2, 400, () => resume(old));
    });
  }

  return {
    setFactsRoom(room) {
      if (!calm) setRoom(room === 'none' ? broker.stream('FACTS').bounds().sizeBytes : factsBytes);
    },
    onTaken(process) {
      const old = sleeper;
      if (old === undefined || old === process || old.clock.state !== 'paused') return;
      sleeper = undefined;
      handOver(old, process);
    },
    async run(done) {
      while (!done()) {
        await sleep(world.clock, random.between(0, 2 * weather.everyMs));
        for (const machine of machines) if (machine.process === undefined && random.chance(0.9)) restart(machine);
        const machine = random.pick(machines);
        if (done() || weather.kinds.length === 0 || machine.process === undefined) continue;
        const kind = random.pick(weather.kinds);
        world.cover(`fault: ${kind}`);
        world.note(3, () => `! ${kind} ${machine.process?.name ?? ''}`);
        strike(kind, machine, machine.process);
      }
    },
    heal() {
      calm = true;
      world.note(4, () => '! all faults are repaired');
      clickhouse.mood = 'well';
      world.endCause('clickhouse');
      rare.heal();
      setRoom(factsBytes);
      for (const machine of machines) {
        const { process } = machine;
        if (process === undefined) {
          start(machine);
          continue;
        }
        // A process that is stopping in order may still end.
        void process.gone.then(() => start(machine));
        process.at('any', Infinity, () => {});
        process.clock.setWall(0);
        if (process.clock.state === 'paused') resume(process);
        world.clock.timer(random.between(1, 300), () => process.log.reconnect());
      }
    },
  };
}
