import { incompleteFaults } from '../../../actors/conditions/check/incomplete.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.conditions;

/** A part of a condition that is not finished: where it is, and what is missing. */
export interface Unfinished {
  where: string;
  message: string;
}

/** What is not finished in a condition, as the service would refuse it. */
export function unfinishedOf(condition: JsonObject): Unfinished[] {
  return incompleteFaults(condition).map(({ path, message }) => ({ where: whereOf(path), message }));
}

/** A JSON Pointer in words: `/$or/1/events/name` is "any of › 2 › a count of events › name". */
export function whereOf(path: string): string {
  const parts = path.split('/').slice(1);
  return parts.map((part) => wordOf(part.replaceAll('~1', '/').replaceAll('~0', '~'))).join(' › ');
}

function wordOf(part: string): string {
  if (part === '') return texts.noField;
  if (/^\d+$/.test(part)) return String(Number(part) + 1);
  return WORDS.get(part) ?? part;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['$and', texts.groups.all],
  ['$or', texts.groups.any],
  ['$nor', texts.groups.none],
  ['$not', texts.groups.not],
  ['events', texts.eventName],
  ['name', texts.noName],
  ['count', texts.count],
  ['within_days', texts.within],
  ['where', texts.where],
  ['$inSegment', texts.inSegment],
  ['$bucket', texts.bucket],
  ['salt', texts.salt],
  ['by', texts.by],
  ['below', texts.below],
]);
