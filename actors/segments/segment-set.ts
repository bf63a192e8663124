import type { SegmentSet } from '../decision/definitions.ts';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { eventCountOf } from '../conditions/event-count.ts';
import type { Segment } from '../decision/targeting.ts';

/** A segment with the definition it was compiled from. */
export interface DefinedSegment {
  segment: Segment;
  conditions: JsonObject;
}

/**
 * Indexes segments by the fields they read. An event changes only its own counter and the time the player was last
 * seen, so most events need no evaluation of most segments.
 * @param eventOf the name of the events that a named computed property counts
 * @param lists ids of all static segments, disabled ones too
 */
export function createSegmentSet(
  defined: readonly DefinedSegment[],
  eventOf: (key: string) => string | undefined = () => undefined,
  lists?: ReadonlySet<string>,
): SegmentSet {
  const sorted = defined.toSorted((a, b) => (a.segment.id < b.segment.id ? -1 : 1));
  const all = sorted.map(({ segment }) => segment);
  const ids = new Map(all.map((segment) => [segment.id, segment]));
  const reads = sorted.map(({ conditions }) => readsOf(conditions, eventOf));
  const byAnyEvent = all.filter((_, place) => reads[place] === 'any event');
  const byEvent = new Map<string, Segment[]>();
  for (const name of new Set(reads.flatMap((names) => (names === 'any event' ? [] : [...names])))) {
    byEvent.set(
      name,
      all.filter((_, place) => isRead(reads[place], name)),
    );
  }
  return {
    all,
    get: (id) => ids.get(id),
    touchedBy: (eventName) => byEvent.get(eventName) ?? byAnyEvent,
    ...(lists === undefined ? {} : { lists }),
  };
}

/** The names of the events whose counters a condition reads; `any event`: every event may change it. */
type Reads = ReadonlySet<string> | 'any event';

type EventOf = (key: string) => string | undefined;

function isRead(reads: Reads | undefined, name: string): boolean {
  return reads === 'any event' || reads?.has(name) === true;
}

function readsOf(conditions: JsonObject, eventOf: EventOf): Reads {
  const names = new Set<string>();
  return gather(conditions, names, eventOf) ? names : 'any event';
}

/** The event name in `events.<name>.<measure>`; names may contain dots. */
function counterName(field: string): string | undefined {
  const end = field.lastIndexOf('.');
  const isWhole = end > COUNTERS.length && end < field.length - 1;
  return isWhole ? field.slice(COUNTERS.length, end) : undefined;
}

const COUNTERS = 'events.';
const COMPUTED = 'computed.';

/** Gathers event names; `false` if the condition's fields are unknown, or change with every event. */
function gather(condition: Json, names: Set<string>, eventOf: EventOf): boolean {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return false;
  return Object.entries(condition).every(([field, operand]) => {
    if (field === '$not') return gather(operand, names, eventOf);
    if (field === '$and' || field === '$or' || field === '$nor') {
      return Array.isArray(operand) && operand.every((part) => gather(part, names, eventOf));
    }
    if (field.startsWith('$') || field === 'days_since_last_seen') return false;
    if (field === 'events') {
      const read = eventCountOf(operand);
      if ('fault' in read) return false;
      names.add(read.spec.event);
      return true;
    }
    if (field.startsWith(COMPUTED)) {
      const event = eventOf(field.slice(COMPUTED.length));
      if (event !== undefined) names.add(event);
      return true;
    }
    if (!field.startsWith(COUNTERS)) return true;
    const name = counterName(field);
    if (name !== undefined) names.add(name);
    return name !== undefined;
  });
}
