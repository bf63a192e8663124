import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { CommandBody, ErasePlayer, QueryBody, TrackEvents } from '../../../core/vocabulary/commands/commands.ts';
import type { ListPlayers, ListedReply } from '../../../core/vocabulary/documents/player-lists.ts';
import type { MovedReply, Reply, TrackedReply, TrackResult } from '../../../core/vocabulary/commands/replies.ts';
import type { Moved } from '../../../core/vocabulary/merge/merged.ts';
import type { Backend, Origin } from '../../api/route/backend.ts';
import { eraseWithGuests } from './erase-with-guests.ts';
import { joinTracked } from './joined-replies.ts';
import { SAGA_LIMITS } from './limits.ts';
import { readdressed, readdressedItems } from './readdressed.ts';

/**
 * Sends commands and queries of merged players on to their accounts. All routes reach owners through it, so none of
 * them needs to know of merges.
 *
 * Invariants
 * 1. A command is sent on only after its guest's owner has said that it decides nothing of the guest.
 * 2. While a merge is under way, it is brought to its end first. Then the guest's owner is asked again.
 * 3. A player who is not merged costs nothing: its owner's reply is passed on.
 */
export interface FollowingOptions {
  owners: Backend;
  /** Brings a merge to its end. @returns why it has not ended */
  settle: (origin: Origin, moved: Moved) => Promise<Failure | undefined>;
}

export function followingMerges({ owners, settle }: FollowingOptions): Backend {
  /** Sends a body on until the owner of the account answers. */
  async function follow<Body extends CommandBody | QueryBody>(
    origin: Origin,
    first: Body,
    moved: MovedReply,
    ask: (playerId: string, body: Body) => Promise<Reply>,
  ): Promise<Reply> {
    let body = first;
    let at: Moved = moved;
    for (let tries = 0; tries < 2 * SAGA_LIMITS.hops; tries++) {
      if (isUnderWay(at)) {
        const why = await settle(origin, at);
        if (why !== undefined) return why;
      } else body = readdressed(body, at.into);
      const reply = await ask(isUnderWay(at) ? at.playerId : at.into.playerId, body);
      if (reply.kind !== 'moved') return reply;
      at = reply;
    }
    return TOO_FAR;
  }

  /** Sends the items of merged players on, and joins the results. */
  async function followItems(
    origin: Origin,
    body: TrackEvents,
    reply: TrackedReply,
    tries: number,
  ): Promise<TrackedReply | Failure> {
    if (tries >= 2 * SAGA_LIMITS.hops) return TOO_FAR;
    const byGuest = Map.groupBy(reply.results.filter(isMoved), ({ moved }) => moved.playerId);
    const parts = await Promise.all(
      [...byGuest.values()].map(async (results) => {
        const indexes = new Set(results.map(({ index }) => index));
        const items = body.items.filter(({ index }) => indexes.has(index));
        return { items, reply: await sendItems(origin, body, items, results[0], tries) };
      }),
    );
    return joinTracked(reply, parts, origin.receivedAt);
  }

  async function sendItems(
    origin: Origin,
    body: TrackEvents,
    items: TrackEvents['items'],
    result: MovedResult | undefined,
    tries: number,
  ): Promise<TrackedReply | Failure> {
    if (result === undefined) return TOO_FAR;
    const { moved } = result;
    const why = isUnderWay(moved) ? await settle(origin, moved) : undefined;
    if (why !== undefined) return why;
    const playerId = isUnderWay(moved) ? moved.playerId : moved.into.playerId;
    const part = readdressedItems(body, items, moved.playerId, playerId);
    const reply = await owners.send(origin, playerId, part);
    if (reply.kind === 'failure') return reply;
    if (reply.kind !== 'tracked') throw new Error(`events were answered with ${reply.kind}`);
    return reply.results.some(isMoved) ? followItems(origin, part, reply, tries + 1) : reply;
  }

  /** Sends the merged players of a list on, one by one: there are few. */
  async function followListed(origin: Origin, body: ListPlayers, reply: ListedReply): Promise<ListedReply | Failure> {
    const { moved: all = [], ...listed } = reply;
    const unknown = new Set(listed.unknown);
    let { members, changed } = listed;
    for (const { place, moved } of all) {
      const settled = isUnderWay(moved) ? await settle(origin, moved) : undefined;
      if (settled !== undefined) return settled;
      const playerId = isUnderWay(moved) ? moved.playerId : moved.into.playerId;
      const again = await send(origin, playerId, { ...body, playerIds: [playerId] });
      if (again.kind === 'failure') return again;
      if (again.kind !== 'listed') throw new Error(`a list was answered with ${again.kind}`);
      if (again.unknown.length === 0) unknown.delete(place);
      members += again.members;
      changed += again.changed;
    }
    return { kind: 'listed', members, changed, unknown: [...unknown] };
  }

  async function send(origin: Origin, entityId: string, body: CommandBody): Promise<Reply> {
    const reply = await owners.send(origin, entityId, body);
    if (reply.kind === 'moved')
      return follow(origin, body, reply, (playerId, next) => owners.send(origin, playerId, next));
    if (reply.kind === 'tracked' && body.kind === 'TrackEvents' && reply.results.some(isMoved))
      return followItems(origin, body, reply, 0);
    if (reply.kind === 'listed' && body.kind === 'ListPlayers' && reply.moved !== undefined)
      return followListed(origin, body, reply);
    return reply;
  }

  const query: Backend['query'] = async (origin, playerId, body) => {
    const reply = await owners.query(origin, playerId, body);
    if (reply.kind !== 'moved') return reply;
    return follow(origin, body, reply, (next, sent) => owners.query(origin, next, sent));
  };

  return {
    partitionOf: (entityId) => owners.partitionOf(entityId),
    query,
    send: (origin, entityId, body) =>
      body.kind === 'ErasePlayer' ? erase(origin, entityId, body) : send(origin, entityId, body),
  };

  function erase(origin: Origin, playerId: string, body: ErasePlayer): Promise<Reply> {
    return eraseWithGuests(origin, playerId, { query, send, owners }, body);
  }
}

type MovedResult = TrackResult & { moved: Moved };
const isMoved = (result: TrackResult): result is MovedResult => result.moved !== undefined;

const isUnderWay = ({ stage }: Moved): boolean => stage === 'moving' || stage === 'leaving';

const TOO_FAR = failure('SERVICE_UNAVAILABLE', 'A merge of this player is under way; send the request again.');
