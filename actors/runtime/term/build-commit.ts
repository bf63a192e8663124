import type { ScheduleWindow } from '../../decision/definitions.ts';
import { failure, isTemporary } from '../../../core/kernel/errors.ts';
import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { CLOCK_LIMITS } from '../../../streams/limits.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { triggerCampaigns, triggerSchedules } from '../../campaigns/trigger-campaigns.ts';
import { metered, stepsSpent } from '../../conditions/steps.ts';
import { dropEnded } from '../../properties/concerned-properties.ts';
import type { Command, ReceivedCommand } from '../../../core/vocabulary/commands/commands.ts';
import { encodeFacts } from '../../../core/codec/codec.ts';
import { decide } from '../../decide.ts';
import { decideTimers } from '../../timers.ts';
import type { EntitySnapshot, Fact, SnapshotMark } from '../../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { reviewLifecycle } from '../../player/update-lifecycle.ts';
import { updateSegments } from '../../segments/update-segments.ts';
import type { Computing } from '../definitions/computing.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { CommitDraft } from './draft.ts';
import type { Entities } from './entities.ts';
import { takeSnapshots } from '../store/take-snapshots.ts';
import type { Exposures, Noted } from './exposures.ts';
import type { HandedCommands } from '../../../core/vocabulary/commands/local-gateway.ts';
import { tenantOf } from '../store/player-counts.ts';
import type { RequestFeed } from './request-feed.ts';
import { notKnownHere, type OutgoingReply } from './send-replies.ts';
import { StoreFaultError } from '../store/checked-store.ts';
import type { Swept, SweptTenant } from '../sweep/swept.ts';

/** Work of the owner itself that joins the next commit. */
export interface MaintenanceTasks {
  /** Entities whose snapshot is due. */
  snapshotIds: readonly string[];
  /** Entities whose due time has come. */
  dueIds: readonly string[];
  /** Entities whose segments are evaluated after an edit. */
  sweepIds: readonly string[];
  /** Whether the sweep wants the player evaluated now. */
  sweepWants: (tenant: string, entityId: string) => boolean;
  /** The scheduled times of campaigns that those entities have reached. */
  schedules?: ScheduleWindow | undefined;
  /** The sequence that a new mark covers; `undefined`: no mark is needed. */
  mark: { coveredTo: number; players: number } | undefined;
  /** An empty record is due, so that the subject never empties. */
  idle: boolean;
}

export interface PendingCommit {
  draft: CommitDraft;
  snapshots: EntitySnapshot[];
  mark: SnapshotMark | undefined;
  /** The record's facts in order: snapshots of states committed earlier, the mark, then new facts. */
  facts: Fact[];
  /** The same as values of the record. */
  encoded: Uint8Array[];
  replies: OutgoingReply[];
  /** Commands from evaluations that were decided, some with replies that wait for the append. */
  noted: readonly Noted[];
  configRevision: number;
  swept: Swept;
  /** Whether computed properties began or ended, or it is known where they began. */
  changesProperties: boolean;
  /** Whether another owner, with another clock or other definitions, might decide commands of it differently. */
  mayDiffer: boolean;
  /** Commands that failed because FACTS has no room for their facts. */
  withoutRoom: number;
  /** Whether there is something to append. */
  needsAppend: boolean;
  /** Whether there is nothing to append and no reply to send. */
  isEmpty: boolean;
}

/** Replies to evaluations that waited for the commit. */
export function answersOf({ noted }: PendingCommit): OutgoingReply[] {
  return noted.flatMap(({ answer }) => answer ?? []);
}

/** The replies to a commit's commands if none of it is stored. */
export function refusalsOf({ replies }: PendingCommit): OutgoingReply[] {
  return replies.map((reply) => ({ ...reply, reply: failure('SERVICE_UNAVAILABLE') }));
}

