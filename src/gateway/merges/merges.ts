import type { Clock } from '../../../core/kernel/clock.ts';
import { failure, isFailure, isTemporary, type Failure } from '../../../core/kernel/errors.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { PlayerReply } from '../../../core/vocabulary/commands/replies.ts';
import type { Moved } from '../../../core/vocabulary/merge/merged.ts';
import { type MergeIntent, openMergeIntents, type StoredIntent } from '../../../streams/merges/merge-intents.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { Backend, Origin } from '../../api/route/backend.ts';
import type { MergedGuest, Merges, TakenBack } from '../../api/route/merges.ts';
import { followingMerges } from './follow-merges.ts';
import { chainTo } from './chains.ts';
import { noGuest } from './guest-rule.ts';
import { SAGA_LIMITS } from './limits.ts';
import { createMergeSaga, NO_ACCOUNT, NOT_STORED } from './merge-saga.ts';

/** Merges of one gateway, and its way to the owners of players. */
export interface GatewayMerges extends Merges {
  /** Sends commands and queries of merged players on to their accounts. */
  readonly backend: Backend;
  /** Goes on with a stored merge. */
  resume(stored: StoredIntent): Promise<MergedGuest | TakenBack | Failure>;
  readonly intents: ReturnType<typeof openMergeIntents>;
}

export interface GatewayMergesOptions {
  /** Sends to owners. */
  owners: Backend;
  log: Pick<Log, 'bucket'>;
  clock: Clock;
  ids: Pick<Ids, 'uuidv7'>;
  logger: Logger;
}

type Ended = MergedGuest | TakenBack | Failure;

/** How often a merge takes its turn after another one of the same guest. */
const TURNS = 3;

