import { sortableVersion } from '../../../actors/conditions/texts/version.ts';
import { compileRegex } from '../../../actors/conditions/regex.ts';
import { OPERATORS } from '../../../actors/conditions/operators.ts';
import { PLATFORMS, platformName } from '../../../core/vocabulary/state/platform.ts';
import { below, isObject, type Json } from '../../../core/kernel/text/json.ts';

/** An operator that lacks its `$`, that compares versions as texts, or whose pattern finds no platform. */
export interface OperatorWarning {
  /** JSON pointer below the condition. */
  path: string;
  message: string;
  suggestions: string[];
}

/**
 * Operators without `$` in a valid condition: `{"attributes.level": {"gte": 2}}` compares the level with the object
 * `{"gte": 2}`, and never holds. An object whose keys are not all names of operators is taken as a value. Also
 * operators that order texts by their characters, on a version: by `$gte`, "10.0" is before "9.0". And patterns of
 * names under which no platform is stored, such as those of engines.
 */
export function operatorWarnings(condition: Json, path = ''): OperatorWarning[] {
  if (Array.isArray(condition)) return condition.flatMap((part, place) => operatorWarnings(part, `${path}/${place}`));
  if (!isObject(condition)) return [];
  return Object.entries(condition).flatMap(([field, operand]) => {
    const at = below(path, field);
    if (field.startsWith('$')) return operatorWarnings(operand, at);
    if (field === 'events' && isObject(operand)) {
      const { where = null, count = null } = operand;
      return [...operatorWarnings(where, `${at}/where`), ...inOperand(count, `${at}/count`)];
    }
    return inOperand(operand, at, kindOf(field));
  });
}

/** In the operators on a value, or the value that it must equal. */
function inOperand(operand: Json, path: string, kind?: FieldKind): OperatorWarning[] {
  if (!isObject(operand)) return [];
  const members = Object.entries(operand);
  const meant = members.map(([name]) => meantBy(name));
  if (meant.every((operator) => operator === undefined)) {
    return members.flatMap(([name, inner]) => {
      const at = below(path, name);
      if (NESTING.has(name)) return inOperand(inner, at, kind);
      if (kind === 'platform') return patternWarnings(name, inner, at);
      return ORDERING.has(name) && (kind === 'version' || isVersionText(inner)) ? [versionWarning(name, at)] : [];
    });
  }
  if (meant.includes(undefined)) return [];
  return members.map(([name], place) => {
    const operator = meant[place] ?? '';
    const message = `\`${name}\` is compared as a part of a value; did you mean the operator \`${operator}\`?`;
    return { path: below(path, name), message, suggestions: [operator] };
  });
}

type FieldKind = 'version' | 'platform';

/** Fields of players and properties of events that hold a version by their name, and those that hold a platform. */
function kindOf(field: string): FieldKind | undefined {
  if (field === 'platform' || field === 'context.platform') return 'platform';
  return /version$/i.test(field) ? 'version' : undefined;
}

const STORED_PLATFORMS: readonly string[] = Object.keys(PLATFORMS);

function patternWarnings(name: string, pattern: Json, path: string): OperatorWarning[] {
  if (typeof pattern !== 'string' || !PATTERNS.has(name)) return [];
  const compiled = compileRegex(pattern, name.endsWith('i'));
  if (compiled.kind === 'invalid' || STORED_PLATFORMS.some(compiled.matches)) return [];
  const meant = platformName(pattern.replaceAll(/[$^]/g, ''));
  const message = `\`${name}\` finds none of the stored names of platforms (${STORED_PLATFORMS.join(', ')})`;
  return [{ path, message, suggestions: STORED_PLATFORMS.filter((stored) => stored === meant) }];
}

const PATTERNS: ReadonlySet<string> = new Set(['$regex', '$regexi', '$notRegex', '$notRegexi']);

const ORDERING: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte']);

function isVersionText(operand: Json): boolean {
  return typeof operand === 'string' && operand.includes('.') && sortableVersion(operand) !== undefined;
}

function versionWarning(name: string, path: string): OperatorWarning {
  const meant = name.replace('$', '$v');
  const message = `\`${name}\` compares texts by their characters, so that "10.0" is before "9.0"; for versions use \`${meant}\``;
  return { path, message, suggestions: [meant] };
}

/** Operators whose operand holds operators, or a condition on the fields of an element. */
const NESTING: ReadonlySet<string> = new Set(['$not', '$size', '$elemMatch']);

function meantBy(name: string): string | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** By their names without `$`, in lower case. */
const BY_NAME: ReadonlyMap<string, string> = new Map(
  [...OPERATORS.keys()].map((operator) => [operator.slice(1).toLowerCase(), operator]),
);