export interface BuildOptions {
  partition: number;
  epoch: number;
  /** Owner's wall clock, epoch milliseconds. */
  nowMs: number;
  configRevision: number;
  entities: Entities;
  feed: RequestFeed;
  /** Commands of this process's gateway. They follow those of `feed`. */
  handed: Pick<HandedCommands, 'peek' | 'take'>;
  definitions: LiveDefinitions;
  /** The owner's internal commands, decided before requests. Their replies are dropped. */
  internal: Pick<Exposures, 'take'>;
  /** Computed properties: which begin and end, before anything else, and what past events add to them. */
  computing: Pick<Computing, 'sync' | 'take'>;
  /** Whether FACTS has room for facts of commands. If not, commands with facts fail; the others are answered. */
  commandsFit: boolean;
  maintenance: MaintenanceTasks;
  /** Measures the time that a sweep takes. */
  monotonicMs: () => number;
  limits?: Adjustable<typeof OWNER_LIMITS, 'commitFacts'> | undefined;
  logger: Logger;
}

/**
 * Decides the waiting commands in order, up to the size of one record, and runs maintenance tasks with them.
 * Synchronous, so the whole commit uses one config revision. Throws `StoreFaultError` if the local store is faulty.
 */
export function buildCommit(options: BuildOptions): PendingCommit {
  const { entities, maintenance, partition, nowMs, configRevision } = options;
  const draft = entities.draft();
  const { snapshots, values, valueBytes } = takeSnapshots(entities, maintenance.snapshotIds, nowMs);
  const mostBytes = OWNER_LIMITS.commitBytes - valueBytes;
  const mark: SnapshotMark | undefined =
    maintenance.mark === undefined ? undefined : { kind: 'SnapshotMark', partition, ...maintenance.mark };
  const { computing, commandsFit } = options;
  const changesProperties = computing.sync(draft, nowMs, commandsFit ? MAINTENANCE_BYTES : 0);
  decideAllTimers(options, draft);
  const swept = sweep(options, draft);
  computing.take(draft, options.definitions, nowMs, commandsFit ? MAINTENANCE_BYTES : 0);
  const noted = decideInternal(options, draft, mostBytes / 2);
  const { replies, mayDiffer, withoutRoom } = decideWaiting(options, draft, mostBytes);
  const marks = mark === undefined ? [] : [mark];
  const facts: Fact[] = [...snapshots, ...marks, ...draft.facts];
  const needsAppend = facts.length > 0 || maintenance.idle;
  return {
    draft,
    snapshots,
    mark,
    facts,
    encoded: [...values, ...marks.flatMap((one) => encodeFacts([one])), ...draft.encoded()],
    replies,
    noted,
    configRevision,
    swept,
    changesProperties,
    mayDiffer,
    withoutRoom,
    needsAppend,
    isEmpty: !needsAppend && replies.length === 0 && noted.length === 0,
  };
}

/** Commands that do not fit join the next commit, which follows at once as this one is not empty. */
function decideInternal(options: BuildOptions, draft: CommitDraft, mostBytes: number): Noted[] {
  const { internal, feed, handed, limits = OWNER_LIMITS } = options;
  const noted: Noted[] = [];
  const hasCommands = feed.peek() !== undefined || handed.peek() !== undefined;
  const hasRoom = (): boolean => draft.encodedBytes() < mostBytes && draft.facts.length < limits.commitFacts / 2;
  while (hasRoom() && noted.length < limits.commitFacts) {
    const next = internal.take(hasCommands);
    if (next === undefined) break;
    decideOne(options, draft, next.command);
    noted.push(next);
  }
  return noted;
}

/** The share of a record and of its steps for maintenance, and one more player; the rest of its work stays due. */
const MAINTENANCE_BYTES = OWNER_LIMITS.commitBytes / 4;
const MAINTENANCE_STEPS = OWNER_LIMITS.turnSteps / 4;

function decideAllTimers({ maintenance, definitions, nowMs }: BuildOptions, draft: CommitDraft): void {
  const began = stepsSpent();
  for (const entityId of maintenance.dueIds) {
    if (draft.encodedBytes() > MAINTENANCE_BYTES || stepsSpent() - began > MAINTENANCE_STEPS) return;
    decideTimers(draft, entityId, nowMs, definitions);
  }
}

