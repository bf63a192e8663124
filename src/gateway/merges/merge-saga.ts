import type { Clock } from '../../../core/kernel/clock.ts';
import { sleep } from '../../../core/kernel/clock.ts';
import { failure, isTemporary, type Failure } from '../../../core/kernel/errors.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { MergingReply, MovedReply, Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { MergeTarget, Moved } from '../../../core/vocabulary/merge/merged.ts';
import type { MergeIntents, StoredIntent } from '../../../streams/merges/merge-intents.ts';
import type { Backend, Origin } from '../../api/route/backend.ts';
import type { MergedGuest, TakenBack } from '../../api/route/merges.ts';
import { circleOf } from './chains.ts';
import { SAGA_LIMITS } from './limits.ts';

/**
 * The steps of a merge over the owners of its guest and its account, and of taking it back.
 *
 * Invariants
 * 1. Every step may be repeated, by any process: each owner answers the same again.
 * 2. A merge is cancelled only after its account has promised never to absorb the guest, or can never do so.
 * 3. Of merges under way that form a circle, that of the guest with the smallest id is cancelled. The others wait.
 */
export interface MergeSaga {
  /** Goes on with a merge until it has ended. After a temporary failure its intent stays. */
  run(origin: Origin, stored: StoredIntent): Promise<MergedGuest | TakenBack | Failure>;
}

export interface MergeSagaOptions {
  /** Sends to owners, and returns `moved` as they say it. */
  owners: Backend;
  intents: Pick<MergeIntents, 'begin' | 'end'>;
  /** Goes on with the merge of another guest. @returns why it has not ended */
  settle: (origin: Origin, moved: Moved) => Promise<Failure | undefined>;
  newMergeId: () => string;
  clock: Clock;
  logger: Logger;
}

