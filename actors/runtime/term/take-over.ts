import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { decodeCommit, encodeCommit } from '../../../core/codec/codec.ts';
import { factsSubject } from '../../../streams/subjects.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { Entities } from './entities.ts';
import { appendFenced } from './fenced-append.ts';
import type { Follower } from '../rebuild/follower.ts';
import type { CommitRecord, RequestPosition } from '../../../core/vocabulary/facts/commit-record.ts';

/** A partition's state right after the barrier of its new owner. */
export interface TakenOver {
  kind: 'taken';
  /** Sequence of the barrier: the epoch. */
  epoch: number;
  entities: Entities;
  position: RequestPosition | null;
  factsCreated: string;
}

export interface TakeOverOptions {
  partition: number;
  /** Our incarnation. */
  owner: string;
  log: Log;
  clock: Clock;
  /** Has prepared the partition: the barrier follows at once. */
  follower: Follower;
  config: Pick<ConfigStore, 'revision' | 'seen'>;
  logger: Logger;
  stopped: () => boolean;
}

interface NotTaken {
  kind: 'deposed' | 'stopped' | 'unprepared' | 'behind';
}

/**
 * Takes a prepared partition over: appends the barrier, so that older owners can no longer append, then folds the few
 * records up to it. Makes no decisions. `deposed`: FACTS changed, so the partition must be prepared again.
 * `unprepared`: the follower ended by itself before the barrier, and reports why. `behind`: see `reached`. Rejects when
 * the store fails later.
 */
export async function takeOver(options: TakeOverOptions): Promise<TakenOver | NotTaken> {
  const followed = await options.follower.take();
  if (followed === undefined) return { kind: 'unprepared' };
  const { entities, factsCreated } = followed;
  try {
    const barrier = await appendBarrier(options, factsCreated);
    if (barrier.kind !== 'appended') return barrier;
    const folded = await followed.foldUpTo(barrier.epoch, options.stopped);
    if (folded !== 'done') return { kind: folded === 'reset' ? 'deposed' : 'stopped' };
    return { kind: 'taken', epoch: barrier.epoch, entities, position: barrier.position, factsCreated };
  } finally {
    followed.stop();
  }
}

type Barrier =
  | { kind: 'appended'; epoch: number; position: RequestPosition | null }
  | { kind: 'deposed' | 'stopped' | 'behind' };

/** Appends an empty record after the subject's last one, with the position of that record. */
async function appendBarrier(options: TakeOverOptions, factsCreated: string): Promise<Barrier> {
  const { log, clock, partition, owner, config, stopped } = options;
  const subject = factsSubject(partition);
  while (!stopped()) {
    const { created } = await log.info('FACTS');
    if (created !== factsCreated) return { kind: 'deposed' };
    const last = await log.last('FACTS', subject);
    const { position, configRevision } = last === undefined ? FIRST : decodeCommit(last.data);
    if (!(await reached(configRevision, options))) return { kind: stopped() ? 'stopped' : 'behind' };
    const record: CommitRecord = {
      partition,
      epoch: 0,
      owner,
      committedAt: clock.wallMs(),
      position,
      configRevision: config.revision,
      facts: [],
    };
    const outcome = await appendFenced({
      log,
      clock,
      subject,
      data: encodeCommit(record),
      expectedLastSequence: last?.sequence ?? 0,
      factsCreated,
      stopped,
    });
    if (outcome.kind === 'committed') return { kind: 'appended', epoch: outcome.sequence, position };
    // An older owner appended in between, or the stream is full: read the last record and try again.
    await sleep(clock, BARRIER_RETRY_MS);
  }
  return { kind: 'stopped' };
}

const BARRIER_RETRY_MS = 100;
const FIRST = { position: null, configRevision: 0 };

/**
 * Waits for the definitions of the partition's last record, so that those of its records never get older: an owner
 * would take an experiment that it does not know yet for one that has ended. If CONFIG itself holds only older ones, it
 * was put back to another moment than FACTS; waiting would not help.
 */
async function reached(wanted: number, { config, log, partition, logger }: TakeOverOptions): Promise<boolean> {
  if (wanted <= config.revision) return true;
  const stored = await log.bucket('CONFIG').latest();
  if (stored < wanted) logger.error({ partition, wanted, stored }, CONFIG_PUT_BACK);
  const least = Math.min(wanted, stored);
  return least <= config.revision || config.seen(least, CONFIG_LIMITS.configWaitMs);
}

const CONFIG_PUT_BACK = 'CONFIG holds older definitions than those of the last record: restore both of one moment';
