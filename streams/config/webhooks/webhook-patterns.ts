import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { FilterOperator } from '../../../core/vocabulary/documents/documents.ts';
import { WEBHOOK_KINDS, type CatalogueKind } from '../../../core/vocabulary/documents/webhook-kinds.ts';

/* What a webhook may subscribe to, and the operators of its filters. */

/** Filter operators and their descriptions in the OpenAPI document. All filters of a webhook must hold. */
export const FILTER_OPERATORS = {
  eq: 'Equal to the given string, number, boolean or null.',
  ne: 'Not equal to the given string, number, boolean or null. Holds for an absent value.',
  gt: 'A number greater than the given one.',
  gte: 'A number greater than or equal to the given one.',
  lt: 'A number less than the given one.',
  lte: 'A number less than or equal to the given one.',
  in: 'Equal to one value of the given array.',
  nin: 'Equal to no value of the given array. Holds for an absent value.',
  contains: 'A string or an array that contains the given value.',
  exists: 'Whether the value is present (true) or absent (false).',
} as const satisfies Record<FilterOperator, string>;

/** Patterns that match several kinds. */
export const WILDCARDS: ReadonlySet<string> = new Set(['*', 'player.*', 'event.*']);

const KINDS = Object.keys(WEBHOOK_KINDS).filter((kind) => isCatalogueKind(kind));
/** `player.`, `event.` and others. */
const GROUPS = new Set(KINDS.map((kind) => kind.slice(0, kind.indexOf('.') + 1)));

export function isCatalogueKind(kind: string): kind is CatalogueKind {
  return Object.hasOwn(WEBHOOK_KINDS, kind);
}

/**
 * Whether `text` is valid in a webhook's `events`: a kind of the catalogue, a wildcard, `event.<event_name>`, or the
 * bare name of an event. A name that starts with a group of the catalogue must be in it, because `player.craeted` is a
 * typing error; an event of that name can be written as `event.player.craeted`.
 */
export function isWebhookEventPattern(text: string): boolean {
  if (WILDCARDS.has(text) || isCatalogueKind(text)) return true;
  const isEvent = text.startsWith('event.');
  if (!isEvent && [...GROUPS].some((group) => text.startsWith(group))) return false;
  const name = isEvent ? text.slice('event.'.length) : text;
  return name.length > 0 && name.length <= TEXT_LIMITS.nameLength;
}

/** The kinds of the catalogue that a webhook's `events` name; `event.*` stands for every event. */
export function cataloguedKinds(events: readonly string[]): readonly CatalogueKind[] {
  const isNamed = (kind: string, event: string): boolean =>
    event === '*' || event === kind || (event === 'player.*' && kind.startsWith('player.'));
  const isEvent = (event: string): boolean => !KINDS.some((kind) => isNamed(kind, event));
  return KINDS.filter((kind) => events.some((event) => isNamed(kind, event) || (kind === 'event.*' && isEvent(event))));
}