/** Evaluates players after an edit of a segment, as many as `sweepMs` allows. */
function sweep(options: BuildOptions, draft: CommitDraft): Swept {
  const { maintenance, definitions, entities, nowMs, monotonicMs } = options;
  const beganMs = monotonicMs();
  let tookMs = 0;
  let count = 0;
  let changed = 0;
  const tenants = new Map<string, SweptTenant>();
  const overBudget: string[] = [];
  // Discards what commands have exceeded until now.
  definitions.takeOverBudget();
  for (const entityId of maintenance.sweepIds) {
    const isFull = changed >= OWNER_LIMITS.sweepChanges || draft.encodedBytes() > MAINTENANCE_BYTES;
    if (tookMs > OWNER_LIMITS.sweepMs || isFull) break;
    count += 1;
    const state = draft.changed.get(entityId) ?? entities.inBulk(entityId);
    const tenant = state === undefined ? '' : tenantOf(state);
    if (state?.kind === 'player' && maintenance.sweepWants(tenant, entityId)) {
      const stepsBefore = stepsSpent();
      const set = definitions.segments(state.game, state.environment);
      // Counters are as of `lastSeenAt`, so no earlier time may be used.
      const atMs = Math.max(nowMs, state.lastSeenAt);
      const since = draft.facts.length;
      const { game, environment } = state;
      const evaluate = (): void => {
        const kept = dropEnded(draft, state, atMs);
        reviewLifecycle(draft, kept, definitions.settings(game).lifecycle, atMs);
        for (const fact of updateSegments(kept, set, 'all', atMs, draft.limits)) draft.emit(fact);
        const campaigns = definitions.campaigns(game, environment);
        const context = { game, environment, at: atMs };
        triggerCampaigns(draft, since, campaigns, context);
        if (maintenance.schedules !== undefined)
          triggerSchedules(draft, entityId, campaigns, maintenance.schedules, context);
      };
      metered(() => draft.inBulk(evaluate));
      if (draft.facts.length > since) changed += 1;
      overBudget.push(...new Set(definitions.takeOverBudget()));
      const before = tenants.get(tenant) ?? { players: 0, steps: 0, last: '' };
      const steps = before.steps + stepsSpent() - stepsBefore;
      tenants.set(tenant, { players: before.players + 1, steps, last: entityId });
    }
    tookMs = monotonicMs() - beganMs;
  }
  return { count, tenants, overBudget, changed, tookMs };
}

interface Decided {
  replies: OutgoingReply[];
  mayDiffer: boolean;
  withoutRoom: number;
}

/** Bounds up to which one source of commands fills the record. */
interface Share {
  bytes: number;
  facts: number;
  replies: number;
  steps: number;
}

/**
 * Decides commands from REQUESTS, then those handed over. While both wait, the first get half of what is left of the
 * record: internal commands may have filled half of it.
 */
function decideWaiting(options: BuildOptions, draft: CommitDraft, mostBytes: number): Decided {
  const { feed, handed, limits = OWNER_LIMITS } = options;
  const decided: Decided = { replies: [], mayDiffer: false, withoutRoom: 0 };
  const { commitFacts } = limits;
  const whole: Share = { bytes: mostBytes, facts: commitFacts, replies: commitFacts, steps: OWNER_LIMITS.turnSteps };
  const half: Share = {
    bytes: (draft.encodedBytes() + mostBytes) / 2,
    facts: (draft.facts.length + commitFacts) / 2,
    replies: commitFacts / 2,
    steps: OWNER_LIMITS.turnSteps / 2,
  };
  const began = stepsSpent();
  decideFrom(feed, handed.peek() === undefined ? whole : half, true);
  decideFrom(handed, whole, false);
  return decided;

  /** @param isStored whether the commands are in REQUESTS, so that the next owner might decide them too */
  function decideFrom(source: CommandSource, most: Share, isStored: boolean): void {
    const hasRoom = (): boolean => draft.encodedBytes() < most.bytes && draft.facts.length < most.facts;
    while (hasRoom() && decided.replies.length < most.replies) {
      if (stepsSpent() - began > most.steps) return;
      const command = source.peek();
      if (command === undefined) return;
      if (command.body !== undefined && isNextLife(command, draft)) return;
      const outcome = decideNext(options, draft, command, decided, mostBytes);
      if (outcome === 'waits') return;
      source.take();
      if (isStored && outcome === 'mayDiffer') decided.mayDiffer = true;
    }
  }
}

