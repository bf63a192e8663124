import { isDeepStrictEqual } from 'node:util';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import type { EditEffect } from '../../core/vocabulary/documents/edit-effects.ts';
import { divideBuckets, stratumOfVariants } from './evaluate/draw.ts';
import { BUCKETS } from './evaluate/hash.ts';

/*
 * What an edit does to the players who take part in a flag's experiment: those whose answer is drawn.
 *
 * Invariants
 * 1. Only an edit that reassigns begins a period. Switches and prerequisites do not matter for it, so that it is found
 *    whether or not the flag is switched off for the edit.
 * 2. An edit that reassigns any player is found. With too many different rules, every edit of them reassigns.
 */

/** The kinds of players that are tried, 2 to this power: 1,024 times 100 rules take some milliseconds. */
const MOST_TERMS = 10;

export function effectOf(previous: FlagDocument, next: FlagDocument): EditEffect {
  if (!isDeepStrictEqual(drawOf(previous), drawOf(next))) return 'reassigns';
  const [before, after] = [formOf(previous), formOf(next)];
  const terms = [
    ...new Set([before, after].flatMap(({ rules, needs }) => [...rules.flatMap((one) => one.terms), ...needs])),
  ];
  if (terms.length > MOST_TERMS) {
    return before.isBoolean && !isDeepStrictEqual(before.rules, after.rules) ? 'reassigns' : 'moves';
  }
  let joins = false;
  let leaves = false;
  for (let kind = 0; kind < 2 ** terms.length; kind += 1) {
    const held = new Set(terms.filter((_, place) => (kind & (1 << place)) !== 0));
    const [was, is] = [partOf(before, held), partOf(after, held)];
    if (was.trues && is.trues && !isDeepStrictEqual(was.trues, is.trues)) return 'reassigns';
    joins ||= !covers(was.takesPart, is.takesPart);
    leaves ||= !covers(is.takesPart, was.takesPart);
  }
  if (joins) return leaves ? 'moves' : 'widens';
  return leaves ? 'narrows' : 'none';
}

/** What is drawn from: the salt, and the buckets and values of variants. */
function drawOf({ salt, variants }: FlagDocument): unknown {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const parts = variants.flatMap(({ key, value, weight }) => {
    sum += weight;
    return weight === 0 ? [] : [{ key, value, end: Math.round((sum / total) * BUCKETS) }];
  });
  return { salt, parts };
}

/** A flag as far as it decides who takes part. A term is a condition of a rule, or what the flag needs of others. */
interface Form {
  isBoolean: boolean;
  isOn: boolean;
  /** Whether anything can be drawn. */
  draws: boolean;
  needs: readonly string[];
  /** In the order of their evaluation. */
  rules: readonly { rule: FlagRule; terms: readonly string[] }[];
}

function formOf(flag: FlagDocument): Form {
  const isBoolean = flag.flagType === 'boolean';
  return {
    isBoolean,
    isOn: flag.enabled && flag.archivedAt === null,
    draws: isBoolean ? flag.defaultValue === false : stratumOfVariants(flag) !== undefined,
    needs: flag.prerequisites.map((need) => JSON.stringify(need)),
    rules: flag.rules
      .toSorted((one, other) => one.priority - other.priority)
      .map((rule) => ({ rule: { ...rule, name: '' }, terms: termsOf(rule) })),
  };
}

function termsOf({ segmentId, conditions, startAt, endAt }: FlagRule): string[] {
  return [
    ...(segmentId === null ? [] : [`segment ${segmentId}`]),
    ...(conditions === undefined ? [] : [`conditions ${JSON.stringify(conditions)}`]),
    ...(startAt === null ? [] : [`from ${startAt}`]),
    ...(endAt === null ? [] : [`until ${endAt}`]),
  ];
}

/** Buckets from the first up to the second; ranges never touch. */
type Range = [from: number, to: number];

interface Part {
  /** The players of a kind who take part. */
  takesPart: readonly Range[];
  /** Those who get `true` of a boolean flag, if it draws for this kind. */
  trues?: readonly Range[];
}

/** @param held the terms that hold for a kind of players */
function partOf({ isBoolean, isOn, draws, needs, rules }: Form, held: ReadonlySet<string>): Part {
  const served: Range[] = [];
  divideBuckets(
    rules,
    ({ terms }) => terms.every((term) => held.has(term)),
    ({ value }, from, to) => {
      const last = served.at(-1);
      if (value && last?.[1] === from) last[1] = to;
      else if (value) served.push([from, to]);
    },
  );
  const isServed = isOn && needs.every((need) => held.has(need));
  if (!isBoolean) return { takesPart: draws && isServed ? served : [] };
  const buckets = served.reduce((sum, [from, to]) => sum + to - from, 0);
  if (!draws || buckets === 0 || buckets === BUCKETS) return { takesPart: [] };
  return { takesPart: isServed ? [[0, BUCKETS]] : [], trues: served };
}

function covers(outer: readonly Range[], inner: readonly Range[]): boolean {
  return inner.every(([from, to]) => outer.some((range) => range[0] <= from && to <= range[1]));
}
