import { createRowBatch } from '../clickhouse-schema/rows/row-batch.ts';
import { pairsCase, type Pair } from './lib/figures/pairs.ts';
import { sampleCommit } from './lib/service/samples/sample-records.ts';

const FACTS = 1_000;
/** When the FACTS stream was created: part of a position. */
const STREAM = '2026-01-15T10:00:00Z';

export const rows = pairsCase('rows', "Make ClickHouse's rows of facts, beside JSON.stringify: per row.", rowPairs);

/**
 * From a decoded record to the bytes of an insert, beside the plain JSON of its facts; per row. As in the sink, a batch
 * reuses the memory of the one before.
 */
function rowPairs(): Pair[] {
  const record = sampleCommit(FACTS);
  const batch = createRowBatch();
  return [
    {
      name: `rows of a record of ${FACTS} events`,
      work: {
        operations: FACTS,
        run() {
          batch.clear();
          batch.add(record, { stream: STREAM, sequence: 77 });
          return batch.blocks();
        },
      },
      reference: {
        operations: FACTS,
        run: () => Buffer.from(record.facts.map((fact) => JSON.stringify(fact)).join('\n')),
      },
      referenceName: 'JSON.stringify of the facts',
    },
  ];
}
