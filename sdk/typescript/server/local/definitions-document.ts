import { DEFINITIONS_FORMAT, type WireFlag, type WireSegment } from '../../../../actors/flags/definitions-format.ts';
import type { Holdout } from '../../../../core/vocabulary/documents/game.ts';
import { isUuid } from '../../../../core/kernel/uuid.ts';

/** The definitions as `GET /v1/flags/definitions` answers them. Store them as a file to start from (`bootstrap`). */
export interface DefinitionsDocument {
  readonly format: number;
  readonly revision: number;
  readonly environment?: 'live' | 'test';
  readonly player_namespace?: string;
  readonly holdout?: { readonly percentage: number; readonly salt: string };
  readonly flags: readonly object[];
  readonly segments: readonly object[];
}

/** Definitions that were checked as far as the compiler does not check them. */
export interface ReadDefinitions {
  revision: number;
  /** What precedes an external id in the name of a player's id, and the namespace; undefined if they are not given. */
  players: { namespace: string; prefix: string } | undefined;
  /** Who takes part in no experiment. */
  holdout: Holdout | undefined;
  flags: readonly WireFlag[];
  segments: readonly WireSegment[];
}

/** @returns why the definitions cannot be used, as text */
export function readDefinitions(document: unknown): ReadDefinitions | string {
  const { format, revision, environment, player_namespace: namespace, holdout, flags, segments } = Object(document);
  if (format !== DEFINITIONS_FORMAT) {
    return `The definitions have the format ${String(format)}; this client reads ${DEFINITIONS_FORMAT}. Update it.`;
  }
  if (!Number.isSafeInteger(revision) || !isList(flags, isFlag) || !isList(segments, isSegment)) {
    return 'The definitions are not those of the service.';
  }
  const isNamed = typeof namespace === 'string' && isUuid(namespace) && typeof environment === 'string';
  const players = isNamed ? { namespace, prefix: `${environment}:` } : undefined;
  return { revision, players, holdout: isHoldout(holdout) ? holdout : undefined, flags, segments };
}

function isList<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

/** What `readFlag` reads without looking. */
function isFlag(value: unknown): value is WireFlag {
  const { key, salt, version, enabled, variants, targeting_rules: rules, prerequisites } = Object(value);
  return (
    typeof key === 'string' &&
    typeof salt === 'string' &&
    typeof enabled === 'boolean' &&
    Number.isSafeInteger(version) &&
    [variants, rules, prerequisites].every((list) => Array.isArray(list) && list.every(isObject))
  );
}

function isHoldout(value: unknown): value is Holdout {
  const { percentage, salt } = Object(value);
  return typeof percentage === 'number' && typeof salt === 'string';
}

function isSegment(value: unknown): value is WireSegment {
  const { segment_id: id, key } = Object(value);
  return typeof id === 'string' && typeof key === 'string';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
