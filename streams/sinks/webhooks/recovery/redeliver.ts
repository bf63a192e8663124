import type { Fact } from '../../../../actors/vocabulary/facts.ts';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { uuidv5 } from '../../../../src/kernel/ids.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { decodeCommit } from '../../../codec.ts';
import type { Erasures } from '../../../erasures.ts';
import type { Log } from '../../../log/log.ts';
import type { Redelivery } from '../../../webhook-operations.ts';
import { type Delivery, deliveryId, dueSubject, encodeDelivery, messageIdOf } from '../delivery/delivery.ts';
import { occurrenceOf } from '../matching/occurrences.ts';
import type { FactPlace } from '../../../records/fact-place.ts';

export interface RedeliverTerms {
  log: Log;
  clock: Clock;
  erasures: Pick<Erasures, 'covers' | 'ready'>;
}

/**
 * Queues the delivery of the fact at a place again, under the id it always has, with attempts of their own from 1.
 * Rejects when the log is closed.
 * @param requestId repeats of it within the stream's duplicate window queue nothing more
 */
export async function redeliver(
  { log, clock, erasures }: RedeliverTerms,
  webhook: ConfigEntry<'webhook'>,
  place: FactPlace,
  requestId: string,
): Promise<Redelivery> {
  await erasures.ready;
  const fact = await factAt(log, place);
  const delivery = fact === undefined ? undefined : deliveryOf(fact, webhook, place);
  if (delivery === undefined) return { kind: 'gone' };
  if (erasures.covers(delivery.player, place)) return { kind: 'erased' };
  const run = uuidv5(RUNS, requestId);
  const again = { ...delivery, owedSince: clock.wallMs(), run };
  const outcome = await log.append(dueSubject(again.webhook), encodeDelivery(again), { messageId: messageIdOf(again) });
  return outcome.kind === 'acked' ? { kind: 'queued', deliveryId: again.id } : { kind: 'unavailable' };
}

/** Namespace of what tells redeliveries apart: request ids are callers' text, and the broker's subjects take no such. */
const RUNS = 'c7f0e1d2-3b4a-4f5e-9a6b-7c8d9e0f1a2b';
const ANY_PARTITION = 'facts.*';

/** `undefined`: FACTS is another one by now, or holds that record no longer. */
async function factAt(log: Log, { created, sequence, index }: FactPlace): Promise<Fact | undefined> {
  const bounds = await log.info('FACTS');
  if (bounds.created !== created) return undefined;
  const record = await log.next('FACTS', ANY_PARTITION, sequence);
  return record?.sequence === sequence ? decodeCommit(record.data).facts[index] : undefined;
}

/** `undefined`: it is nothing that this webhook can ever have been told of. */
function deliveryOf(fact: Fact, webhook: ConfigEntry<'webhook'>, place: FactPlace): Delivery | undefined {
  const { game, environment, revision } = webhook;
  const occurrence = occurrenceOf(fact);
  if (occurrence === undefined || !('game' in fact)) return undefined;
  if (fact.game !== game || fact.environment !== environment) return undefined;
  return {
    id: deliveryId(webhook.document.id, place.created, place.sequence, place.index),
    game,
    environment: fact.environment,
    webhook: webhook.document.id,
    configRevision: revision,
    type: occurrence.type,
    timestamp: occurrence.timestamp,
    data: occurrence.data(),
    player: fact.entityId,
    place,
    attempt: 1,
    deferrals: 0,
    owedSince: occurrence.timestamp,
  };
}
