import type { Clock } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { TestedDelivery, TestSample } from '../../../webhook-operations.ts';
import { errorOf, startOf } from '../delivery/attempt-log.ts';
import { occurrenceOf } from '../record/occurrences.ts';
import { deliveryBody, deliveryHeaders } from '../record/payload.ts';
import { unmetFilters } from '../matching/filters.ts';
import { subscribesTo } from '../matching/subscriptions.ts';
import { sampleFact } from '../matching/facts/sample-fact.ts';
import { type DeliverySender, isDelivered } from '../delivery/sender.ts';
import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';

export interface TestTerms {
  sender: DeliverySender;
  clock: Clock;
  ids: Ids;
  /** Time-out of the whole attempt. */
  timeoutMs: number;
}

/** Makes one attempt with a sample payload; signature, bounds and address checks as for any other. Never rejects. */
export async function sendTest(
  { sender, clock, ids, timeoutMs }: TestTerms,
  game: string,
  environment: Environment,
  webhook: WebhookDocument,
  sample: TestSample = {},
): Promise<TestedDelivery> {
  const atMs = clock.wallMs();
  const occurrence = occurrenceOf(sampleFact(webhook.events, game, environment, atMs, sample));
  if (occurrence === undefined) throw new Error('a sample fact has no webhook kind');
  const { type, timestamp } = occurrence;
  const id = ids.uuidv7(atMs);
  const data = occurrence.data();
  const body = deliveryBody({ id, type, timestamp, data, webhook: webhook.id, attempt: 1 });
  const headers = deliveryHeaders({ id }, webhook, body, atMs);
  const startedMs = clock.monotonicMs();
  const outcome = await sender.send({ url: webhook.url, headers, body, timeoutMs });
  const answered = outcome.kind === 'answered';
  return {
    deliveryId: id,
    type,
    subscribed: subscribesTo(webhook.events, type),
    unmetFilters: unmetFilters(webhook.filters, JSON.parse(data)),
    delivered: isDelivered(outcome),
    status: answered ? outcome.status : null,
    durationMs: Math.round(clock.monotonicMs() - startedMs),
    error: answered ? null : errorOf(outcome),
    responseStart: answered ? startOf(outcome.responseStart) : '',
  };
}
