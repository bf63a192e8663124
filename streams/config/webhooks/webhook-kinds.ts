import { LIMITS } from '../../../core/kernel/limits.ts';
import type { FilterOperator } from '../../../core/vocabulary/documents/documents.ts';

/**
 * The catalogue of webhook event kinds. The API validates definitions with it, and the sink matches facts with it. A
 * webhook may subscribe to a reserved kind, which no fact produces yet. `event.<event_name>` covers tracked events, so
 * they are not listed by name.
 */
export const WEBHOOK_KINDS = {
  'player.created': 'A new player was identified.',
  'player.updated': 'Something of a player changed.',
  'player.lifecycle_changed': "A player's lifecycle stage changed.",
  'player.segment_entered': 'A player joined a segment.',
  'player.segment_exited': 'A player left a segment.',
  'event.*': 'Any event was tracked.',
  'flag.evaluated': 'A player was exposed to a feature flag.',
  'campaign.triggered': 'A retention campaign was triggered for a player.',
  'churn.risk_high': 'A player became a high churn risk.',
} as const satisfies Record<string, string>;

export type WebhookKind = Exclude<keyof typeof WEBHOOK_KINDS, 'event.*'> | `event.${string}`;

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
const RESERVED_GROUPS = ['player.', 'flag.', 'campaign.', 'churn.'];

/**
 * Whether `text` is valid in a webhook's `events`: a kind of the catalogue, a wildcard, `event.<event_name>`, or the
 * bare name of an event. A name that starts with a group of the catalogue must be in it, because `player.craeted` is a
 * typing error; an event of that name can be written as `event.player.craeted`.
 */
export function isWebhookEventPattern(text: string): boolean {
  if (WILDCARDS.has(text) || Object.hasOwn(WEBHOOK_KINDS, text)) return true;
  if (RESERVED_GROUPS.some((group) => text.startsWith(group))) return false;
  const name = text.startsWith('event.') ? text.slice('event.'.length) : text;
  return name.length > 0 && name.length <= LIMITS.nameLength;
}
