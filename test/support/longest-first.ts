import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest files, in this order. If they started last, each would run alone at the end. Files that wait much are
 * among those that compute much.
 */
export const LONGEST = [
  'test/e2e/start.test.ts',
  'test/e2e/console-story.test.ts',
  'test/sim/simulation.test.ts',
  'test/e2e/kills.test.ts',
  'test/e2e/sdk.test.ts',
  'test/e2e/segment-clients.test.ts',
  'test/e2e/campaigns.test.ts',
  'test/e2e/console-approvals.test.ts',
  'test/contract/http/game.test.ts',
  'test/long/e2e/image.test.ts',
  'test/long/e2e/faults.test.ts',
  'test/long/e2e/console-targeting.test.ts',
  'test/long/e2e/documentation.test.ts',
  'test/long/e2e/import.test.ts',
  'test/long/e2e/console-analytics.test.ts',
  'test/long/e2e/console-players.test.ts',
  'test/long/e2e/console-campaigns.test.ts',
  'test/long/e2e/console-team.test.ts',
  'test/long/e2e/console.test.ts',
  'test/long/e2e/processes.test.ts',
  'test/long/contract/http/slow-readers.test.ts',
  'test/long/contract/http/erasure.test.ts',
];

/** Vitest's order (by size on a fresh clone), with the slowest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((file) => moduleId.endsWith(file));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
