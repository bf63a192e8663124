import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleEvent } from './sample-event.ts';

/** Kinds of requests that bring events. */
export type WorkloadKind = 'single' | 'batch';

/** One shape of request, and enough different bodies of it that no two in a row are of the same players. */
export interface Workload {
  path: string;
  /** 0 for requests that bring none. */
  eventsPerRequest: number;
  /** One body per line: what both load generators read. */
  bodiesFile: string;
  /** The first of them, for a probe. */
  sample: string;
}

/** Different batches prepared; each player is in several. */
const BATCHES = 500;

/**
 * Writes the bodies of single events, one per player, and of batches, whose events walk over all players.
 * @param folder where the files go
 */
export function prepareWorkloads(
  folder: string,
  playerIds: readonly string[],
  batchSize: number,
): Record<WorkloadKind, Workload> {
  const event = (turn: number) => sampleEvent(playerIds[turn % playerIds.length] ?? '', turn);
  const singles = playerIds.map((_, index) => JSON.stringify(event(index)));
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    JSON.stringify({ events: Array.from({ length: batchSize }, (_, index) => event(batch * batchSize + index)) }),
  );
  return {
    single: workload('single', '/v1/events/events', 1, singles),
    batch: workload('batch', '/v1/events/events/batch', batchSize, batches),
  };

  function workload(kind: WorkloadKind, path: string, eventsPerRequest: number, bodies: string[]): Workload {
    const bodiesFile = join(folder, `${kind}.jsonl`);
    writeFileSync(bodiesFile, bodies.join('\n'));
    return { path, eventsPerRequest, bodiesFile, sample: bodies[0] ?? '' };
  }
}
