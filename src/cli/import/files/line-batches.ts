import { IMPORT_LIMITS } from '../limits.ts';
import type { ReadLine } from './read-history.ts';

/** Joins arrays of lines up to a number of lines and a size of properties, so that their ids are looked up together. */
export async function* inBatches(lines: AsyncIterable<ReadLine[]>): AsyncGenerator<ReadLine[]> {
  let batch: ReadLine[] = [];
  let bytes = 0;
  for await (const some of lines) {
    for (const read of some) {
      batch.push(read);
      bytes += read.kind === 'fault' ? read.bytes.length : (read.item.event?.properties.length ?? 0);
    }
    if (batch.length < IMPORT_LIMITS.importBatchLines && bytes < IMPORT_LIMITS.importBatchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
