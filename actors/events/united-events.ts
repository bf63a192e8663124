import type { EvolveLimits } from '../decision/decision.ts';
import { NO_OLDER_EVENTS, type OlderEvents, type RecentEvent } from '../../core/vocabulary/state/player.ts';
import { hashed, newestIn } from './event-block.ts';
import { bounded, kindOf, withEvents, type StoredEvents } from './recent-events.ts';

/** The events of two players, as one remembers them. Of an id that both have the account's event counts. */
export function unitedEvents(
  account: StoredEvents,
  guest: StoredEvents,
  nowMs: number,
  limits: EvolveLimits,
): StoredEvents {
  const known = new Set(account.recentEvents.map(nameOf));
  const recent = [...guest.recentEvents.filter((event) => !known.has(nameOf(event))), ...account.recentEvents].toSorted(
    (one, other) => one.receivedAt - other.receivedAt,
  );
  const client = ofKind('client');
  const server = ofKind('server');
  const kept = new Set([...client.recent, ...server.recent]);
  const olderEvents: OlderEvents = { client: client.blocks, server: server.blocks };
  return {
    recentEvents: recent.filter((event) => kept.has(event)),
    ...(client.blocks.length + server.blocks.length === 0 ? {} : { olderEvents }),
  };

  function ofKind(kind: keyof OlderEvents): { recent: RecentEvent[]; blocks: readonly Uint8Array[] } {
    const events = recent.filter((event) => kindOf(event) === kind);
    const surplus = events.length > limits.recentEvents ? events.length - limits.recentEvents / 2 : 0;
    const { [kind]: ofGuest } = guest.olderEvents ?? NO_OLDER_EVENTS;
    const { [kind]: ofAccount } = account.olderEvents ?? NO_OLDER_EVENTS;
    const blocks = [...ofGuest, ...ofAccount].toSorted((one, other) => newestIn(one) - newestIn(other));
    const more = surplus === 0 ? blocks : withEvents(blocks, events.slice(0, surplus).map(hashed), limits);
    return { recent: events.slice(surplus), blocks: more.length === 0 ? more : bounded(more, nowMs, limits) };
  }
}

const nameOf = ({ eventId, by }: RecentEvent): string => `${by ?? ''}:${eventId}`;
