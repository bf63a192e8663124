import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import type { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { OwnerMetrics } from '../metrics.ts';
import { encodeCommit } from '../../../core/codec/codec.ts';
import type { OwnersRoom } from '../../../streams/facts/facts-room.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { factsSubject } from '../../../streams/subjects.ts';
import type { Log } from '../../../streams/log/log.ts';
import { answersOf, buildCommit, type PendingCommit, refusalsOf } from './build-commit.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import { createBulkWork } from './bulk-work.ts';
import { createExposures } from './exposures.ts';
import { appendFenced } from './fenced-append.ts';
import { createComputing } from '../definitions/computing.ts';
import type { EventHistory } from '../../../core/vocabulary/event-history.ts';
import { createMaintenance } from './maintenance.ts';
import { unfilledProperties } from '../definitions/property-sync.ts';
import { createQueryHandler } from './query-handler.ts';
import { createRequestFeed } from './request-feed.ts';
import { type LocalGateway, NO_HANDED_COMMANDS } from '../../../core/vocabulary/commands/local-gateway.ts';
import { createReplySender } from './send-replies.ts';
import { createProgressWriter } from '../sweep/segment-progress.ts';
import { createSegmentSweep } from '../sweep/segment-sweep.ts';
import type { RebuildLimits } from '../rebuild/rebuild.ts';
import type { Gathering } from '../../../core/kernel/flow/gathering.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import type { SnapshotLimits } from '../store/snapshot-queue.ts';
import type { Follower } from '../rebuild/follower.ts';
import type { StoreFaultError } from '../store/checked-store.ts';
import type { PartitionStore } from '../store/store.ts';
import { type TakenOver, takeOver } from './take-over.ts';
import { endBy, type TermEnd } from './term-end.ts';
import type { PlayerLimits } from '../../decision/decision.ts';
import type { Command } from '../../../core/vocabulary/commands/commands.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';

/**
 * One term of a partition's owner: take over, then decide → append → reply until stopped or deposed.
 *
 * Owns: the partition's entities, its position in REQUESTS, the fence (`lastSequence`).
 * States: taking over → leading → ended.
 * Invariants
 * 1. At most one append is in flight; the next begins when its outcome is known.
 * 2. A reply is sent after the record with its facts is acknowledged. A reply without facts needs a lease valid in the
 *    same tick, or an append (possibly empty) that proves that no other owner has taken over.
 * 3. A command past its deadline is never applied.
 * 4. After a command that the next owner might decide differently (past its deadline, refused for now, decided by
 *    definitions or by the owner's clock), the owner commits a record with the position behind it before it sends any
 *    reply without facts: the next owner might otherwise decide the command again and contradict the reply.
 * 5. Position, fence and entities change together, when a record is acknowledged.
 * 6. While FACTS has room for the owners' own records only, commands with facts are refused and evaluations are
 *    answered without being recorded; everything else continues.
 */
export interface OwnerTerm {
  /** Resolves when the term is over. */
  readonly ended: Promise<TermEnd>;
  /** Finishes the append in flight, writes the local store and ends the term. */
  stop(): Promise<void>;
}

export interface OwnerOptions {
  partition: number;
  /** Our incarnation: unique per process start and term. */
  owner: string;
  log: Log;
  clock: Clock;
  config: Pick<ConfigStore, 'revision' | 'seen'>;
  definitions: LiveDefinitions;
  store: PartitionStore;
  /** Has prepared the partition. */
  follower: Follower;
  /** How much room FACTS has; one for all owners of the process. */
  room: OwnersRoom;
  hotBytes: number;
  /** When commands are decided and appended; one for all owners of the process. */
  commits: Gathering;
  /** Gets the error when writes to the local store have failed for a while; undefined when they succeed again. */
  onStoreState: (error: unknown) => void;
  /** The past of computed properties; absent: it is not counted. */
  history?: EventHistory | undefined;
  /** Partitions of the deployment. */
  partitions: number;
  /** The gateway of this process, if it has one. */
  local?: LocalGateway | undefined;
  /** Whether the lease is valid in this tick. */
  leaseHeld: () => boolean;
  limits?: OwnerLimits | undefined;
  logger: Logger;
  metrics: Pick<
    OwnerMetrics,
    | 'commitFacts'
    | 'commitDuration'
    | 'commandsWithoutRoom'
    | 'hotPlayers'
    | 'snapshotsWaiting'
    | 'storeWriteFailures'
    | 'flagExposures'
  >;
}

/** The bounds that tests and the simulation replace; `LIMITS` when absent. */
export type OwnerLimits = PlayerLimits &
  SnapshotLimits &
  Adjustable<typeof OWNER_LIMITS, 'commitFacts' | 'fillPlayers'> &
  RebuildLimits;

/** Log messages that the simulation reads. */
export const TAKEN_OVER = 'partition taken over';
export const OWNER_FAILED = 'the owner of a partition failed';

export function startOwner(options: OwnerOptions): OwnerTerm {
  let stopping = false;
  const signal = createSignal();
  const { partition, logger } = options;

  async function run(): Promise<TermEnd> {
    try {
      const taken = await takeOver({
        ...options,
        configRevision: () => options.config.revision,
        stopped: () => stopping,
      });
      if (taken.kind !== 'taken') return { kind: taken.kind };
      logger.info({ partition, epoch: taken.epoch, appliedSeq: taken.entities.appliedSeq }, TAKEN_OVER);
      return { kind: await lead(options, taken, signal, () => stopping) };
    } catch (error) {
      if (stopping) return { kind: 'stopped' };
      logger.error({ err: error, partition }, OWNER_FAILED);
      return { kind: endBy(error), error };
    }
  }

  const ended = run();
  return {
    ended,
    async stop() {
      stopping = true;
      signal.notify();
      await ended;
    },
  };
}

/** After a refused append (FACTS is full) maintenance waits this long, and the next commit the second time. */
const REFUSED_PAUSE_MS = 1_000;
const REFUSED_WAIT_MS = 50;
/** Without room, records that only hold a position (invariant 4) are at least this far apart. */
const POSITION_PAUSE_MS = 1_000;
const NO_EXPOSURES = { take: () => undefined };
/** While the local store cannot be written, an owner steps down at this many times the memory of a healthy one. */
const PINNED_PER_HOT_BYTE = 2;

async function lead(
  options: OwnerOptions,
  taken: TakenOver,
  signal: ReturnType<typeof createSignal>,
  stopping: () => boolean,
): Promise<'stopped' | 'deposed' | 'unwritable'> {
  const { partition, owner, log, clock, config, store, room, commits, logger, metrics } = options;
  const { entities, epoch, factsCreated } = taken;
  const subject = factsSubject(partition);
  let lastSequence = epoch;
  /** Since the last record, commands were decided that another owner might decide differently. */
  let mayDiffer = false;
  let nextPositionMs = -Infinity;
  /** The fault that a query met; a commit throws its own. */
  let storeFault: StoreFaultError | undefined;
  const onWaiting = (): void => {
    commits.added();
    signal.notify();
  };
  const feed = createRequestFeed({ log, clock, partition, position: taken.position, logger, onWaiting });
  const local = options.local?.commands(partition, onWaiting) ?? NO_HANDED_COMMANDS;
  /**
   * Handed-over commands follow the backlog of REQUESTS. The previous owner answered some commands of the backlog
   * without a record; decided after newer commands they could take effect.
   */
  const handed = { ...local, peek: () => (feed.backlogTaken ? local.peek() : undefined) };
  const { definitions } = options;
  const progress = createProgressWriter({ ...options, unfilled: () => unfilledProperties(entities, definitions) });
  const sweep = createSegmentSweep({ clock, store, definitions, progress, onWork: signal.notify });
  const sendReplies = createReplySender(log, options.local);
  const flush = (): void => void maintenance.flush();
  const bulk = createBulkWork({ ...options, entities, sendReplies, flush, onWork: signal.notify });
  const maintenance = createMaintenance({ ...options, entities, sweep, bulk, onWork: signal.notify });
  const work = { onWork: signal.notify, onFilled: () => progress.refresh(), rests: () => bulk.rests() };
  const computing = createComputing({ ...options, ...work, factsCreated, entities });
  const exposures = createExposures({ nowMs: () => clock.wallMs(), onWork: signal.notify, limits: options.limits });
  const queryHandler = createQueryHandler({
    ...options,
    epoch,
    entities,
    exposures,
    sendReplies,
    onProofWanted: signal.notify,
    onStoreFault(error) {
      storeFault ??= error;
      signal.notify();
    },
  });

  /** One turn: build a commit, append it, apply it. */
  async function turn(): Promise<'on' | 'idle' | 'deposed'> {
    if (feed.closed) await feed.open();
    const hadBacklog = !feed.backlogTaken;
    const commandsFit = room.commandsFit();
    const commit = await prepare(commandsFit);
    mayDiffer ||= commit.mayDiffer;
    if (commit.withoutRoom > 0) metrics.commandsWithoutRoom.inc(commit.withoutRoom);
    const decided = handed.settle();
    if (commit.isEmpty && !queryHandler.wantsProof) {
      maintenance.withoutRecord(commit);
      // Timers and the sweep waited for a backlog of which every command had expired: nothing else would wake them.
      return hadBacklog && feed.backlogTaken ? 'on' : 'idle';
    }
    if (!commit.needsAppend && !mayDiffer && !queryHandler.wantsProof && options.leaseHeld()) {
      maintenance.withoutRecord(commit);
      sendReplies([...answersOf(commit), ...commit.replies]);
      return 'on';
    }
    if (!commandsFit && !commit.needsAppend && !queryHandler.wantsProof && !takesPosition(commit)) {
      maintenance.withoutRecord(commit);
      sendReplies(refusalsOf(commit));
      return 'on';
    }
    return append(commit, decided);
  }

  /** Whether the reserve takes a record for the position alone: only for definite replies, and not twice a second. */
  function takesPosition({ replies, withoutRoom }: PendingCommit): boolean {
    const nowMs = clock.monotonicMs();
    if (replies.length === withoutRoom || nowMs < nextPositionMs) return false;
    nextPositionMs = nowMs + POSITION_PAUSE_MS;
    return true;
  }

  /** Serving flags matters more than recording them. Without a lease the gateway sends its query again. */
  function answerUnrecorded(): void {
    const answers = exposures.withhold();
    if (answers.length > 0 && options.leaseHeld()) sendReplies(answers);
  }

  async function prepare(commandsFit: boolean): Promise<PendingCommit> {
    feed.peek();
    const wanted = feed.wantedRevision;
    if (wanted > config.revision) await config.seen(wanted, CONFIG_LIMITS.configWaitMs);
    await maintenance.makeRoom();
    if (!commandsFit) answerUnrecorded();
    return buildCommit({
      commandsFit,
      epoch,
      nowMs: clock.wallMs(),
      configRevision: config.revision,
      entities,
      feed,
      handed,
      definitions: options.definitions,
      internal: commandsFit ? exposures : NO_EXPOSURES,
      maintenance: maintenance.tasks(feed.backlogTaken),
      computing,
      monotonicMs: () => clock.monotonicMs(),
      partition,
      limits: options.limits,
      logger,
    });
  }

  async function append(commit: PendingCommit, decided: readonly Command[]): Promise<'on' | 'deposed'> {
    const record: CommitRecord = {
      partition,
      epoch,
      owner,
      committedAt: clock.wallMs(),
      position: feed.position,
      configRevision: commit.configRevision,
      facts: commit.facts,
    };
    queryHandler.hold(commit.draft.changed);
    const data = encodeCommit(record);
    const began = clock.monotonicMs();
    const outcome = await appendFenced({
      log,
      clock,
      subject,
      data,
      expectedLastSequence: lastSequence,
      factsCreated,
      stopped: stopping,
    });
    switch (outcome.kind) {
      case 'committed':
        metrics.commitDuration.observe((clock.monotonicMs() - began) / 1000);
        metrics.commitFacts.observe(commit.facts.length);
        room.appended(data.length);
        lastSequence = outcome.sequence;
        mayDiffer = false;
        entities.applyCommit(commit.draft, commit.snapshots, outcome.sequence);
        maintenance.committed(commit);
        computing.stored(commit.changesProperties);
        for (const [attribution, count] of commit.draft.exposures) metrics.flagExposures.inc({ attribution }, count);
        bulk.send([...answersOf(commit), ...commit.replies]);
        queryHandler.release('proved');
        return 'on';
      case 'refused':
        logger.warn({ partition, reason: outcome.message }, 'FACTS refused a record: its commands are answered 503');
        sendReplies(refusalsOf(commit));
        exposures.refused(commit.noted);
        if (options.leaseHeld()) sendReplies(answersOf(commit));
        mayDiffer = true;
        maintenance.pause(REFUSED_PAUSE_MS);
        queryHandler.release('unproved');
        // Bounds the rate of refused appends.
        await sleep(clock, REFUSED_WAIT_MS);
        return 'on';
      case 'deposed':
        handed.putBack(decided);
        return 'deposed';
      case 'abandoned':
        return 'deposed';
    }
  }

  try {
    queryHandler.open();
    maintenance.start();
    computing.start();
    while (!stopping()) {
      if (feed.peek() !== undefined || handed.peek() !== undefined) await commits.next();
      const error = storeFault ?? maintenance.error;
      if (error !== undefined) throw error;
      if (maintenance.storeFails && entities.pinnedBytes > PINNED_PER_HOT_BYTE * options.hotBytes) return 'unwritable';
      const result = await turn();
      if (result === 'deposed') return stopping() ? 'stopped' : 'deposed';
      if (result === 'idle') await signal.wait();
    }
    return 'stopped';
  } finally {
    for (const source of [feed, handed]) source.stop();
    queryHandler.close();
    computing.stop();
    await maintenance.stop();
  }
}
