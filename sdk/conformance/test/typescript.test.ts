import { describe, it } from 'vitest';
import { play, scenariosFor } from '../scenarios/all.ts';
import { typescriptClient } from '../typescript-client.ts';

/* The scenarios that every game client has to pass; `npm run conformance` plays them to the others. */

describe('the game client', () => {
  for (const scenario of scenariosFor(typescriptClient)) {
    it(scenario.name, () => play(scenario, typescriptClient), 120_000);
  }
});
