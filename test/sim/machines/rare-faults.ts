import { sleep } from '../../../core/kernel/clock.ts';
import { BACKEND_LIMITS } from '../../../src/gateway/backend/limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { ELECTION_MS } from './sim-limits.ts';
import { requestsSubject } from '../../../streams/subjects.ts';
import type { LeaderUse, MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { WriteFault } from '../../../streams/log/memory/connection.ts';
import type { Clients } from '../clients/clients.ts';
import type { Backup, FakeClickhouse } from './fake-clickhouse.ts';
import { UNDONE_WRITES } from './disk.ts';
import { createElections, type Source } from './elections.ts';
import { createNewerGateway } from './newer-version.ts';
import { isUnavailable } from '../clients/operation.ts';
import type { Operations } from '../clients/operations.ts';
import type { Machine, SimProcess } from './sim-process.ts';
import type { World } from '../world.ts';
import { strangerIdOf } from '../clients/player-ids.ts';

/**
 * Faults that most seeds do not have. They make their choices from random sequences of their own, so that a seed
 * without them runs as it would if they did not exist.
 */
export const RARE_FAULTS = [
  'disk refuses',
  'last writes lost',
  'broken mark',
  'election',
  'definitions late',
  'full while in doubt',
  'suspended',
  'answered, then lost',
  'newer commands',
  'clickhouse restored',
  'slow backlog',
  'small log',
  'webhook workers',
] as const;
export type RareFault = (typeof RARE_FAULTS)[number] | typeof BROKEN_ROWS;
/** Drawn apart from the others: seeds without it run as before it existed. */
export const BROKEN_ROWS = 'broken rows';

/** In lives without webhook workers deliveries stay due, and the quota of due ones would stop the matcher. */
const MOST_LATE_WEBHOOKS = 3;

/** The other kinds hold for a whole run. */
type Strike = Exclude<RareFault, 'small log' | 'webhook workers'>;

function isStrike(kind: RareFault): kind is Strike {
  return kind !== 'small log' && kind !== 'webhook workers';
}

/** The rare faults of a seed. */
export interface RareWeather {
  kinds: readonly RareFault[];
  /** Mean milliseconds between two of them. */
  everyMs: number;
}

const SHARE = 0.3;
const BROKEN_ROWS_SHARE = 0.04;

/** @param only the only faults of a run */
export function drawRareWeather(world: World, only?: readonly string[]): RareWeather {
  const weather = drawListed(world, only);
  const breaksRows = only?.includes(BROKEN_ROWS) ?? world.random(BROKEN_ROWS).chance(BROKEN_ROWS_SHARE);
  return breaksRows ? { ...weather, kinds: [...weather.kinds, BROKEN_ROWS] } : weather;
}

function drawListed(world: World, only?: readonly string[]): RareWeather {
  const random = world.random('rare faults');
  const everyMs = random.pick([800, 1_500, 3_000]);
  if (only !== undefined) return { kinds: RARE_FAULTS.filter((kind) => only.includes(kind)), everyMs };
  if (!random.chance(SHARE)) return { kinds: [], everyMs };
  const first = random.pick(RARE_FAULTS);
  return { kinds: random.chance(0.5) ? [first] : [first, random.pick(RARE_FAULTS)], everyMs };
}

export interface RareFaultsOptions {
  world: World;
  weather: RareWeather;
  machines: readonly Machine[];
  partitions: number;
  setFactsRoom: (room: 'none' | 'plenty') => void;
}

/** What scripted faults use besides the machines; it exists only after the broker. */
export interface RareTools {
  broker: MemoryBroker;
  clickhouse: FakeClickhouse;
  clients: Clients;
  operations: Operations;
  makeWebhook: (process: SimProcess, key: string) => void;
  /** Reads every player, through one process. */
  readAll: (process: SimProcess) => void;
  /** Tracks an event of every player. */
  writeAll: () => void;
}

export interface RareFaults {
  /** The fault of a write to a stream or bucket; `undefined`: none of these. */
  faultOf(source: Source, client: string): WriteFault | undefined;
  leaderInMs(source: Source, client: string, use: LeaderUse): number;
  run(tools: RareTools, done: () => boolean): Promise<void>;
  /** Ends all of them, for good. */
  heal(): void;
}

const SOURCES: readonly Source[] = ['FACTS', 'FACTS', 'REQUESTS', 'OWNERS', 'POSITIONS', 'CONFIG', 'DELIVERIES'];

/** The time-out of an owner's append, and its pause before it sends it again (actors/runtime/term/fenced-append.ts). */
const UNANSWERED_MS = 2_000;
const AGAIN_MS = 50;
const NIGHT_MS = 25 * 60 * 60 * 1000;

export function createRareFaults({
  world,
  weather,
  machines,
  partitions,
  setFactsRoom,
}: RareFaultsOptions): RareFaults {
  const random = world.random('rare faults/strikes');
  const newerMessage = createNewerGateway(world.random('rare faults/newer'));
  const kinds = weather.kinds.filter(isStrike);
  const elections = createElections(world, world.random('rare faults/elections'));
  /** Machine and partition. */
  const withBrokenRows = new Set<string>();
  let calm = false;
  /** Decides about the next write to a source, once. */
  let next: { source: Source; client: string | undefined; fault: () => WriteFault } | undefined;
  let scripts = 0;
  let lateWebhooks = 0;
  /** The latest backup of ClickHouse, and the way back from it. */
  let backup: Backup | undefined;
  let undoRestore: (() => void) | undefined;

  const later = (delayMs: number, act: () => void): void => {
    world.clock.timer(delayMs, () => {
      if (!calm) act();
    });
  };
  const running = (): SimProcess[] => machines.flatMap(({ process }) => process ?? []);
  const serving = (): SimProcess[] => running().filter((process) => process.serving !== undefined);

  function disconnect(process: SimProcess, outageMs: number): void {
    process.log.disconnect('lose');
    world.cause('away', outageMs);
    world.clock.timer(outageMs, () => process.log.reconnect());
  }

  function refuseWrites(machine: Machine): void {
    const forLong = random.chance(0.3);
    const durationMs = forLong ? 30_000 : random.between(300, 6_000);
    machine.disk.refuses = true;
    world.cause('disk', durationMs);
    world.cover(`disk refuses ${forLong ? 'for good' : 'for a while'}`);
    later(durationMs, () => {
      machine.disk.refuses = false;
    });
  }

  /** Kills the machine's process and damages its disk before the next one starts. */
  function crash(machine: Machine, damage: () => void): void {
    machine.process?.kill();
    damage();
  }

  /**
   * Rows of an owner's store cannot be read any more. Then a command, a query, a timer or anything else meets them. A
   * store is discarded once in ten minutes, so this happens once to each.
   */
  function breakRows({ readAll, writeAll }: RareTools): void {
    const owners = machines.filter(({ process }) => (process?.led ?? 0) > 0);
    if (owners.length === 0) return;
    const machine = random.pick(owners);
    const { process } = machine;
    const partition = random.int(0, partitions - 1);
    const name = `${machine.name}/${partition}`;
    const isAll = random.chance(0.5);
    if (process === undefined || withBrokenRows.has(name)) return;
    if (!machine.disk.breakRows(partition, (ids) => (isAll ? ids : [random.pick(ids)]))) return;
    withBrokenRows.add(name);
    world.cause('broken rows', Infinity);
    world.cover('rows of an owner broken');
    const meets = random.pick(['command', 'query', 'timer']);
    if (meets === 'command') writeAll();
    else if (meets === 'query') readAll(process);
    else passNight();
  }

  /** Most timers are due after it. */
  function passNight(): void {
    world.cover('fault: a night for timers');
    world.clock.jumpWall(NIGHT_MS);
    world.cause('clock', BACKEND_LIMITS.commandDeadlineMs);
  }

  /**
   * An append stays under way for longer than its sender waits, FACTS is full when the sender repeats it, and has room
   * again when the first copy arrives.
   */
  function fullWhileInDoubt(): void {
    next = {
      source: 'FACTS',
      client: undefined,
      fault() {
        later(UNANSWERED_MS + AGAIN_MS / 2, () => setFactsRoom('none'));
        later(UNANSWERED_MS + AGAIN_MS + random.between(3, 8), () => setFactsRoom('plenty'));
        return { requestDelayMs: UNANSWERED_MS + AGAIN_MS + random.between(10, 40) };
      },
    };
  }

  /** A suspended machine resumes as it was, with a wall clock that was set back. */
  function suspend({ readAll }: RareTools): void {
    const owners = running().filter((process) => process.led > 0);
    if (owners.length === 0) return;
    const owner = random.pick(owners);
    owner.clock.suspend();
    world.cause('away', 9_000);
    later(random.between(4_000, 9_000), () => {
      const backMs = random.pick([-60_000, -20_000]);
      const durationMs = random.between(300, 3_000);
      world.wallClockWrong(durationMs);
      owner.clock.setWall(backMs);
      later(durationMs, () => owner.clock.setWall(0));
      owner.clock.resume();
      readAll(owner);
    });
  }

  /** An owner ends, and its successors read the commands that waited only when timers are due. */
  function slowBacklog({ writeAll }: RareTools): void {
    const owner = running().find((process) => process.led > 0);
    if (owner === undefined) return;
    const isOrderly = random.chance(0.5);
    for (const process of running()) {
      const delayMs = random.between(1_500, 3_500) + (isOrderly ? 0 : SHARED_LIMITS.leaseMs);
      elections.delayConsumers('REQUESTS', delayMs, process.name);
    }
    if (isOrderly) stopInOrder(owner);
    else owner.kill();
    later(random.between(1, 50), writeAll);
  }

  function stopInOrder(process: SimProcess): void {
    void process.stop();
    world.clock.timer(10_000, () => process.kill());
  }

  /**
   * ClickHouse is replaced by a backup that takes no writes. An operator notices after some seconds, and brings the
   * right one back.
   */
  function restoreClickhouse({ clickhouse }: RareTools): void {
    if (undoRestore !== undefined) return;
    const current = clickhouse.backUp();
    world.cause('clickhouse restored', Infinity);
    if (backup !== undefined) clickhouse.restore(backup);
    clickhouse.readOnly = true;
    undoRestore = () => {
      clickhouse.restore(current);
      clickhouse.readOnly = false;
      world.endCause('clickhouse restored');
      undoRestore = undefined;
    };
    backup = current;
    later(random.between(500, 9_000), () => undoRestore?.());
  }

  /** One process sees the creation of a webhook late. */
  function definitionsLate({ makeWebhook }: RareTools): void {
    const processes = serving();
    const maker = processes.length > 1 ? random.pick(processes) : undefined;
    if (maker === undefined || lateWebhooks >= MOST_LATE_WEBHOOKS) return;
    lateWebhooks += 1;
    for (const process of running()) {
      if (process === maker || random.chance(0.3)) continue;
      elections.begin('CONFIG', random.between(500, 6_000), process.name);
    }
    makeWebhook(maker, `webhook-late-${++scripts}`);
  }

  /**
   * A request without effect is answered without a record, its publisher does not learn that REQUESTS had it, and
   * REQUESTS is lost together with the owner. Then the player that the request missed is registered.
   */
  async function answeredThenLost({ broker, clients, operations }: RareTools): Promise<void> {
    const owner = running().find((process) => process.led > 0);
    const [gateway, other] = serving().filter((process) => process !== owner);
    if (owner === undefined || gateway === undefined || other === undefined) return;
    const playerId = strangerIdOf(++scripts);
    next = { source: 'REQUESTS', client: gateway.name, fault: () => 'lose_ack' };
    const outcome = await clients.perform(operations.patch(playerId), gateway);
    if (calm || outcome === 'lost' || outcome.kind !== 'failure' || isUnavailable(outcome)) return;
    world.cover('answered, then lost');
    if (gateway.clock.state !== 'running' || other.clock.state !== 'running') return;
    stopInOrder(owner);
    disconnect(gateway, random.between(800, 3_000));
    disconnect(other, random.between(5, 50));
    broker.wipe('REQUESTS', random.pick(['new', 'same']));
    await clients.perform(operations.register(playerId), other);
  }

  function strike(kind: Strike, machine: Machine, tools: RareTools): void {
    switch (kind) {
      case 'disk refuses':
        refuseWrites(machine);
        return;
      case 'last writes lost':
        crash(machine, () => void machine.disk.loseLastWrites(random.int(1, UNDONE_WRITES)));
        return;
      case 'broken mark':
        crash(machine, () => void machine.disk.breakMark(random.int(0, partitions - 1)));
        return;
      case BROKEN_ROWS:
        breakRows(tools);
        return;
      case 'election':
        world.cause('away', ELECTION_MS);
        elections.begin(random.pick(SOURCES), random.between(100, random.chance(0.5) ? 1_000 : ELECTION_MS));
        return;
      case 'definitions late':
        definitionsLate(tools);
        return;
      case 'full while in doubt':
        fullWhileInDoubt();
        return;
      case 'suspended':
        suspend(tools);
        return;
      case 'answered, then lost':
        void answeredThenLost(tools);
        return;
      case 'clickhouse restored':
        restoreClickhouse(tools);
        return;
      case 'slow backlog':
        slowBacklog(tools);
        return;
      case 'newer commands':
        // They wait in REQUESTS until their partition has an owner.
        world.cause('newer version', Infinity);
        tools.broker
          .stream('REQUESTS')
          .append(requestsSubject(random.int(0, partitions - 1)), newerMessage(world.clock.wallMs()));
        return;
    }
  }

  function planned(source: Source, client: string): WriteFault | undefined {
    if (next === undefined || next.source !== source || (next.client ?? client) !== client) return undefined;
    const { fault } = next;
    next = undefined;
    return fault();
  }

  return {
    faultOf: (source, client) => (calm ? undefined : (planned(source, client) ?? elections.faultOf(source, client))),
    leaderInMs: (source, client, use) => elections.remainingMs(source, client, use),
    async run(tools, done) {
      if (kinds.includes('clickhouse restored')) backup = tools.clickhouse.backUp();
      while (!done() && kinds.length > 0) {
        await sleep(world.clock, random.between(0, 2 * weather.everyMs));
        if (done()) return;
        const kind = random.pick(kinds);
        const machine = random.pick(machines);
        world.cover(`fault: ${kind}`);
        world.note(5, () => `! ${kind} ${machine.process?.name ?? machine.name}`);
        strike(kind, machine, tools);
      }
    },
    heal() {
      calm = true;
      undoRestore?.();
      elections.end();
      for (const { disk } of machines) disk.refuses = false;
    },
  };
}
