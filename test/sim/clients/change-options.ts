import type { SimProcess } from '../machines/sim-process.ts';
import type { World } from '../world.ts';

export interface ChangeOptions {
  world: World;
  serving: () => readonly SimProcess[];
  done: () => boolean;
  players: readonly string[];
}
