import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files, in this order. If they started last, each would run alone at the end. */
export const LONGEST = [
  'test/e2e/faults.test.ts',
  'test/sim/simulation.test.ts',
  'test/e2e/start.test.ts',
  'test/contract/http/erasure.test.ts',
  'test/contract/http/slow-readers.test.ts',
  'test/contract/clickhouse/embedded-clickhouse.test.ts',
  'test/contract/clickhouse/embedded-clickhouse-fuzz.test.ts',
  'test/contract/http/event-query.test.ts',
  'test/contract/http/proxies.test.ts',
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
