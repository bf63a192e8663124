import { dayOf } from '../../../../core/kernel/days.ts';
import type {
  EventTally,
  ImportedEvent,
  ImportHistory,
  ImportItem,
  OtherLine,
  PlayerEvents,
  PlayerHistory,
} from '../../../../core/vocabulary/commands/import.ts';
import { sightingOf } from '../../../../actors/import/some-lines.ts';
import type { PlainEvent } from '../../../../core/vocabulary/facts/packed-events.ts';
import { createEventPacker } from '../../../../core/vocabulary/facts/pack-events.ts';

/** Lines of one partition on their way into one command. */
export interface HistoryBatch {
  add(item: ImportItem): void;
  readonly lines: number;
  /** The first line; 0: none. */
  readonly from: number;
  /** About the bytes of the command. */
  readonly sizeBytes: number;
  /** The command; `after`: the last line of the command before it. */
  close(importId: string, after: number): ImportHistory;
}

interface Group extends Omit<PlayerHistory, 'events'> {
  events: PlainEvent[];
  tallies: EventTally[];
  said: Said;
}

/** What a line says of the device of its event. */
type Said = Pick<PlayerEvents, 'playedWith' | 'country'>;

/** What a line takes beside its texts, and a player beside its lines. */
const LINE_BYTES = 40;
const PLAYER_BYTES = 150;

const pack = createEventPacker();

export function createHistoryBatch(): HistoryBatch {
  const groups: Group[] = [];
  /** The newest of each player. */
  const open = new Map<string, Group>();
  let lines = 0;
  let from = 0;
  let to = 0;
  let sizeBytes = 0;

  /** All lines of a group are events of one device, or none is an event. Groups of a player are in its lines' order. */
  function groupOf({ playerId, externalId, quarantined, event }: ImportItem): Group {
    const key = quarantined === undefined ? playerId : `${playerId} quarantined`;
    const said = saidOf(event);
    const held = open.get(key);
    if (held !== undefined && isSame(held.said, said)) return held;
    const group: Group = {
      playerId,
      externalId,
      lines: [],
      firstAt: Infinity,
      lastAt: -Infinity,
      events: [],
      tallies: [],
      others: [],
      said,
    };
    groups.push(group);
    open.set(key, group);
    sizeBytes += PLAYER_BYTES + externalId.length + JSON.stringify(said).length;
    return group;
  }

  return {
    add(item) {
      const { line, at, event, player, quarantined } = item;
      const { firstAt, lastAt } = sightingOf(item);
      const group = groupOf(item);
      if (isMore(item)) {
        group.others.push(otherOf(item, group.lines.length));
        sizeBytes += PLAYER_BYTES + (player?.attributes?.length ?? 0) + (quarantined ? bytesOf(quarantined) : 0);
      }
      if (event !== undefined) {
        const { eventId, eventName, properties, sessionId } = event;
        group.events.push({ at, eventId, eventName, properties, sessionId });
        tally(group.tallies, eventName, dayOf(at));
        sizeBytes += bytesOf(event);
      }
      group.lines.push(line);
      group.firstAt = Math.min(group.firstAt, firstAt);
      group.lastAt = Math.max(group.lastAt, lastAt);
      sizeBytes += LINE_BYTES;
      lines += 1;
      if (from === 0) from = line;
      to = line;
    },
    get lines() {
      return lines;
    },
    get from() {
      return from;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    close: (importId, after) => ({
      kind: 'ImportHistory',
      importId,
      after,
      to,
      players: groups.map(closed),
    }),
  };
}

function saidOf({ playedWith, country }: Said = {}): Said {
  return { ...(playedWith === undefined ? {} : { playedWith }), ...(country === undefined ? {} : { country }) };
}

function isSame(one: Said, other: Said): boolean {
  const [device, otherDevice] = [one.playedWith, other.playedWith];
  return (
    one.country === other.country &&
    device?.platform === otherDevice?.platform &&
    device?.appVersion === otherDevice?.appVersion &&
    device?.build === otherDevice?.build
  );
}

function bytesOf({ eventId, eventName, properties, sessionId }: ImportedEvent): number {
  return eventId.length + eventName.length + properties.length + (sessionId?.length ?? 0);
}

/** Whether a line is more than an event. */
function isMore({ session, purchase, refund, player, quarantined }: ImportItem): boolean {
  return [session, purchase, refund, player, quarantined].some((part) => part !== undefined);
}

function otherOf({ at, session, purchase, refund, player, quarantined }: ImportItem, place: number): OtherLine {
  return {
    place,
    at,
    ...(session === undefined ? {} : { session }),
    ...(purchase === undefined ? {} : { purchase }),
    ...(refund === undefined ? {} : { refund }),
    ...(player === undefined ? {} : { player }),
    ...(quarantined === undefined ? {} : { quarantined }),
  };
}

/** Most events are of the same day as the one before. */
function tally(tallies: EventTally[], eventName: string, day: number): void {
  for (let place = tallies.length - 1; place >= 0; place--) {
    const held = tallies[place];
    if (held?.[0] !== eventName || held[1] !== day) continue;
    held[2] += 1;
    return;
  }
  tallies.push([eventName, day, 1]);
}

function closed({ events, tallies, said, ...history }: Group): PlayerHistory {
  if (events.length === 0) return history;
  const { fromAt, toAt } = timesOf(events);
  return { ...history, events: { packed: pack(events), fromAt, toAt, tallies, ...said } };
}

function timesOf(events: readonly PlainEvent[]): { fromAt: number; toAt: number } {
  let fromAt = Infinity;
  let toAt = -Infinity;
  for (const { at } of events) {
    if (at < fromAt) fromAt = at;
    if (at > toAt) toAt = at;
  }
  return { fromAt, toAt };
}
