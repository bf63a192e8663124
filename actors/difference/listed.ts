import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import type { PlayersSaid } from './players-difference.ts';
import { inQuotes, label, shownValue } from './shown-value.ts';
import { inValue, namingOf, whole } from './value-difference.ts';

/* The differences of lists whose items have an identity, such as rules of a flag or guardrails of an experiment. */

export type Noun = 'Rule' | 'Variant' | 'Prerequisite' | 'Guardrail' | 'Finding of guardrail';

interface Pair {
  before: JsonObject | undefined;
  after: JsonObject | undefined;
  /** Its places in the lists. */
  was: number | undefined;
  at: number | undefined;
  /** Its number in the list after, or in that before if it was removed. */
  number: number;
}

export function listed(
  noun: Noun,
  before: readonly Json[],
  after: readonly Json[],
  players: PlayersSaid | undefined,
): string[] {
  const { pairs, isMoved } = pairsOf(noun, before.filter(isObject), after.filter(isObject));
  const lines = pairs.flatMap((pair) => {
    const words = inPair(noun, pair);
    return noun === 'Rule' && words.length > 0 ? withWords(words, players?.rule(pair.was, pair.at)) : words;
  });
  return isMoved ? [...lines, `${noun}s: another order`] : lines;
}

/** Says on the first line what else is known. */
export function withWords([first = '', ...others]: readonly string[], words: string | undefined): string[] {
  return [words === undefined ? first : `${first}, ${words}`, ...others];
}

function inPair(noun: Noun, { before, after, number }: Pair): string[] {
  if (after === undefined) return [`${nameOf(noun, before ?? {}, number)} removed`];
  const name = nameOf(noun, after, number);
  if (before === undefined) return [`${name} added: ${described(noun, after)}`];
  return [...new Set(['percentage', ...Object.keys(after), ...Object.keys(before)])].flatMap((field) => {
    const [left, right] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(left, right)) return [];
    // What a rule is mostly about needs no name.
    if (field === 'percentage') return [`${name}: ${shownValue(field, left)} → ${shownValue(field, right)}`];
    return inValue(`${name}, ${label(field).toLowerCase()}`, left, right, namingOf(field, 'labels'));
  });
}

/** Equal items first, then those with the same identity, then those in the same place. */
function pairsOf(noun: Noun, before: readonly JsonObject[], after: readonly JsonObject[]) {
  const free = new Set(before.keys());
  const found = new Map<number, number>();
  const match = (isSame: (one: JsonObject, other: JsonObject, at: number, was: number) => boolean): void => {
    for (const [at, one] of after.entries()) {
      if (found.has(at)) continue;
      const was = [...free].find((place) => isSame(one, before[place] ?? {}, at, place));
      if (was === undefined) continue;
      free.delete(was);
      found.set(at, was);
    }
  };
  match((one, other, at, was) => at === was && isDeepStrictEqual(one, other));
  match(isDeepStrictEqual);
  match((one, other) => identityOf(noun, one) !== '' && identityOf(noun, one) === identityOf(noun, other));
  // Rules without a name are known by their place; variants and prerequisites have keys.
  if (noun === 'Rule') match((one, other, at, was) => at === was && identityOf(noun, one) === identityOf(noun, other));
  if (noun === 'Rule' && before.length === after.length) match(() => true);
  const kept = after.map((one, at): Pair => {
    const was = found.get(at);
    return { before: was === undefined ? undefined : before[was], after: one, was, at, number: at + 1 };
  });
  const gone = [...free].map((was): Pair => ({
    before: before[was],
    after: undefined,
    was,
    at: undefined,
    number: was + 1,
  }));
  const places = after.flatMap((_, at) => found.get(at) ?? []);
  const isMoved = places.some((was, at) => at > 0 && was < (places[at - 1] ?? 0));
  return { pairs: [...kept, ...gone], isMoved };
}

const IDENTITY: Readonly<Record<Noun, string>> = {
  Rule: 'name',
  Variant: 'key',
  Prerequisite: 'flagKey',
  Guardrail: 'metric',
  'Finding of guardrail': 'metric',
};

function identityOf(noun: Noun, item: JsonObject): string {
  const value = item[IDENTITY[noun]] ?? '';
  if (isObject(value))
    return Object.values(value)
      .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
      .join(' ');
  return typeof value === 'string' ? value : '';
}

function nameOf(noun: Noun, item: JsonObject, number: number): string {
  const identity = identityOf(noun, item);
  if (noun !== 'Rule') return `${noun} ${inQuotes(identity)}`;
  return identity === '' ? `Rule ${number}` : `Rule ${number} ${inQuotes(identity)}`;
}

/** What an added item says, in the words of its fields. */
function described(noun: Noun, item: JsonObject): string {
  const fields = Object.entries(item).filter(([name, value]) => name !== IDENTITY[noun] && value !== null);
  const parts = fields.map(
    ([name, value]) => `${label(name).toLowerCase()} ${whole(name, value ?? null, namingOf(name, 'labels'))}`,
  );
  return parts.length === 0 ? 'without further fields' : parts.join(', ');
}
