import type { LiveReader, LiveRequest } from '../../live-feed.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';

/** One connected reader. */
export interface Member {
  readonly request: LiveRequest;
  readonly reader: LiveReader;
  /** Whether it was sent `connected`. */
  greeted: boolean;
  /** Stops the member's catch-up, if any. */
  stopFollowing: () => void;
}

/** Readers with the same subscription: filtered once, with one write for each reader and burst. */
export interface Channel {
  readonly members: Set<Member>;
  /** Messages of the records that are being fanned out. */
  pending: string[];
  wants(fact: EventTracked): boolean;
}

/** Live readers by game and environment: an event without readers costs one look-up. */
export interface Audience {
  /** Readers that get messages as they come. */
  readonly size: number;
  join(member: Member): void;
  leave(member: Member): void;
  has(member: Member): boolean;
  /** All of them, as of now. */
  members(): Member[];
  /** The channels of a game and environment. */
  of(game: string, environment: Environment): Iterable<Channel>;
}

const NOBODY: ReadonlyMap<string, Channel> = new Map();

export function createAudience(): Audience {
  const scopes = new Map<string, Map<Environment, Map<string, Channel>>>();
  const homes = new Map<Member, () => void>();

  function channelsOf(game: string, environment: Environment): Map<string, Channel> {
    const environments = scopes.get(game) ?? new Map<Environment, Map<string, Channel>>();
    scopes.set(game, environments);
    const channels = environments.get(environment) ?? new Map<string, Channel>();
    environments.set(environment, channels);
    return channels;
  }

  function cleanUp(game: string, environment: Environment): void {
    const environments = scopes.get(game);
    if (environments?.get(environment)?.size === 0) environments.delete(environment);
    if (environments?.size === 0) scopes.delete(game);
  }

  return {
    get size() {
      return homes.size;
    },
    join(member) {
      if (homes.has(member)) return;
      const { game, environment } = member.request;
      const channels = channelsOf(game, environment);
      const key = filterKey(member.request);
      const channel = channels.get(key) ?? createChannel(member.request);
      channels.set(key, channel);
      channel.members.add(member);
      homes.set(member, () => {
        channel.members.delete(member);
        if (channel.members.size === 0) channels.delete(key);
        cleanUp(game, environment);
      });
    },
    leave(member) {
      homes.get(member)?.();
      homes.delete(member);
    },
    has: (member) => homes.has(member),
    members: () => [...homes.keys()],
    of: (game, environment) => (scopes.get(game)?.get(environment) ?? NOBODY).values(),
  };
}

/** Whether an event of the right game and environment matches a subscription. */
export function matcherOf(request: LiveRequest): (fact: EventTracked) => boolean {
  const names = request.eventNames.length === 0 ? undefined : new Set(request.eventNames);
  const { playerId, guestIds = [] } = request;
  const players = playerId === undefined ? undefined : new Set([playerId, ...guestIds]);
  return (fact) =>
    (names === undefined || names.has(fact.eventName)) && (players === undefined || players.has(fact.entityId));
}

function createChannel(request: LiveRequest): Channel {
  return { members: new Set(), pending: [], wants: matcherOf(request) };
}

function filterKey(request: LiveRequest): string {
  const { playerId = null, guestIds = [], eventNames } = request;
  return JSON.stringify([playerId, guestIds, [...new Set(eventNames)].sort()]);
}
