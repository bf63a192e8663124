import type { Fact } from '../../../../core/vocabulary/facts/facts.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { decodeCommit } from '../../../../core/codec/codec.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import type { Log } from '../../../log/log.ts';
import type { DeliveredPayload, Redelivery } from '../../../webhook-operations.ts';
import { type Delivery, deliveryId, dueSubject, messageIdOf } from '../record/delivery.ts';
import { encodeDelivery } from '../record/delivery-record.ts';
import { occurrenceOf } from '../record/occurrences.ts';
import { deliveryBody } from '../record/payload.ts';
import type { FactPlace } from '../../../../core/vocabulary/records/fact-place.ts';

export interface RedeliverTerms {
  log: Log;
  clock: Clock;
  erasures: Pick<Erasures, 'covers' | 'ready'>;
}

/**
 * Queues the delivery of one fact again, under the id it always has, with attempts from 1. Rejects when the log is
 * closed.
 * @param requestId a repeated request within the stream's duplicate window queues nothing
 */
export async function redeliver(
  { log, clock, erasures }: RedeliverTerms,
  webhook: ConfigEntry<'webhook'>,
  place: FactPlace,
  requestId: string,
): Promise<Redelivery> {
  const found = await deliveryAt({ log, erasures }, webhook, place);
  if (found.kind !== 'found') return found;
  const { delivery } = found;
  const run = uuidv5(RUNS, requestId);
  const queued = { ...delivery, owedSince: clock.wallMs(), run };
  const outcome = await log.append(dueSubject(queued.webhook), encodeDelivery(queued), {
    messageId: messageIdOf(queued),
  });
  return outcome.kind === 'acked' ? { kind: 'queued', deliveryId: queued.id } : { kind: 'unavailable' };
}

/** The payload of one fact's first attempt. Rejects when the log is closed. */
export async function payloadAt(
  terms: Pick<RedeliverTerms, 'log' | 'erasures'>,
  webhook: ConfigEntry<'webhook'>,
  place: FactPlace,
): Promise<DeliveredPayload> {
  const found = await deliveryAt(terms, webhook, place);
  if (found.kind !== 'found') return found;
  return { kind: 'found', body: Buffer.from(deliveryBody(found.delivery)).toString('utf8') };
}

type FoundDelivery = { kind: 'found'; delivery: Delivery } | Exclude<DeliveredPayload, { kind: 'found' }>;

async function deliveryAt(
  { log, erasures }: Pick<RedeliverTerms, 'log' | 'erasures'>,
  webhook: ConfigEntry<'webhook'>,
  place: FactPlace,
): Promise<FoundDelivery> {
  await erasures.ready;
  const fact = await factAt(log, place);
  if (fact === 'unreadable') return { kind: 'unavailable' };
  const delivery = fact === undefined ? undefined : deliveryOf(fact, webhook, place);
  if (delivery === undefined) return { kind: 'gone' };
  return erasures.covers(delivery.player, place) ? { kind: 'erased' } : { kind: 'found', delivery };
}

/** Namespace of run ids: a request id is the caller's text, which a subject cannot contain. */
const RUNS = 'c7f0e1d2-3b4a-4f5e-9a6b-7c8d9e0f1a2b';
const ANY_PARTITION = 'facts.*';

/** `undefined`: FACTS was created again, or no longer holds the record. `unreadable`: a newer version wrote it. */
async function factAt(log: Log, { created, sequence, index }: FactPlace): Promise<Fact | 'unreadable' | undefined> {
  const bounds = await log.info('FACTS');
  if (bounds.created !== created) return undefined;
  const record = await log.next('FACTS', ANY_PARTITION, sequence);
  if (record?.sequence !== sequence) return undefined;
  try {
    return decodeCommit(record.data).facts[index];
  } catch {
    return 'unreadable';
  }
}

/** `undefined`: the fact has no webhook kind, or belongs to another game. */
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
