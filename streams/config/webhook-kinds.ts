import { LIMITS } from '../../src/kernel/limits.ts';
import type { FilterOperator } from '../../actors/vocabulary/documents.ts';

/**
 * The catalogue of webhook event kinds (contract: Webhook event kinds), shared by the API that validates definitions and
 * the sink that matches them. Kinds no fact feeds yet are reserved: a webhook may ask for them and gets them once they
 * exist. `event.<event_name>` stands for any tracked event and so isn't listed by name.
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

/** Patterns that stand for more than one kind. */
const WILDCARDS: ReadonlySet<string> = new Set(['*', 'player.*', 'event.*']);
const RESERVED_GROUPS = ['player.', 'flag.', 'campaign.', 'churn.'];

/**
 * Whether `text` may stand in a webhook's `events`: a kind of the catalogue, a wildcard, `event.<event_name>`, or the
 * bare name of an event. Names that start with another group of the catalogue must be in it: `player.craeted` is a
 * slip, and an event of such a name is still reached as `event.player.craeted`.
 */
export function isWebhookEventPattern(text: string): boolean {
  if (WILDCARDS.has(text) || Object.hasOwn(WEBHOOK_KINDS, text)) return true;
  if (RESERVED_GROUPS.some((group) => text.startsWith(group))) return false;
  const name = text.startsWith('event.') ? text.slice('event.'.length) : text;
  return name.length > 0 && name.length <= LIMITS.nameLength;
}
