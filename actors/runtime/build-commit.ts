import { failure, type ErrorCode } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Command } from '../commands.ts';
import { decide } from '../decide.ts';
import { decideDue } from '../due.ts';
import type { EntitySnapshot, Fact, SnapshotMark } from '../facts.ts';
import type { Reply } from '../replies.ts';
import type { CommitDraft } from './draft.ts';
import { sizeOf, type Entities } from './entities.ts';
import type { RequestFeed } from './request-feed.ts';
import type { OutgoingReply } from './send-replies.ts';

/** Work of the owner's own that joins the next commit. */
export interface Chores {
  /** Entities whose snapshot is due. */
  snapshotIds: readonly string[];
  /** Entities whose due time has come. */
  dueIds: readonly string[];
  /** What a new mark would cover, if one is worth a record. */
  mark: number | undefined;
  /** An empty record is due, so that the subject never empties. */
  idle: boolean;
}

export interface PendingCommit {
  draft: CommitDraft;
  snapshots: EntitySnapshot[];
  mark: SnapshotMark | undefined;
  /** The record's facts in order: snapshots of what was committed before, the mark, then what is new. */
  facts: Fact[];
  replies: OutgoingReply[];
  configRevision: number;
  /** Whether commands were passed over that another owner, with another clock, might decide. */
  passedOver: boolean;
  /** Whether there is something to append. */
  needsAppend: boolean;
  /** Whether there is nothing to do at all. */
  isEmpty: boolean;
}

export interface BuildOptions {
  partition: number;
  epoch: number;
  /** Owner's wall clock, epoch milliseconds. */
  nowMs: number;
  configRevision: number;
  entities: Entities;
  feed: RequestFeed;
  chores: Chores;
  logger: Logger;
}

/** UTF-8 takes at most three bytes per UTF-16 unit, so this many characters never make a record too large. */
const RECORD_CHARS = LIMITS.commitBytes / 3;

/** Decides what waits, in order, up to one record's size. Synchronous: everything sees one config revision. */
export function buildCommit(options: BuildOptions): PendingCommit {
  const { entities, chores, partition, nowMs, configRevision } = options;
  const draft = entities.draft();
  const snapshots = takeSnapshots(entities, chores.snapshotIds, nowMs);
  const mark: SnapshotMark | undefined =
    chores.mark === undefined ? undefined : { kind: 'SnapshotMark', partition, coveredTo: chores.mark };
  for (const entityId of chores.dueIds) {
    const state = draft.get(entityId);
    if (state !== undefined) for (const fact of decideDue(state, nowMs)) draft.emit(fact);
  }
  const snapshotChars = snapshots.reduce((sum, snapshot) => sum + sizeOf(snapshot.state), 0);
  const { replies, passedOver } = decideWaiting(options, draft, RECORD_CHARS - snapshotChars);
  const facts: Fact[] = [...snapshots, ...(mark === undefined ? [] : [mark]), ...draft.facts];
  const needsAppend = facts.length > 0 || chores.idle;
  return {
    draft,
    snapshots,
    mark,
    facts,
    replies,
    configRevision,
    passedOver,
    needsAppend,
    isEmpty: !needsAppend && replies.length === 0,
  };
}

function decideWaiting(
  options: BuildOptions,
  draft: CommitDraft,
  mostChars: number,
): { replies: OutgoingReply[]; passedOver: boolean } {
  const { feed, nowMs, partition, epoch } = options;
  const replies: OutgoingReply[] = [];
  let passedOver = false;
  while (draft.chars < mostChars && draft.facts.length < LIMITS.commitFacts && replies.length < LIMITS.commitFacts) {
    const command = feed.peek();
    if (command === undefined) break;
    if (!fits(command, draft, mostChars)) break;
    feed.take();
    if (command.deadlineAt < nowMs) {
      passedOver = true;
      continue;
    }
    const { requestId, replyTo } = command;
    const reply = decideOne(options, draft, command);
    if (reply.kind === 'failure' && PASSING.has(reply.code)) passedOver = true;
    replies.push({ replyTo, requestId, epoch, partition, reply });
  }
  return { replies, passedOver };
}

/** Failures that lie with this owner, not with the command: another owner might decide it. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']);

/** A command whose own texts would overfill the record waits for the next one; alone in a record, anything fits. */
function fits(command: Command, draft: CommitDraft, mostChars: number): boolean {
  if (draft.facts.length === 0) return true;
  const { body } = command;
  switch (body.kind) {
    case 'TrackEvents':
      return draft.chars + body.items.reduce((sum, item) => sum + item.properties.length, 0) < mostChars;
    case 'RegisterPlayer':
    case 'PatchPlayer':
      return draft.chars + 2 * LIMITS.documentBytes < mostChars;
    case 'ClaimIdempotencyKey':
      return true;
  }
}

/** A command that throws is rejected alone: what it emitted is undone. */
function decideOne(options: BuildOptions, draft: CommitDraft, command: Command): Reply {
  const { configRevision, logger, partition } = options;
  if (command.configRevision > configRevision) {
    logger.warn({ partition, wanted: command.configRevision, configRevision }, 'a command names an unseen revision');
    return failure('SERVICE_UNAVAILABLE');
  }
  const savepoint = draft.savepoint();
  try {
    return decide(draft, command);
  } catch (error) {
    draft.rollback(savepoint);
    logger.error({ err: error, partition, kind: command.body.kind }, 'a command could not be decided');
    return failure('INTERNAL_ERROR');
  }
}

function takeSnapshots(entities: Entities, ids: readonly string[], nowMs: number): EntitySnapshot[] {
  const snapshots: EntitySnapshot[] = [];
  let chars = 0;
  for (const entityId of ids) {
    const state = entities.get(entityId);
    if (state === undefined) continue;
    chars += sizeOf(state);
    if (chars > RECORD_CHARS / 2 && snapshots.length > 0) break;
    const { game, environment } = state;
    snapshots.push({ kind: 'EntitySnapshot', entityId, game, environment, at: nowMs, state });
  }
  return snapshots;
}
