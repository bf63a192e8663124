import { beforeAll, describe, expect, it } from 'vitest';
import { runSeeds, type SeedsRun } from '../run-seeds.ts';

/** `npm run sim -- --merges --seeds 2000` runs more. */
const SEEDS = 20;
const MUST_MEET = [
  'fact PlayerAbsorbed',
  'fact MergeFinished',
  'fact GuestReleased',
  'fact PlayerUnmerged',
  'fact MergeSettled',
  'chaos: a gateway is killed',
  'network: a command is late',
  'network: a reply is lost',
  'reply SERVICE_UNAVAILABLE',
];

describe('merges of players with kills and a faulty network', () => {
  let run: SeedsRun;
  beforeAll(async () => {
    run = await runSeeds({ from: 1, count: SEEDS, workers: 2, simulation: 'merges', enough: 5 });
  });

  it(`lose nothing and count nothing twice in ${SEEDS} runs (npm run sim -- --merges --seed S prints one)`, () => {
    expect(run.violations).toEqual([]);
    expect(run.seeds).toBe(SEEDS);
  });

  it('meet every step and fault', () => {
    expect(MUST_MEET.filter((what) => !run.coverage.has(what))).toEqual([]);
  });
});
