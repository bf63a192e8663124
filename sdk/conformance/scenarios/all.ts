import type { ClientKind } from '../client.ts';
import type { Scenario } from '../scenario.ts';
import { createWorld } from '../world.ts';
import { advice } from './advice.ts';
import { answers } from './answers.ts';
import { device } from './device.ts';
import { flags } from './flags.ts';
import { network } from './network.ts';
import { sessions } from './sessions.ts';
import { storage } from './storage.ts';

const scenarios: readonly Scenario[] = [
  ...answers,
  ...advice,
  ...flags,
  ...network,
  ...sessions,
  ...device,
  ...storage,
];

/** Plays one scenario with a new client in a folder of its own. Throws if the client fails it. */
export async function play(scenario: Scenario, kind: ClientKind): Promise<void> {
  const world = await createWorld(kind);
  try {
    await scenario.run(world);
  } finally {
    await world.close();
  }
}

/** The scenarios for this client. */
export function scenariosFor({ features }: ClientKind): Scenario[] {
  return scenarios.filter(({ needs }) => needs === undefined || features.includes(needs));
}