export function createGatewayMerges(options: GatewayMergesOptions): GatewayMerges {
  const { owners, log, clock, ids, logger } = options;
  const intents = openMergeIntents(log);
  const newMergeId = (): string => `mrg_${ids.uuidv7(clock.wallMs())}`;
  /** What this process is driving, by guest. */
  const running = new Map<string, Promise<Ended>>();
  const saga = createMergeSaga({ owners, intents, settle, newMergeId, clock, logger });
  const backend = followingMerges({ owners, settle });

  function run(origin: Origin, stored: StoredIntent): Promise<Ended> {
    const { guestId } = stored.intent;
    const held = running.get(guestId);
    if (held !== undefined) return held;
    const started = saga.run(origin, stored).finally(() => running.delete(guestId));
    running.set(guestId, started);
    return started;
  }

  /** Goes on with the merge of a player until an owner decides commands of the player or of its account again. */
  async function settle(origin: Origin, { playerId, into, mergeId, stage }: Moved): Promise<Failure | undefined> {
    const does = stage === 'leaving' ? 'take back' : 'merge';
    try {
      const { game, environment } = origin;
      const unstored = { does, game, environment, guestId: playerId, into, mergeId, at: clock.wallMs() } as const;
      const stored = running.has(playerId) ? undefined : await intents.find(playerId);
      const ended = await run(origin, stored ?? { intent: unstored, revision: 0 });
      // A merge that was refused was cancelled: then the player decides again.
      return isFailure(ended) && isTemporary(ended.code) ? ended : undefined;
    } catch (error) {
      logger.error({ err: error, guest: playerId }, 'a merge could not go on');
      return failure('SERVICE_UNAVAILABLE');
    }
  }

  /** Stores an intent and runs it, after what another request has begun with this guest. */
  async function inTurn(origin: Origin, wanted: MergeIntent): Promise<Ended> {
    for (let turn = 0; turn < TURNS; turn++) {
      const stored = await intents.begin(wanted);
      if (stored === undefined) return NOT_STORED;
      const ended = await run({ ...origin, receivedAt: clock.wallMs() }, stored);
      if (isFailure(ended) && isTemporary(ended.code)) return ended;
      if (stored.intent.mergeId === wanted.mergeId && stored.intent.does === wanted.does) return ended;
      if (stored.intent.does === wanted.does && stored.intent.into.playerId === wanted.into.playerId) return ended;
    }
    return BUSY;
  }

  async function find(origin: Origin, playerId: string, by: Backend): Promise<PlayerReply | Failure | Moved> {
    const reply = await by.query(origin, playerId, { kind: 'GetPlayer', playerId });
    if (reply.kind !== 'player' && reply.kind !== 'failure' && reply.kind !== 'moved')
      throw new Error(`a question for a player was answered with ${reply.kind}`);
    return reply;
  }

  async function refusedAsGuest(origin: Origin, playerId: string): Promise<Failure | undefined> {
    const reply = await owners.query(origin, playerId, { kind: 'ExportPlayer', playerId });
    if (reply.kind === 'failure') return reply;
    return reply.kind === 'exported' ? noGuest(reply.player) : BUSY;
  }

  return {
    backend,
    intents,
    resume({ intent, revision }) {
      const { game, environment } = intent;
      return run({ game, environment, receivedAt: clock.wallMs(), by: 'server' }, { intent, revision });
    },
    async merge(origin, { guestId, accountId, byClientKey }) {
      if (guestId === accountId) return SAME;
      const guest = await find(origin, guestId, owners);
      if (isFailure(guest)) return guest;
      // The state of a player who is merged already was looked at before.
      const refused = byClientKey && 'player' in guest ? await refusedAsGuest(origin, guestId) : undefined;
      if (refused !== undefined) return refused;
      const guestIds = 'player' in guest ? (guest.merged ?? []).map((one) => one.guestId) : [];
      if ((await chainTo(owners, origin, guestId, guestIds)) >= SAGA_LIMITS.hops) return CHAIN;
      const account = await find(origin, accountId, backend);
      if (isFailure(account)) return account.code === 'PLAYER_NOT_FOUND' ? NO_ACCOUNT : account;
      if (!('player' in account)) throw new Error('an account was not followed to its end');
      const { player, life } = account;
      if (player.id === guestId) return ALREADY_REVERSED;
      const ended = await inTurn(origin, {
        does: 'merge',
        game: origin.game,
        environment: origin.environment,
        guestId,
        into: { playerId: player.id, externalId: player.externalId, ...(life === undefined ? {} : { life }) },
        mergeId: newMergeId(),
        at: clock.wallMs(),
      });
      return ended.kind === 'taken back' ? BUSY : ended;
    },
    async takeBack(origin, guestId) {
      const guest = await find(origin, guestId, owners);
      if (isFailure(guest)) return guest;
      if ('player' in guest) return NOT_MERGED;
      const { into, mergeId } = guest;
      const account = await find(origin, into.playerId, owners);
      if ('stage' in account) return mergedOn(account.into.externalId);
      const { game, environment } = origin;
      const at = clock.wallMs();
      const ended = await inTurn(origin, { does: 'take back', game, environment, guestId, into, mergeId, at });
      return ended.kind === 'merged' ? BUSY : ended;
    },
    async accountOf(origin, playerId) {
      const found = await find(origin, playerId, backend);
      if (isFailure(found)) {
        return found.code === 'PLAYER_NOT_FOUND' ? { kind: 'account', playerId, guestIds: [] } : found;
      }
      if (!('player' in found)) throw new Error('a player was not followed to its account');
      const guestIds = (found.merged ?? []).map((one) => one.guestId);
      return { kind: 'account', playerId: found.player.id, guestIds };
    },
  };
}

const SAME = failure('VALIDATION_ERROR', '`into` names the same player; name the account.', {
  fields: [{ path: '/into', message: 'names the same player' }],
});
const ALREADY_REVERSED = failure('CONFLICT', 'The account in `into` was itself merged into this player.');
const CHAIN = failure(
  'CONFLICT',
  `A chain of merges has at most ${SAGA_LIMITS.hops} guests, and this one would have more. Merge into the last account.`,
);
const BUSY = failure('SERVICE_UNAVAILABLE', 'Another merge of this player is under way; send it again.');
function mergedOn(externalId: string): Failure {
  const account = `The account was merged into ${JSON.stringify(externalId)} since.`;
  return failure('CONFLICT', `${account} Take that merge back first, then this one.`);
}

const NOT_MERGED = failure('CONFLICT', 'The player is not merged into another one.');
