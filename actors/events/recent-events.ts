import { hashOfText } from '../../core/kernel/text/text-hash.ts';
import type { EvolveLimits } from '../decision/decision.ts';
import { type CallerKind, mayBeSame } from '../../core/vocabulary/documents/scope.ts';
import { NO_OLDER_EVENTS, type OlderEvents, type RecentEvent } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { countIn, hashed, type HashedEvent, hasHash, newestIn, packEvents, unpackEvents } from './event-block.ts';

/*
 * The events of a player whose id came from a caller, so that a repeat gets the first result.
 *
 * Invariants
 * 1. The newest ones are stored in full (`recentEvents`), older ones in blocks (`olderEvents`), so that an event costs
 *    no copy of the whole list.
 * 2. Ids of client and of server keys are separate, and neither kind displaces ids of the other.
 * 3. Of each kind the newest `eventIds` are stored, and those of the last `eventIdMs` that fit `eventIdBytes`. All
 *    blocks of a kind fit `eventIdMostBytes`: where names are so long that they do not, the oldest block goes first.
 */
export type StoredEvents = Pick<PlayerState, 'recentEvents' | 'olderEvents'>;

/** The result of an event, as a repeat of its id needs it. */
export type FirstResult = Omit<RecentEvent, 'eventId'>;

/** The earlier event with this id from this kind of caller. */
export function recall(
  { recentEvents, olderEvents }: StoredEvents,
  eventId: string,
  by: CallerKind | undefined,
): FirstResult | undefined {
  const recent = recentEvents.find((event) => event.eventId === eventId && mayBeSame(event.by, by));
  if (recent !== undefined) return recent;
  if (olderEvents === undefined) return undefined;
  const isOne = isEventOf(eventId, by);
  return findIn(olderEvents.client, isOne) ?? findIn(olderEvents.server, isOne);
}

function findIn(blocks: readonly Uint8Array[], isOne: ReturnType<typeof isEventOf>): FirstResult | undefined {
  for (const block of blocks) {
    const found = isOne.inBlock(block) ? isOne.unpacked(block).find(isOne.event) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether an event with this id from this kind of caller was accepted, not only quarantined. */
export function isAccepted(
  { recentEvents, olderEvents }: StoredEvents,
  eventId: string,
  by: CallerKind | undefined,
): boolean {
  const accepted = ({ quarantined, by: sender }: FirstResult) => quarantined !== true && mayBeSame(sender, by);
  if (recentEvents.some((event) => event.eventId === eventId && accepted(event))) return true;
  if (olderEvents === undefined) return false;
  const isOne = isEventOf(eventId, by);
  return [...olderEvents.client, ...olderEvents.server].some(
    (block) => isOne.inBlock(block) && isOne.unpacked(block).some((event) => isOne.event(event) && accepted(event)),
  );
}

/** Replaces what is stored of an id from this kind of caller: its event is accepted now. */
export function withAccepted(
  { recentEvents, olderEvents }: StoredEvents,
  { eventId, ...result }: RecentEvent,
  by: CallerKind | undefined,
): Partial<StoredEvents> {
  const accepted = <E extends FirstResult>(event: E) => {
    const { quarantined: _, ...rest } = event;
    return { ...rest, ...result };
  };
  const isRecent = (event: RecentEvent) => event.eventId === eventId && mayBeSame(event.by, by);
  const recent = recentEvents.some(isRecent)
    ? { recentEvents: recentEvents.map((event) => (isRecent(event) ? accepted(event) : event)) }
    : {};
  if (olderEvents === undefined) return recent;
  const isOne = isEventOf(eventId, by);
  const inBlock = (block: Uint8Array): Uint8Array =>
    isOne.inBlock(block)
      ? packEvents(unpackEvents(block).map((event) => (isOne.event(event) ? accepted(event) : event)))
      : block;
  const { client, server } = olderEvents;
  return { ...recent, olderEvents: { client: client.map(inBlock), server: server.map(inBlock) } };
}

function isEventOf(eventId: string, by: CallerKind | undefined) {
  const hash = hashOfText(eventId);
  return {
    inBlock: (block: Uint8Array) => hasHash(block, hash),
    unpacked: (block: Uint8Array) => unpackEvents(block, hash),
    event: (event: HashedEvent) => event.hash === hash && mayBeSame(event.by, by),
  };
}

/** Stores an event. If too many of its kind are stored in full, the older half of them moves to a block. */
export function remembered(
  { recentEvents, olderEvents = NO_OLDER_EVENTS }: StoredEvents,
  event: RecentEvent,
  limits: EvolveLimits,
): Partial<StoredEvents> {
  const all = [...recentEvents, event];
  const kind = kindOf(event);
  if (countOf(all, kind) <= limits.recentEvents) return { recentEvents: all };
  const ofKind = all.filter((one) => kindOf(one) === kind);
  const older = new Set(ofKind.slice(0, ofKind.length - limits.recentEvents / 2));
  const blocks = withEvents(olderEvents[kind], [...older].map(hashed), limits);
  return {
    recentEvents: all.filter((one) => !older.has(one)),
    olderEvents: { ...olderEvents, [kind]: bounded(blocks, event.receivedAt, limits) },
  };
}

function countOf(events: readonly RecentEvent[], kind: keyof OlderEvents): number {
  let count = 0;
  for (const event of events) if (kindOf(event) === kind) count += 1;
  return count;
}

/** Events of unknown callers, in old states, count as those of server keys. */
export function kindOf({ by }: RecentEvent): keyof OlderEvents {
  return by === 'client' ? 'client' : 'server';
}

/**
 * Appends a small block. Small blocks are joined once they fill a whole one, so an event is packed only twice. Blocks
 * with so long names that the whole one would be larger than `eventBlockBytes` stay small.
 */
export function withEvents(
  blocks: readonly Uint8Array[],
  events: readonly HashedEvent[],
  limits: EvolveLimits,
): readonly Uint8Array[] {
  const packedEvents = packEvents(events);
  let whole = blocks.length;
  let waiting = events.length;
  let sizeBytes = packedEvents.length;
  for (const block of blocks.toReversed()) {
    if (countIn(block) >= limits.eventBlock || sizeBytes + block.length > limits.eventBlockBytes) break;
    waiting += countIn(block);
    sizeBytes += block.length;
    whole -= 1;
  }
  if (waiting < limits.eventBlock) return [...blocks, packedEvents];
  const joined = [...blocks.slice(whole).flatMap((block) => unpackEvents(block)), ...events];
  const packed = blocks.slice(0, whole);
  for (let at = 0; at < joined.length; at += limits.eventBlock)
    packed.push(packEvents(joined.slice(at, at + limits.eventBlock)));
  return packed;
}

/** Drops the oldest blocks that no bound keeps. */
export function bounded(blocks: readonly Uint8Array[], nowMs: number, limits: EvolveLimits): readonly Uint8Array[] {
  let events = limits.recentEvents / 2;
  let sizeBytes = 0;
  for (const block of blocks) {
    events += countIn(block);
    sizeBytes += block.length;
  }
  let dropped = 0;
  for (const block of blocks) {
    events -= countIn(block);
    const isWanted = sizeBytes <= limits.eventIdBytes && newestIn(block) + limits.eventIdMs > nowMs;
    if (sizeBytes <= limits.eventIdMostBytes && (isWanted || events < limits.eventIds)) break;
    sizeBytes -= block.length;
    dropped += 1;
  }
  return dropped === 0 ? blocks : blocks.slice(dropped);
}
