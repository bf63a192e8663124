import { isDeepStrictEqual } from 'node:util';
import { CLOCK_LIMITS } from '../../../streams/limits.ts';
import type { Command, ReceivedCommand } from '../../../core/vocabulary/commands/commands.ts';
import type { PropertiesChanged } from '../../../core/vocabulary/documents/computed.ts';
import type { DomainFact, Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { FlagExposed, FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import { explainExposure, explainServed } from './check-exposures.ts';
import {
  explainScheduled,
  isOwnDoing,
  isScheduled,
  owing,
  playersOf,
  type OwnDoing,
  predictOwn,
  unexplained,
  withCampaigns,
} from './check-own-doings.ts';
import { changedLedger, checkFilled, expectedChange, explainDropped, explainFilled } from './check-computed.ts';
import type { CampaignHistory } from '../model/campaign-history.ts';
import type { FlagHistory } from '../model/flags/flag-history.ts';
import { commandKey, type History } from '../history.ts';
import type { TakenCommand } from '../machines/handed-commands.ts';
import { takeGroup, type Wrong } from './check-segments.ts';
import { predict } from '../model/model.ts';
import { sameReply } from '../model/same-reply.ts';
import type { ModelDefinitions } from '../model/model-definitions.ts';
import { comparable } from '../model/players/model-import.ts';
import { withoutWords } from '../model/players/model-lifecycle.ts';
import { type ConfigHistory, type ModelSegment, predictSegments } from '../model/model-segments.ts';
import type { Observer, StoredCommit, StoredRequest } from '../observer.ts';
import { createTimeline, type Timeline } from '../timeline.ts';
import { isUnavailable } from '../clients/operation.ts';
import { mayLackRoom } from '../machines/sim-limits.ts';
import type { World } from '../world.ts';
import type { CommitRecord, RequestPosition } from '../../../core/vocabulary/facts/commit-record.ts';
import type { PartitionLog, Placement } from './partition-log.ts';
import { areSameFacts, isSameState } from './same-state.ts';

export interface LogCheck {
  world: World;
  observer: Observer;
  history: History;
  config: ConfigHistory;
  flags: FlagHistory;
  campaigns: CampaignHistory;
  campaignFactsPerCommand: number;
  partition: number;
  /** Records that FACTS refused. Their commands were answered with 503. */
  refused: readonly CommitRecord[];
}

/**
 * Walks through one partition's records in order and compares each with the model: the commands between the last
 * position and this one, decided one after another, must give exactly these facts. It also checks that a sequence has
 * one epoch, positions only advance, no command is skipped or decided past its deadline, and snapshots match the state.
 */
export function checkLog(check: LogCheck): PartitionLog {
  const { world, observer, partition } = check;
  const timeline = createTimeline();
  const placements = new Map<string, Placement>();
  /**
   * The highest command of each gateway that a position has passed. A command at or below it was decided before (its
   * gateway stored it again after REQUESTS was lost) or abandoned by its gateway. Neither has an effect.
   */
  const passed = new Map<string, number>();
  const places = createPlaces(observer.requests.filter((request) => request.partition === partition));
  const refused = new Set(
    check.refused
      .filter((record) => record.partition === partition)
      .flatMap(({ position }) => places.keysUpTo(position)),
  );
  /** A timer that the owner ran in an earlier record of its epoch. */
  let ranInEpoch: { entityId: string } | undefined;
  let epoch = { sequence: 0, owner: '', tick: 0 };
  let position: RequestPosition | null = null;
  /** Of the definitions by which the last record was decided. */
  let revision = 0;
  let lastSequence = 0;
  // A ClickHouse that was restored has lost events, until its sink repeats them.
  const isComplete = !world.wasCaused('clickhouse restored', 0, Infinity);

  for (const commit of observer.commits) {
    if (commit.record.partition !== partition) continue;
    const { record, sequence } = commit;
    const wrong = (invariant: string, message: string): void =>
      world.violate(invariant, `partition ${partition}, record ${sequence}: ${message}`);
    if (record.configRevision < revision)
      wrong('definitions', `goes back from revision ${revision} to ${record.configRevision}`);
    revision = record.configRevision;
    if (record.epoch === 0) {
      epoch = { sequence, owner: record.owner, tick: commit.tick };
      ranInEpoch = undefined;
      if (record.facts.length > 0) wrong('one-epoch-per-sequence', 'a barrier holds facts');
      if (!isDeepStrictEqual(record.position, position)) wrong('position', 'a barrier moved the position');
    } else if (record.epoch !== epoch.sequence || record.owner !== epoch.owner) {
      wrong('one-epoch-per-sequence', `of ${record.owner} in epoch ${record.epoch} after barrier ${epoch.sequence}`);
    }
    const covered = places.between(position, record.position);
    if (covered === 'backwards') wrong('position', `goes back from ${show(position)} to ${show(record.position)}`);
    else walkRecord(commit, withHanded(covered, commit), wrong);
    position = record.position;
    lastSequence = sequence;
  }
  return { timeline, placements, lastSequence };

  function walkRecord(commit: StoredCommit, covered: readonly CommandPlace[], wrong: Wrong): void {
    const { record, sequence, tick } = commit;
    const facts = record.facts
      .filter((fact) => isDomainFact(fact, timeline, wrong))
      .map(withoutWords)
      .map(comparable);
    const definitions: ModelDefinitions = {
      segments: check.config.segmentsAt(record.configRevision),
      flags: check.flags.flagsAt(record.configRevision),
      campaigns: check.campaigns.campaignsAt(record.configRevision),
      campaignFactsPerCommand: check.campaignFactsPerCommand,
      sequence,
    };
    let done = 0;
    const owed = takeProperties();
    /** Timers that have run in this record and that no command so far explains. */
    let ran: { entityId: string; at: number }[] = [];
    takeOwn(record.committedAt);
    for (const [at, place] of covered.entries()) {
      const { command } = place;
      if (command.body === undefined) {
        world.cover('command without effect: of a newer version');
        continue;
      }
      // A gateway whose clock is ahead a little moves the record's time ahead too.
      const dated = datedByOwner(command, record.committedAt);
      takeOwn(Math.max(record.committedAt, dated.receivedAt));
      ran = ran.filter((timer) => !isOwnPlayer(dated, timer));
      const number = Number.parseInt(command.requestId, 36);
      const isRepeat = number <= (passed.get(command.replyTo) ?? -1);
      if (!isRepeat) passed.set(command.replyTo, number);
      const { facts: expected, reply, next, updates } = predict(timeline.now, dated, definitions);
      if (expected.length === 0) continue;
      const group = takeGroup(facts, done, expected, updates, wrong);
      if (group !== undefined && isOfTwin(command, place, expected, covered.slice(at + 1))) {
        world.cover('command without effect: sent again with equal facts');
        continue;
      }
      if (group === undefined) {
        const reason = isRepeat ? 'stored again, or a straggler' : reasonToSkip(command, place, commit);
        if (reason !== undefined) {
          world.cover(`command without effect: ${reason}`);
          continue;
        }
        const next = facts[done];
        if (next !== undefined && isOwnDoing(next)) {
          unexplained(next, wrong);
          return;
        }
        wrong(
          'nothing-passed-over',
          `${commandKey(command)} was skipped: expected ${show(expected)}, found ${show(facts.slice(done, done + expected.length))}`,
        );
        return;
      }
      if (command.deadlineAt < record.committedAt)
        wrong('deadline', `${commandKey(command)} was decided past its deadline`);
      const late = owing(dated, timeline.now);
      if (owed !== undefined && command.body.kind !== 'ClaimIdempotencyKey')
        wrong('computed', `${commandKey(command)} was decided before ${show(owed)}`);
      if (late !== undefined)
        wrong('time', `${commandKey(command)} was decided before the overdue timer of ${show(late)}`);
      const early = ranInEpoch ?? ran[0];
      if (early !== undefined && place.request.tick < epoch.tick)
        wrong('backlog-first', `a timer of ${early.entityId} ran before ${commandKey(command)}, which had waited`);
      if (isRepeat) wrong('exactly-once', `${commandKey(command)} was decided again, or after a later one`);
      for (const { next: evaluated } of updates) {
        const state = next.get(evaluated.id);
        if (state?.kind === 'player') next.set(evaluated.id, { ...state, segmentsDueAt: evaluated.segmentsDueAt });
      }
      done += group.length;
      timeline.addStep(next, { sequence, tick });
      placements.set(commandKey(command), { step: timeline.steps.length, tick, reply });
    }
    ranInEpoch ??= ran[0];
    const left = facts[done];
    if (left !== undefined) unexplained(left, wrong);
    timeline.endRecord(sequence);

    /**
     * Whether the command may have been refused, and the reply to a later one of the record shows that it caused these
     * facts: a client repeats a request, and the owner dates both by its own clock.
     */
    function isOfTwin(
      command: Command,
      place: CommandPlace,
      expected: readonly DomainFact[],
      later: readonly CommandPlace[],
    ): boolean {
      if (!isUnanswered(command) || reasonToSkip(command, place, commit) === undefined) return false;
      return later.some(({ command: twin }) => {
        const answer = twin.body && replyTo(twin);
        if (twin.body === undefined || answer === undefined || answer === 'lost') return false;
        const { facts, reply } = predict(timeline.now, datedByOwner(twin, record.committedAt), definitions);
        return areSameFacts(facts, expected) && sameReply(answer, reply);
      });
    }

    /** Takes the change of properties with which the record begins. @returns one that is missing */
    function takeProperties(): object | undefined {
      const needed = check.config.neededAt(record.configRevision);
      const expected = expectedChange(timeline.now, { configRevision: record.configRevision, needed });
      const [first] = facts;
      if (first?.kind !== 'PropertiesChanged' || first.filled.length > 0) return expected;
      const { revision, began, ended, from, filled } = first;
      if (!isDeepStrictEqual({ revision, began, ended, from, filled }, expected)) {
        wrong('computed', `the properties change by ${show(first)}, not by ${show(expected)}`);
      }
      changeProperties(first);
      return undefined;
    }

    function changeProperties(fact: PropertiesChanged): void {
      timeline.addStep(new Map([[fact.entityId, changedLedger(timeline.now, fact)]]), { sequence, tick });
      done += 1;
    }

    /** Takes the next facts that no command caused, if there is a reason for them. */
    function takeOwn(nowMs: number): void {
      for (let fact = facts[done]; fact !== undefined && isOwnDoing(fact); fact = facts[done]) {
        if (fact.kind === 'PropertiesChanged') {
          if (fact.filled.length === 0) return;
          checkFilled(fact, timeline.now, timeline.upTo(Infinity).values(), isComplete, wrong);
          changeProperties(fact);
          continue;
        }
        const own =
          fact.kind === 'PropertyFilled'
            ? explainFilled(facts, done, timeline.now, definitions, record.committedAt, isComplete, wrong)
            : explain(fact, commit, definitions, nowMs);
        const group = own && takeGroup(facts, done, own.facts, [own.update], wrong);
        if (own === undefined || group === undefined || group.length === 0) {
          return;
        }
        timeline.addStep(new Map([[fact.entityId, own.update.next]]), { sequence, tick });
        if (own.update.facts.length > 0) world.cover(`segments changed by ${own.reason}`);
        const isTimer = own.reason === 'a stage' || own.reason === 'time';
        if (isTimer && !isEvaluated(fact.entityId, tick)) ran.push({ entityId: fact.entityId, at: fact.at });
        if (own.reason === 'an exposure') ran = ran.filter(({ entityId }) => entityId !== fact.entityId);
        done += group.length;
      }
    }
  }

  function explain(
    fact: DomainFact,
    commit: StoredCommit,
    definitions: ModelDefinitions,
    nowMs: number,
  ): OwnDoing | undefined {
    if (fact.kind === 'FlagExposed' || fact.kind === 'FlagsServed') return explained(fact, commit, definitions);
    if (fact.kind === 'PropertiesDropped') return explainDropped(fact, timeline.now);
    const state = timeline.now(fact.entityId);
    if (isScheduled(fact)) {
      return explainScheduled(fact, state, definitions, nowMs, world.wallWasWrong(0, commit.atMs));
    }
    return predictOwn(fact, state, definitions, nowMs);
  }

  /** A recorded evaluation, and the segment evaluation that is due at the same time. */
  function explained(
    fact: FlagExposed | FlagsServed,
    { tick }: StoredCommit,
    definitions: ModelDefinitions,
  ): OwnDoing | undefined {
    const state = timeline.now(fact.entityId);
    const { history, flags } = check;
    if (state?.kind !== 'player') return undefined;
    const evaluations = { history, flags, timeline, tick };
    const own =
      fact.kind === 'FlagExposed'
        ? explainExposure(fact, state, evaluations)
        : explainServed(fact, state, { ...evaluations, now: definitions.flags });
    if (own === undefined) return undefined;
    return withCampaigns(
      [own.fact],
      predictSegments(own.next, definitions.segments, [], fact.at),
      definitions,
      'an exposure',
    );
  }

  /**
   * Whether an evaluation of the player was under way in this epoch. To record one, the owner first runs the player's
   * timers, also if the evaluation adds nothing to what an earlier one exposed.
   */
  function isEvaluated(entityId: string, tick: number): boolean {
    return check.history.attempts.some(
      ({ body, invokedTick, outcome }) =>
        body.kind === 'EvaluateFlags' &&
        body.exposes &&
        body.playerId === entityId &&
        invokedTick < tick &&
        (outcome === undefined || outcome.reply === 'lost' || outcome.tick > epoch.tick),
    );
  }

  function replyTo(command: Command) {
    return check.history.attemptOf(command)?.outcome?.reply;
  }

  function isUnanswered(command: Command): boolean {
    const reply = replyTo(command);
    return reply === undefined || isUnavailable(reply);
  }

  /** Whether another list was current when the owner decided, which it may have done before the record. */
  function mayConflict({ body, configRevision }: Command): boolean {
    if (body.kind !== 'ListPlayers') return false;
    const isOther = (segments: readonly ModelSegment[]): boolean =>
      segments.some(({ id, load = body.active }) => id === body.segmentId && load !== body.active);
    return check.config.segmentsSince(configRevision).some(isOther);
  }

  /** Reasons for which a command may have no facts: its deadline, or a 503 that its owner sent at once. */
  function reasonToSkip(command: Command, place: CommandPlace, { record, atMs }: StoredCommit): string | undefined {
    const { request } = place;
    if (command.deadlineAt < record.committedAt) return 'past its deadline';
    // Its owner decided it the first time and replied without a record, which it remembers only in memory.
    if (!place.isFirst) return 'stored again, answered before';
    // It may have missed its deadline on a clock that was ahead.
    if (world.wallWasWrong(request.atMs, atMs)) return 'a wall clock was wrong';
    if (command.configRevision > record.configRevision) return 'revision unseen';
    if (mayConflict(command)) return 'another list was current';
    if (refused.has(commandKey(command))) return 'FACTS was full';
    const reply = replyTo(command);
    if (isUnanswered(command) && mayLackRoom(world, request.atMs, atMs)) return 'FACTS had no room';
    if (reply === undefined || reply === 'lost' || reply.kind !== 'failure') return undefined;
    const wasUnseen = reply.code === 'SERVICE_UNAVAILABLE' && world.coverage.has(UNSEEN_REVISION);
    return wasUnseen ? 'revision unseen' : undefined;
  }
}

/** An owner does not believe a gateway whose clock is ahead of its own by more than two right clocks can differ. */
function datedByOwner(command: Command, ownerMs: number): Command {
  return command.receivedAt > ownerMs + 2 * CLOCK_LIMITS.clockToleranceMs
    ? { ...command, receivedAt: ownerMs }
    : command;
}

/** Whether the timer may have run for the command itself: it was due when one of its players called. */
function isOwnPlayer({ body, receivedAt }: Command, timer: { entityId: string; at: number }): boolean {
  return playersOf(body).includes(timer.entityId) && timer.at <= receivedAt;
}

const UNSEEN_REVISION = 'log: a command names an unseen revision';

/** Facts that change state. Snapshots and marks change nothing and are checked here. */
function isDomainFact(
  fact: Fact,
  timeline: Timeline,
  wrong: (invariant: string, message: string) => void,
): fact is DomainFact {
  if (fact.kind === 'EntitySnapshot') {
    const held = timeline.now(fact.entityId);
    if (!isSameState(fact.state, held)) {
      wrong('snapshot', `${fact.entityId} is not ${show(fact.state)} but ${show(held)}`);
    }
    return false;
  }
  return fact.kind !== 'SnapshotMark';
}

/** A command and where it was: its place in REQUESTS, or the moment when it was handed over. */
interface CommandPlace {
  command: ReceivedCommand;
  request: Pick<StoredRequest, 'tick' | 'atMs'>;
  /** Whether REQUESTS never contained it before. */
  isFirst: boolean;
}

interface RequestPlace extends CommandPlace {
  request: StoredRequest;
  index: number;
}

/**
 * In one turn an owner decides what was handed over after what it read. Commands of earlier turns have no facts, so
 * they commute with what was read in those turns.
 */
function withHanded(covered: readonly RequestPlace[], { handed }: StoredCommit): CommandPlace[] {
  const placeOf = ({ command, ...request }: TakenCommand): CommandPlace => ({ command, request, isFirst: true });
  return [...handed.earlier.map(placeOf), ...covered, ...handed.last.map(placeOf)];
}

/** Places of commands in REQUESTS, over all its incarnations. */
function createPlaces(requests: readonly StoredRequest[]) {
  const known = new Set<string>();
  const commands: RequestPlace[] = [];
  for (const request of requests) {
    request.commands.forEach((command, index) => {
      commands.push({ command, request, index, isFirst: !known.has(commandKey(command)) });
      known.add(commandKey(command));
    });
  }

  /** Commands up to and including a position, and the first command of its incarnation. */
  function locate(position: RequestPosition): { end: number; start: number } | undefined {
    const at = commands.findLastIndex(
      ({ request, index }) =>
        request.sequence === position.sequence &&
        request.storedAtMs === position.publishedAtMs &&
        index === position.index,
    );
    const found = commands[at];
    if (found === undefined) return undefined;
    const { incarnation } = found.request;
    return { end: at + 1, start: commands.findIndex(({ request }) => request.incarnation === incarnation) };
  }

  return {
    /**
     * Commands after `from`, up to and including `to`; only those of `to`'s incarnation, because the others were lost.
     */
    between(from: RequestPosition | null, to: RequestPosition | null): RequestPlace[] | 'backwards' {
      const [before, after] = [from === null ? undefined : locate(from), to === null ? undefined : locate(to)];
      if (after === undefined) return before === undefined ? [] : 'backwards';
      const start = Math.max(before?.end ?? 0, after.start);
      if (after.end < (before?.end ?? 0)) return 'backwards';
      return commands.slice(start, after.end);
    },
    /** Keys of the commands up to and including a position. */
    keysUpTo(position: RequestPosition | null): string[] {
      const end = position === null ? undefined : locate(position)?.end;
      return commands.slice(0, end ?? 0).map(({ command }) => commandKey(command));
    },
  };
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 600);
}
