import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { DIFFERENCE_LIMITS } from './limits.ts';
import { listed } from './listed.ts';
import { inValue } from './value-difference.ts';
import { label } from './shown-value.ts';

/*
 * What differs between two versions of a definition, in words: "Rule 1: 20 % → 100 %". Pure, and the same for every
 * kind: a new field of a definition is named by its own name until a word for it is put here.
 */

/** The differences, most important first; empty: none that people would see. Absent versions: it was not there. */
export function differenceOf(before: JsonObject | undefined, after: JsonObject | undefined): string[] {
  if (after === undefined) return before === undefined ? [] : ['Deleted'];
  if (before === undefined) return ['Created'];
  const names = [...new Set([...ORDER, ...Object.keys(after), ...Object.keys(before)])];
  const all = names.flatMap((name) =>
    MAINTAINED.has(name) ? [] : inField(name, before[name] ?? null, after[name] ?? null),
  );
  if (all.length <= DIFFERENCE_LIMITS.lines) return all;
  const shown = all.slice(0, DIFFERENCE_LIMITS.lines - 1);
  return [...shown, `and ${all.length - shown.length} more differences`];
}

/** What the service maintains. The salt of a flag never changes. */
const MAINTAINED: ReadonlySet<string> = new Set([
  'version',
  'createdAt',
  'updatedAt',
  'editEffect',
  'periods',
  'phases',
  'startedAt',
  'stoppedAt',
  'shipping',
  'shippedBy',
  'id',
  'writes',
  'managedBy',
]);
/** What decides most comes first. */
const ORDER = [
  'archivedAt',
  'enabled',
  'state',
  'winner',
  'traffic',
  'rules',
  'conditions',
  'variants',
  'trigger',
  'audience',
];

function inField(name: string, before: Json, after: Json): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (name === 'archivedAt') return [after === null ? 'Restored from the archive' : 'Archived'];
  // Absent means true, as for segments and what client keys may know of flags.
  if (name === 'enabled') return (before ?? true) === (after ?? true) ? [] : [after === false ? 'Disabled' : 'Enabled'];
  if (name === 'clientVisible' && (before ?? true) === (after ?? true)) return [];
  const noun = NOUNS[name];
  if (noun !== undefined && (Array.isArray(before) || before === null) && (Array.isArray(after) || after === null)) {
    return listed(noun, before ?? [], after ?? []);
  }
  return inValue(label(name), before, after);
}

/** Lists whose items have an identity. */
const NOUNS: Readonly<Record<string, 'Rule' | 'Variant' | 'Prerequisite'>> = {
  rules: 'Rule',
  variants: 'Variant',
  prerequisites: 'Prerequisite',
};
