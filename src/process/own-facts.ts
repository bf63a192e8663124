import type { FactsRoom } from '../../streams/facts/facts-room.ts';
import type { Log } from '../../streams/log/log.ts';
import { createOwnAppends, type HandOver, watchAppends } from '../../streams/log/own-appends.ts';
import { type OpenReader, shareReader } from '../../streams/log/shared-reader.ts';
import { FACTS_PREFIX } from '../../streams/subjects.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';

/** The hand-over of what this process's owners append to FACTS. */
export interface OwnFacts extends HandOver {
  /** The log for the owners: their appends are handed over. */
  readonly log: Log;
  /** Opens a reader of FACTS on this thread. */
  readonly read: OpenReader;
  /** Sets how the number of partitions that this process leads is read. Until then there is no hand-over. */
  leads(partitions: () => number): void;
}

export interface OwnFactsOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  room: FactsRoom;
  /** Partitions of the deployment. */
  partitions: number;
  /** Other processes of this machine append to FACTS: this thread then gathers what it reads. */
  shared: boolean;
}

/** Connects the owners of a process with its sinks. */
export function handOverOwnFacts({ log, clock, logger, room, partitions, shared }: OwnFactsOptions): OwnFacts {
  let led = (): number => 0;
  const own = createOwnAppends({ clock, isAlone: () => led() === partitions });
  room.onPolled(({ lastSequence }) => own.observed(lastSequence));
  return {
    log: watchAppends(log, clock, FACTS_PREFIX, (record) => own.appended(record)),
    read: shareReader({
      log,
      clock,
      logger,
      stream: 'FACTS',
      handOver: own,
      ...(shared ? { gatherMs: PROCESS_LIMITS.sinksGatherMs } : {}),
    }),
    subscribe: (listener) => own.subscribe(listener),
    leads(read) {
      led = read;
    },
  };
}
