import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { DIFFERENCE_LIMITS } from './limits.ts';
import { listed, type Noun, withWords } from './listed.ts';
import { inPlayers, type PlayersSaid } from './players-difference.ts';
import { label } from './shown-value.ts';
import { inNames, inValue, namingOf } from './value-difference.ts';

/*
 * What differs between two versions of a definition, in words: "Rule 1: 20 % → 100 %". Pure, and the same for every
 * kind: a new field of a definition is named by its own name until a word for it is put here.
 */

/**
 * The differences, most important first; empty: none that people would see. Absent versions: it was not there.
 * @param players what is known of the players whom the change concerns
 */
export function differenceOf(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  players?: PlayersSaid,
): string[] {
  if (after === undefined) return before === undefined ? [] : withWords(['Deleted'], players?.whole());
  if (before === undefined) return withWords(['Created'], players?.whole());
  const names = [...new Set([...ORDER, ...Object.keys(after), ...Object.keys(before)])];
  let whole = players?.whole();
  const all = names.flatMap((name) => {
    if (MAINTAINED.has(name)) return [];
    const lines = inField(name, before[name] ?? null, after[name] ?? null, players);
    if (lines.length === 0 || !CHOOSES.has(name)) return lines;
    // Once: on the first field that chooses players.
    const words = whole;
    whole = undefined;
    return withWords(lines, words);
  });
  if (all.length <= DIFFERENCE_LIMITS.lines) return all;
  const shown = all.slice(0, DIFFERENCE_LIMITS.lines - 1);
  return [...shown, `and ${all.length - shown.length} more differences`];
}

/** What the service maintains, and what follows from other fields. */
export const MAINTAINED: ReadonlySet<string> = new Set([
  'version',
  'createdAt',
  'updatedAt',
  'editEffect',
  'effective',
  'periods',
  'holdoutPeriods',
  'phases',
  'tested',
  'guardrailShares',
  'startedAt',
  'stoppedAt',
  'shipping',
  'shippedBy',
  'id',
  'writes',
  'createdRevision',
  // With the secret.
  'previousSecret',
  // Those of a game never change, and decide nothing that people see.
  'namespace',
  'tenant',
]);
/** Fields by which a definition chooses its players. */
const CHOOSES: ReadonlySet<string> = new Set([
  'archivedAt',
  'enabled',
  'conditions',
  'includes',
  'excludes',
  'audience',
  'holdoutPercentage',
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
/** What an absent field means. */
const ABSENT: Readonly<Record<string, Json>> = {
  enabled: true,
  clientVisible: true,
  clientPurchases: true,
  clientAttributes: 'all',
  requirePlayerToken: false,
  approval: false,
  revenue: 'all',
  changeReason: false,
  bucketBy: 'player',
};

function inField(name: string, then: Json, now: Json, players: PlayersSaid | undefined): string[] {
  const [before, after] = [then ?? ABSENT[name] ?? null, now ?? ABSENT[name] ?? null];
  if (isDeepStrictEqual(before, after)) return [];
  const special = SPECIAL[name];
  if (special !== undefined) return special(before, after);
  const noun = NOUNS[name];
  if (noun !== undefined && (Array.isArray(before) || before === null) && (Array.isArray(after) || after === null)) {
    return listed(noun, before ?? [], after ?? [], players);
  }
  return inValue(label(name), before, after, namingOf(name, 'labels'));
}

/** Fields with words of their own. */
const SPECIAL: Readonly<Record<string, (before: Json, after: Json) => string[]>> = {
  archivedAt: (_, after) => [after === null ? 'Restored from the archive' : 'Archived'],
  enabled: (_, after) => [after === false ? 'Disabled' : 'Enabled'],
  secret: () => [ANOTHER_SECRET],
  headers: (before, after) => inNames('Headers', before, after),
  includes: (before, after) => inPlayers('Includes', before, after),
  excludes: (before, after) => inPlayers('Excludes', before, after),
  list: (before, after) => inPlayers('List', before, after),
  managedBy: (before, after) => inValue('Managed by', byOf(before), byOf(after), 'labels'),
};

export const ANOTHER_SECRET = 'Secret: another one';

/** The version that a tool wrote last says nothing of the definition. */
const byOf = (managed: Json): Json => (isObject(managed) ? (managed['by'] ?? null) : null);

/** Lists whose items have an identity. */
const NOUNS: Readonly<Record<string, Noun>> = {
  rules: 'Rule',
  variants: 'Variant',
  prerequisites: 'Prerequisite',
  guardrails: 'Guardrail',
  alerts: 'Finding of guardrail',
};
