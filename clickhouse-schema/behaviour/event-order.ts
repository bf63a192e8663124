/*
 * The events of a player in their order: by `happened_at`, and within a millisecond by their place in the log.
 *
 * While rows are grouped, an event is a key: one number of 128 bits, which sorts faster than a tuple. From the highest
 * bit on it has the time in milliseconds (42 bits, until the year 2109), the lower bits of `facts_sequence` (34: events
 * of one millisecond are not 17 billion messages apart), `facts_index` (32), and a tag that says what the event is to
 * the question (20). In a sorted array it is a moment: the milliseconds since the day before the range (37 bits), and
 * its place from 1 on (27). So each event has a moment of its own, 0 is none, and 1 is free for a mark.
 */

/** A tag is a whole number of so many bits. */
export const TAG_BITS = 20;
const INDEX_BITS = 32;
const SEQUENCE_BITS = 34;
const TIME_AT = TAG_BITS + INDEX_BITS + SEQUENCE_BITS;
/** The other 37 bits name 1,590 days: more than the longest range with the window behind it. */
const PLACE_BITS = 27;

/** The sorted keys of the rows of a group. @param tag an expression of a row */
export function sortedKeys(tag: string): string {
  const shifted = (value: string, bits: number) => `bitShiftLeft(toUInt128(${value}), ${bits})`;
  const parts = [
    shifted('toUnixTimestamp64Milli(happened_at)', TIME_AT),
    shifted(`bitAnd(facts_sequence, ${2 ** SEQUENCE_BITS - 1})`, TAG_BITS + INDEX_BITS),
    shifted('facts_index', TAG_BITS),
  ];
  const key = parts.reduceRight((rest, part) => `bitOr(${part}, ${rest})`, `toUInt128(${tag})`);
  return `arraySort(groupArray(${key}))`;
}

/** When the event of a key happened, epoch milliseconds. */
export const timeIn = (key: string): string => `toInt64(bitShiftRight(${key}, ${TIME_AT}))`;

/** The tag of a key. */
export const tagIn = (key: string): string => `toUInt32(bitAnd(${key}, ${2 ** TAG_BITS - 1}))`;

/** The moments of sorted keys. @param since the start of the range, epoch milliseconds */
export function momentsOf(keys: string, since: string): string {
  const moment = `bitOr(bitShiftLeft(toUInt64(${timeIn('k')} - ${baseOf(since)}), ${PLACE_BITS}), toUInt64(place))`;
  return `arrayMap((k, place) -> ${moment}, ${keys}, arrayEnumerate(${keys}))`;
}

/** The lowest moment at a time. */
export const momentAt = (ms: string, since: string): string =>
  `bitShiftLeft(toUInt64(${ms} - ${baseOf(since)}), ${PLACE_BITS})`;

/** When a moment is, epoch milliseconds. */
export const timeOfMoment = (moment: string, since: string): string =>
  `(toInt64(bitShiftRight(${moment}, ${PLACE_BITS})) + ${baseOf(since)})`;

/** Milliseconds from a moment to a later one. */
export const between = (earlier: string, later: string): string =>
  `(bitShiftRight(${later}, ${PLACE_BITS}) - bitShiftRight(${earlier}, ${PLACE_BITS}))`;

const baseOf = (since: string): string => `(${since} - 86400000)`;
