import { scopeKey } from '../record/scope-key.ts';
import type { Json } from '../../../../core/kernel/text/json.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { WEBHOOK_KINDS } from '../../../../core/vocabulary/documents/webhook-kinds.ts';
import { createdRevisionOf } from '../../../config/webhooks/webhook-revision.ts';
import { compileFilters } from './filters.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';

/** An enabled webhook, compiled for matching. */
export interface Subscription extends Scope {
  webhook: string;
  /** Revision of the webhook's definition. */
  revision: number;
  /** Revision of the webhook's creation: it gets no record that was decided under an older revision. */
  createdRevision: number;
  /** `undefined`: it takes all facts of its kinds. */
  filter: ((data: Json) => boolean) | undefined;
}

/** The enabled webhooks by game, environment and kind. Follows the ConfigStore. */
export interface Subscriptions {
  /** The webhooks of a game and environment that subscribe to a kind, each once. Does not check filters or creation. */
  wanting(scope: Scope, type: string): readonly Subscription[];
  /** Whether a game and environment has an enabled webhook. */
  has(scope: Scope): boolean;
  stop(): void;
}

/** Pattern → its webhooks. A webhook is listed under a wildcard, or under the names that no wildcard of it covers. */
type Index = Map<string, Subscription[]>;

export function createSubscriptions(config: Pick<WebhookConfig, 'list' | 'onChange'>): Subscriptions {
  let indexes: Map<string, Index> | undefined;
  const stop = config.onChange((change) => {
    if (change.address.kind === 'webhook') indexes = undefined;
  });

  return {
    wanting(scope, type) {
      indexes ??= buildIndexes(config.list('webhook'));
      const index = indexes.get(scopeKey(scope));
      if (index === undefined) return [];
      // An event may be named `*`: then its kind equals its group, and the set removes the duplicate.
      const patterns = new Set(['*', groupOf(type), type]);
      return [...patterns].flatMap((pattern) => index.get(pattern) ?? []);
    },
    has(scope) {
      indexes ??= buildIndexes(config.list('webhook'));
      return indexes.has(scopeKey(scope));
    },
    stop,
  };
}

function buildIndexes(entries: readonly ConfigEntry<'webhook'>[]): Map<string, Index> {
  const indexes = new Map<string, Index>();
  for (const entry of entries) {
    const { game, environment, document } = entry;
    if (!document.enabled || environment === '_') continue;
    const subscription: Subscription = {
      game,
      environment,
      webhook: document.id,
      revision: entry.revision,
      createdRevision: createdRevisionOf(entry),
      filter: compileFilters(document.filters),
    };
    const key = scopeKey({ game, environment });
    const index: Index = indexes.get(key) ?? new Map();
    indexes.set(key, index);
    for (const pattern of effectivePatterns(document.events)) {
      const others = index.get(pattern) ?? [];
      others.push(subscription);
      index.set(pattern, others);
    }
  }
  return indexes;
}

/** A webhook's `events` as kinds and wildcards: event names get their prefix, names under a wildcard are removed. */
function effectivePatterns(events: readonly string[]): string[] {
  const patterns = new Set(events.map((text) => (isKindOrWildcard(text) ? text : `event.${text}`)));
  if (patterns.has('*')) return ['*'];
  return [...patterns].filter((pattern) => pattern === groupOf(pattern) || !patterns.has(groupOf(pattern)));
}

/** Whether a webhook with these `events` takes a kind. */
export function subscribesTo(events: readonly string[], type: string): boolean {
  return effectivePatterns(events).some((pattern) => pattern === '*' || pattern === groupOf(type) || pattern === type);
}

function isKindOrWildcard(text: string): boolean {
  return text === '*' || text === 'player.*' || text.startsWith('event.') || Object.hasOwn(WEBHOOK_KINDS, text);
}

/** `event.level_up` → `event.*`. */
function groupOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`;
}
