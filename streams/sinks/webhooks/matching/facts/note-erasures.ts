import { type Clock, sleep } from '../../../../../core/kernel/clock.ts';
import type { Logger } from '../../../../../core/kernel/logger.ts';
import { noteErasure } from '../../../../facts/erasures.ts';
import type { Log } from '../../../../log/log.ts';
import type { RecordPlace } from '../../../../../core/vocabulary/records/fact-place.ts';
import type { CommitRecord } from '../../../../../core/vocabulary/facts/commit-record.ts';

export interface NoteErasuresOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  /** Checked before every attempt; once true, the write is given up. */
  givenUp: () => boolean;
}

const RETRY_MS = 1_000;

/** Writes the erasures of a record to the bucket ERASURES, with retries: workers then drop waiting deliveries. */
export async function noteErasures(
  { log, clock, logger, givenUp }: NoteErasuresOptions,
  record: CommitRecord,
  place: RecordPlace,
): Promise<void> {
  for (const [index, fact] of record.facts.entries()) {
    if (fact.kind !== 'PlayerErased') continue;
    while (!givenUp()) {
      const outcome = await noteErasure(log, fact.entityId, { ...place, index, erasedAt: fact.at });
      if (outcome.kind === 'written') break;
      logger.warn({ outcome }, 'webhooks: writing an erasure failed; retrying');
      await sleep(clock, RETRY_MS);
    }
  }
}
