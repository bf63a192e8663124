import { sleep } from '../../../core/kernel/clock.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import { encodeCommit } from '../../../core/codec/codec.ts';
import { factsSubject } from '../../../streams/subjects.ts';
import { answersOf, buildCommit, type PendingCommit, refusalsOf } from './build-commit.ts';
import { appendFenced } from './fenced-append.ts';
import { createSignal, type Signal } from '../../../core/kernel/flow/signal.ts';
import { type TakenOver, takeOver } from './take-over.ts';
import { createTermWork, type OwnerOptions, type TermWork } from './term-work.ts';
import { endBy, type TermEnd } from './term-end.ts';
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

/** Log messages that the simulation reads. */
export const TAKEN_OVER = 'partition taken over';
export const OWNER_FAILED = 'the owner of a partition failed';

export function startOwner(options: OwnerOptions): OwnerTerm {
  let stopping = false;
  const signal = createSignal();
  const { partition, logger } = options;

  async function run(): Promise<TermEnd> {
    try {
      const taken = await takeOver({ ...options, stopped: () => stopping });
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

/** Takes turns until the term is over. */
async function lead(
  options: OwnerOptions,
  taken: TakenOver,
  signal: Signal,
  stopping: () => boolean,
): Promise<'stopped' | 'deposed' | 'unwritable'> {
  const work = createTermWork(options, taken, signal.notify);
  const { feed, handed, maintenance } = work;
  const turn = createTurns(options, taken, work, stopping);
  const mostBytes = PINNED_PER_HOT_BYTE * options.hotBytes;
  try {
    work.start();
    while (!stopping()) {
      if (feed.peek() !== undefined || handed.peek() !== undefined) await options.commits.next();
      const { error } = work;
      if (error !== undefined) throw error;
      if (maintenance.storeFails && taken.entities.pinnedBytes > mostBytes) return 'unwritable';
      const result = await turn();
      if (result === 'deposed') return stopping() ? 'stopped' : 'deposed';
      if (result === 'idle') await signal.wait();
    }
    return 'stopped';
  } finally {
    await work.stop();
  }
}

/** @returns one turn: build a commit, append it, apply it */
function createTurns(
  options: OwnerOptions,
  taken: TakenOver,
  work: TermWork,
  stopping: () => boolean,
): () => Promise<'on' | 'idle' | 'deposed'> {
  const { partition, owner, log, clock, config, room, logger, metrics } = options;
  const { entities, epoch, factsCreated } = taken;
  const subject = factsSubject(partition);
  let lastSequence = epoch;
  /** Since the last record, commands were decided that another owner might decide differently. */
  let mayDiffer = false;
  let nextPositionMs = -Infinity;
  const { feed, handed, exposures, maintenance, computing, bulk, queryHandler, sendReplies } = work;

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
    const data = encodeCommit(record, commit.encoded);
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

  return turn;
}