export function createMergeSaga(options: MergeSagaOptions): MergeSaga {
  const { owners, intents, settle, newMergeId, clock, logger } = options;

  async function end<T extends { kind: string }>(stored: StoredIntent, outcome: T): Promise<T> {
    await intents.end(stored);
    return outcome;
  }

  /** A temporary failure leaves the intent; any other ends it. */
  const failed = async (stored: StoredIntent, why: Failure): Promise<Failure> =>
    isTemporary(why.code) ? why : end(stored, why);

  async function merge(origin: Origin, stored: StoredIntent, waits = 0): Promise<MergedGuest | Failure> {
    const { guestId: playerId, into, mergeId } = stored.intent;
    const begun = await owners.send(origin, playerId, { kind: 'BeginMerge', playerId, into, mergeId });
    if (begun.kind === 'failure') return failed(stored, begun);
    const merging = expectMerging(begun);
    if (merging.stage === 'leaving') {
      // A take-back has begun whose own process does not go on.
      const why = await leave(origin, merging);
      if (why !== undefined && isTemporary(why.code)) return why;
      return waits >= SAGA_LIMITS.circleWaits ? IN_CIRCLE : merge(origin, stored, waits + 1);
    }
    if (merging.stage !== 'moving') return end(stored, mergedGuest(merging));
    const account = merging.into;
    const absorbed = await owners.send(origin, account.playerId, {
      kind: 'AbsorbPlayer',
      ...addressOf(account),
      mergeId: merging.mergeId,
      mergedAt: merging.at,
      guest: merging.guest,
    });
    if (absorbed.kind === 'moved') return mergeOn(origin, stored, merging, absorbed, waits);
    if (absorbed.kind === 'failure') {
      if (isTemporary(absorbed.code)) return absorbed;
      return (await cancel(origin, merging)) ?? end(stored, ofAccount(absorbed));
    }
    const finished = await owners.send(origin, playerId, { kind: 'FinishMerge', playerId, mergeId: merging.mergeId });
    if (finished.kind === 'failure') return failed(stored, finished);
    return end(stored, mergedGuest(expectMerging(finished)));
  }

  /** Goes on with a merge whose account was merged into another one itself. */
  async function mergeOn(
    origin: Origin,
    stored: StoredIntent,
    merging: MergingReply,
    moved: MovedReply,
    waits: number,
  ): Promise<MergedGuest | Failure> {
    const circle = await circleOf(owners, origin, merging.playerId, moved);
    if (circle === 'unknown') return IN_CIRCLE;
    if (circle !== 'none') {
      if (circle.every((id) => merging.playerId <= id)) {
        logger.info({ guest: merging.playerId, circle }, 'a merge was cancelled: it was part of a circle');
        return (await cancel(origin, merging)) ?? end(stored, CIRCLE);
      }
      if (waits >= SAGA_LIMITS.circleWaits) return IN_CIRCLE;
      await sleep(clock, SAGA_LIMITS.circleWaitMs);
      return merge(origin, stored, waits + 1);
    }
    if (moved.stage === 'moving' || moved.stage === 'leaving') {
      if (waits >= SAGA_LIMITS.circleWaits) return IN_CIRCLE;
      const why = await settle(origin, moved);
      return why ?? merge(origin, stored, waits + 1);
    }
    if (waits >= SAGA_LIMITS.circleWaits) return IN_CIRCLE;
    const why = await cancel(origin, merging);
    if (why !== undefined) return why;
    await intents.end(stored);
    const next = await intents.begin({
      ...stored.intent,
      into: moved.into,
      mergeId: newMergeId(),
      at: clock.wallMs(),
    });
    return next === undefined ? NOT_STORED : merge(origin, next, waits + 1);
  }

  /** @returns why it is not cancelled */
  async function cancel(
    origin: Origin,
    { playerId, mergeId, into, guest }: MergingReply,
  ): Promise<Failure | undefined> {
    const released = await owners.send(origin, into.playerId, {
      kind: 'ReleaseGuest',
      playerId: into.playerId,
      mergeId,
      guest,
    });
    if (released.kind === 'failure') return asTemporary(released);
    const cancelled = await owners.send(origin, playerId, { kind: 'CancelMerge', playerId, mergeId });
    if (cancelled.kind === 'failure' && cancelled.code !== 'PLAYER_NOT_FOUND') return asTemporary(cancelled);
    return undefined;
  }

  async function takeBack(origin: Origin, stored: StoredIntent): Promise<TakenBack | Failure> {
    const { guestId: playerId, mergeId } = stored.intent;
    const begun = await owners.send(origin, playerId, { kind: 'BeginUnmerge', playerId, mergeId });
    if (begun.kind === 'failure') return failed(stored, begun);
    const merging = expectMerging(begun);
    const why = await leave(origin, merging);
    if (why !== undefined) return failed(stored, why);
    return end(stored, { kind: 'taken back', mergeId, guestId: playerId, accountId: merging.into.playerId });
  }

  /** Brings a take-back that has begun to its end. @returns why the merge stays, or is not taken back yet */
  async function leave(origin: Origin, merging: MergingReply): Promise<Failure | undefined> {
    const { playerId, mergeId, into, guest, leavingAt } = merging;
    const released = await owners.send(origin, into.playerId, {
      kind: 'ReleaseGuest',
      playerId: into.playerId,
      mergeId,
      guest,
    });
    if (released.kind === 'failure') {
      if (released.code !== 'CONFLICT') return asTemporary(released);
      // The account was merged on since this began, so it cannot give the guest back: the merge stays.
      const leaving = leavingAt === undefined ? {} : { leavingAt };
      const kept = await owners.send(origin, playerId, { kind: 'FinishMerge', playerId, mergeId, ...leaving });
      return kept.kind === 'failure' ? asTemporary(kept) : released;
    }
    const finished = await owners.send(origin, playerId, { kind: 'FinishUnmerge', playerId, mergeId });
    // The account has released the guest. Another process may have kept the merge: then this begins again.
    return finished.kind === 'failure' ? asTemporary(finished) : undefined;
  }

  return {
    run: (origin, stored) => (stored.intent.does === 'merge' ? merge(origin, stored) : takeBack(origin, stored)),
  };
}

function addressOf({ playerId, life }: MergeTarget): { playerId: string; life?: number } {
  return { playerId, ...(life === undefined ? {} : { life }) };
}

function expectMerging(reply: Reply): MergingReply {
  if (reply.kind !== 'merging') throw new Error(`a step of a merge was answered with ${reply.kind}`);
  return reply;
}

function mergedGuest({ mergeId, playerId, externalId, into, at }: MergingReply): MergedGuest {
  return {
    kind: 'merged',
    mergeId,
    guestId: playerId,
    guestExternalId: externalId,
    accountId: into.playerId,
    accountExternalId: into.externalId,
    at,
  };
}

/** A failure of the account, for a caller who named both. */
function ofAccount(why: Failure): Failure {
  return why.code === 'PLAYER_NOT_FOUND' ? NO_ACCOUNT : why;
}

/** A step that must succeed is tried again. */
function asTemporary(why: Failure): Failure {
  return isTemporary(why.code) ? why : failure('SERVICE_UNAVAILABLE', why.message);
}

export const NO_ACCOUNT = failure('PLAYER_NOT_FOUND', 'The player in `into` does not exist; register it first.');
export const NOT_STORED = failure('SERVICE_UNAVAILABLE', 'The merge could not be stored. Nothing was changed.');
const CIRCLE = failure('CONFLICT', 'These players were being merged into each other. This merge was not made.');
const IN_CIRCLE = failure('SERVICE_UNAVAILABLE', 'Another merge of these players is under way; send it again.');
