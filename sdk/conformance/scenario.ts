import type { Feature } from './client.ts';
import type { World } from './world.ts';

/** A story of one device. It throws when the client does something else than it should. */
export interface Scenario {
  /** What the client does, as a sentence. */
  readonly name: string;
  readonly needs?: Feature;
  run(world: World): Promise<void>;
}
