import { scopeKey } from '../../record/scope-key.ts';
import type { Json, JsonText } from '../../../../../core/kernel/text/json.ts';
import { type Delivery, deliveryId } from '../../record/delivery.ts';
import { occurrenceOf } from '../../record/occurrences.ts';
import { type Subscription, type Subscriptions } from '../subscriptions.ts';
import type { Scope } from '../../../../../core/vocabulary/documents/scope.ts';
import type { CommitRecord } from '../../../../../core/vocabulary/facts/commit-record.ts';
import type { RecordPlace } from '../../../../../core/vocabulary/records/fact-place.ts';

/**
 * Makes the deliveries of one record: one for every pair of a fact and a webhook that subscribes to it.
 * @param isHealthy failing webhooks of a fact come last, because each delivery is a write to disk
 * @param indexes facts to match; all by default
 */
export function* matchRecord(
  record: CommitRecord,
  place: RecordPlace,
  subscriptions: Pick<Subscriptions, 'wanting'>,
  isHealthy: (webhook: string) => boolean = () => true,
  indexes: Iterable<number> = record.facts.keys(),
): Generator<Delivery> {
  for (const index of indexes) {
    const fact = record.facts[index];
    if (fact === undefined || !('game' in fact)) continue;
    const occurrence = occurrenceOf(fact);
    if (occurrence === undefined) continue;
    let text: JsonText | undefined;
    let parsed: Json | undefined;
    for (const subscription of healthyFirst(subscriptions.wanting(fact, occurrence.type), isHealthy)) {
      if (record.configRevision < subscription.createdRevision) continue;
      text ??= occurrence.data();
      if (subscription.filter !== undefined) {
        parsed ??= parseData(text);
        if (!subscription.filter(parsed)) continue;
      }
      yield {
        id: deliveryId(subscription.webhook, place.created, place.sequence, index),
        game: fact.game,
        environment: fact.environment,
        webhook: subscription.webhook,
        configRevision: subscription.revision,
        type: occurrence.type,
        timestamp: occurrence.timestamp,
        data: text,
        player: fact.entityId,
        place: { ...place, index },
        attempt: 1,
        deferrals: 0,
        owedSince: record.committedAt,
      };
    }
  }
}

/** The games of a record that have enabled webhooks, each with the indexes of its facts. */
export function gamesOf(
  record: CommitRecord,
  subscriptions: Pick<Subscriptions, 'has'>,
): Iterable<{ scope: Scope; indexes: readonly number[] }> {
  const games = new Map<string, { scope: Scope; indexes: number[] }>();
  for (const [index, fact] of record.facts.entries()) {
    if (!('game' in fact)) continue;
    const { game, environment } = fact;
    const key = scopeKey(fact);
    const known = games.get(key) ?? { scope: { game, environment }, indexes: [] };
    games.set(key, known);
    known.indexes.push(index);
  }
  return [...games.values()].filter(({ scope }) => subscriptions.has(scope));
}

function healthyFirst(all: readonly Subscription[], isHealthy: (webhook: string) => boolean): readonly Subscription[] {
  if (all.length < 2) return all;
  const [healthy, failing]: [Subscription[], Subscription[]] = [[], []];
  for (const one of all) (isHealthy(one.webhook) ? healthy : failing).push(one);
  return failing.length === 0 ? all : [...healthy, ...failing];
}

/** The text is our own, made from validated data. JSON.parse makes `__proto__` an own property like any other. */
function parseData(text: JsonText): Json {
  const value: Json = JSON.parse(text);
  return value;
}
