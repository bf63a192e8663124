import { createDisk } from './disk.ts';
import type { Quartz } from './sim-clock.ts';
import { ALL_ROLES, type Machine, type Role } from './sim-process.ts';
import type { World } from '../world.ts';

/** Shares of seeds whose machines differ from each other. */
const SPLIT_SHARE = 0.06;
const DRIFT_SHARE = 0.06;
const SPLITS: readonly (readonly Role[])[] = [
  ['gateway'],
  ['actors'],
  ['sinks'],
  ['gateway', 'actors'],
  ['actors', 'sinks'],
  ['gateway', 'sinks'],
  ALL_ROLES,
];
/** Two clocks that drift apart this much still differ by less than a lease's margin over one lease. */
const DRIFT = 0.02;
const MOST_OFFSET_MS = 400;

/**
 * The machines of a seed. In some seeds their roles differ, in some their clocks.
 * @param areEqual whether they must not differ
 */
export function createMachines(world: World, count: number, areEqual: boolean): Machine[] {
  const random = world.random('machines');
  const splits = !areEqual && random.chance(SPLIT_SHARE);
  const drifts = !areEqual && random.chance(DRIFT_SHARE);
  const quartz = (): Quartz => ({
    rate: 1 + random.between(-DRIFT, DRIFT),
    wallOffsetMs: random.int(-MOST_OFFSET_MS, MOST_OFFSET_MS),
  });
  const machines = Array.from({ length: count }, (_, index): Machine => {
    const machine = { name: `n${index + 1}`, disk: createDisk(), incarnations: 0, process: undefined };
    return {
      ...machine,
      roles: new Set(splits ? random.pick(SPLITS) : ALL_ROLES),
      quartz: drifts ? quartz() : undefined,
    };
  });
  const [first] = machines;
  const isComplete = ALL_ROLES.every((role) => machines.some(({ roles }) => roles.has(role)));
  if (first !== undefined && !isComplete) first.roles = new Set(ALL_ROLES);
  if (splits) world.cover('roles are split');
  if (drifts) {
    world.cover('fault: clocks drift');
    world.wallClockWrong(Infinity);
  }
  return machines;
}
