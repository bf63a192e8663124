import { isObject, type Json } from '../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import type { DefinitionLookup, Subject } from '../decision/targeting.ts';
import { bucketByFault, keyReader, readBucketBy } from './buckets/bucket-key.ts';
import { BUCKETS, bucketsIn, seededBucket } from './buckets/hash.ts';
import { CONDITION_LIMITS } from './limits.ts';
import type { Test } from './logic.ts';
import { isMember } from './segments/is-member.ts';

/* The members of a condition on players that are no fields: they stand beside `$and` and test the player. */

export interface Member<Source> {
  test: Test<Source>;
  /** What an explanation shows. */
  read: (source: Source) => Json;
  /**
   * Whether all that it reads is there: otherwise the test is false, and so is every negation of it. Absent: it always
   * is.
   */
  isKnown?: Test<Source>;
  /** Steps of the test. */
  steps: number;
}

/** `at`: the part of the operand that is invalid. */
export interface MemberFaults {
  faults: { fault: string; at?: string | number }[];
}

/** Finds a member by its name; undefined: it is a field, or unknown. */
export type MemberLookup<Source> = (name: string, operand: Json) => Member<Source> | MemberFaults | undefined;

type Compile = (operand: Json, lookup: DefinitionLookup | undefined) => Member<Subject> | MemberFaults;

const MEMBERS: ReadonlyMap<string, Compile> = new Map([
  ['$inSegment', inSegment],
  ['$bucket', bucket],
]);

export const MEMBER_NAMES: readonly string[] = [...MEMBERS.keys()];

export function subjectMember(name: string, operand: Json, lookup: DefinitionLookup | undefined) {
  return MEMBERS.get(name)?.(operand, lookup);
}

/** A look-up of a membership. */
const MEMBERSHIP_STEPS = 16;
/** The hash of a text of the maximum length, and reading it. */
const BUCKET_STEPS = 40;

/** The operand is a list of ids; keys of segments are replaced when a definition is written. */
function inSegment(operand: Json, lookup: DefinitionLookup | undefined): Member<Subject> | MemberFaults {
  if (!Array.isArray(operand)) return { faults: [{ fault: SEGMENTS }] };
  const ids = operand.filter((id) => typeof id === 'string');
  if (ids.length < operand.length) {
    return { faults: [{ fault: 'must be the id or key of a segment', at: operand.findIndex(isNoText) }] };
  }
  return {
    test(subject) {
      for (const id of ids) if (isMember(subject, id)) return true;
      return false;
    },
    read: (subject) => ids.filter((id) => isMember(subject, id)),
    // A segment that is gone or disabled has no players, so that not to be in it says nothing.
    isKnown: () => lookup === undefined || ids.every((id) => lookup.hasSegment(id)),
    steps: ids.length * MEMBERSHIP_STEPS,
  };
}

const isNoText = (item: Json): boolean => typeof item !== 'string';

const SEGMENTS = 'must be a list of ids or keys of segments; the player must be in one of them';

/**
 * Whether the player's bucket is below a percentage. The seed differs from that of a flag with the same salt, so that
 * rules draw independently of the conditions that choose whom they draw for.
 */
function bucket(operand: Json): Member<Subject> | MemberFaults {
  if (!isObject(operand)) return { faults: [{ fault: BUCKET }] };
  const { salt: text = null, by: given = 'player', below: percentage = null, ...others } = operand;
  const salt = typeof text === 'string' && text.length <= CONDITION_LIMITS.bucketSalt ? text : undefined;
  const by = readBucketBy(given);
  const faults: MemberFaults['faults'] = Object.keys(others).map((at) => ({ fault: BUCKET, at }));
  if (salt === undefined) {
    faults.push({ fault: `must be a text of 1 to ${CONDITION_LIMITS.bucketSalt} characters`, at: 'salt' });
  }
  if (typeof percentage !== 'number' || percentage < 0 || percentage > 100) {
    faults.push({ fault: 'must be a percentage, a number from 0 to 100', at: 'below' });
  }
  const fault = by === undefined || by.length > TEXT_LIMITS.nameLength ? NO_KEY : bucketByFault(by);
  if (fault !== undefined) faults.push({ fault, at: 'by' });
  if (faults.length > 0 || by === undefined || salt === undefined) return { faults };

  const end = bucketsIn(Number(percentage));
  const keyOf = keyReader(by);
  const hash = seededBucket(`${salt}:bucket`);
  const bucketOf = (subject: Subject): number | undefined => {
    const key = keyOf(subject);
    return key === undefined ? undefined : hash(key);
  };
  return {
    test: (subject) => (bucketOf(subject) ?? BUCKETS) < end,
    read(subject) {
      const found = bucketOf(subject);
      return found === undefined ? null : found / (BUCKETS / 100);
    },
    ...(by === 'player' ? {} : { isKnown: (subject: Subject) => keyOf(subject) !== undefined }),
    steps: BUCKET_STEPS,
  };
}

const BUCKET =
  'must be {"salt": …, "by": …, "below": …}, without other members: "below" is a percentage, and "by" is player ' +
  '(if left out), device or attribute:<path>';
const NO_KEY = `must be player, device or attribute:<path>, at most ${TEXT_LIMITS.nameLength} characters`;