type CommandSource = Pick<RequestFeed, 'peek' | 'take'>;

/**
 * Decides one command. `isFinal`: it has facts, or its reply follows from the command and the state alone. `waits`: its
 * facts overfill the record, so it is decided again for the next one. Alone in a record every command fits.
 */
function decideNext(
  options: BuildOptions,
  draft: CommitDraft,
  command: ReceivedCommand,
  decided: Decided,
  mostBytes: number,
): 'isFinal' | 'mayDiffer' | 'waits' {
  const { nowMs, partition, epoch, definitions } = options;
  const { requestId, replyTo } = command;
  if (command.body === undefined) {
    if (replyTo !== '') decided.replies.push({ replyTo, requestId, epoch, partition, reply: notKnownHere() });
    return 'mayDiffer';
  }
  if (command.deadlineAt < nowMs) return 'mayDiffer';
  const [savepoint, reads] = [draft.savepoint(), definitions.reads];
  let reply = decideOne(options, draft, command);
  if (savepoint > 0 && draft.encodedBytes() > mostBytes) {
    draft.rollback(savepoint);
    return 'waits';
  }
  const hasFacts = draft.savepoint() > savepoint;
  if (hasFacts && !options.commandsFit) {
    draft.rollback(savepoint);
    decided.withoutRoom += 1;
    reply = failure('SERVICE_UNAVAILABLE', NO_ROOM);
  }
  decided.replies.push({ replyTo, requestId, epoch, partition, reply, isBulk: BULK.has(command.body.kind) });
  if (reply.kind === 'failure' && isTemporary(reply.code)) return 'mayDiffer';
  return hasFacts || (definitions.reads === reads && !isAhead(command, nowMs)) ? 'isFinal' : 'mayDiffer';
}

const BULK: ReadonlySet<Command['body']['kind']> = new Set(['ListPlayers', 'ImportHistory']);

/**
 * Whether the command registers a player that this record erases. It waits for the next record: a life is known by the
 * sequence of its first record (`bornSeq`), so one record never holds facts of two lives.
 */
function isNextLife({ body }: Command, draft: CommitDraft): boolean {
  return body.kind === 'RegisterPlayer' && draft.changed.get(body.playerId)?.kind === 'erased';
}

/** The message of a write that found no room. */
const NO_ROOM = 'The log has no room for writes now; nothing was stored. Retry later.';

/** If a command throws, its facts are undone and it alone fails; a faulty store throws: the next owner decides it. */
function decideOne(options: BuildOptions, draft: CommitDraft, command: Command): Reply {
  const { configRevision, definitions, logger, partition, nowMs } = options;
  if (command.configRevision > configRevision) {
    logger.warn({ partition, wanted: command.configRevision, configRevision }, 'a command names an unseen revision');
    return failure('SERVICE_UNAVAILABLE');
  }
  const savepoint = draft.savepoint();
  try {
    const received = isAhead(command, nowMs) ? { ...command, receivedAt: nowMs } : command;
    if (received.body.kind !== 'ListPlayers') return decide(draft, received, definitions);
    return draft.inBulk(() => decide(draft, received, definitions));
  } catch (error) {
    if (error instanceof StoreFaultError) throw error;
    draft.rollback(savepoint);
    logger.error({ err: error, partition, kind: command.body.kind }, 'a command could not be decided');
    return failure('INTERNAL_ERROR');
  }
}

/**
 * A gateway whose clock is ahead must not date a player's events: ids would be dropped, and timers would be due, before
 * their time. One that is behind by more than the commands' deadline gets no answers at all.
 */
const isAhead = ({ receivedAt }: Command, nowMs: number): boolean => receivedAt > nowMs + CLOCKS_APART_MS;

/** Two right clocks differ by less: each is compared with the broker's. */
const CLOCKS_APART_MS = 2 * CLOCK_LIMITS.clockToleranceMs;
