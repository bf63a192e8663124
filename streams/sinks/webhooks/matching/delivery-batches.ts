import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { MATCHING_LIMITS } from './limits.ts';
import type { Delivery } from '../record/delivery.ts';

/** Deliveries of one webhook that share a record of DELIVERIES; at least one. */
export type DeliveryBatch = readonly [Delivery, ...Delivery[]];

type Bounds = Adjustable<
  typeof MATCHING_LIMITS,
  'deliveriesPerRecord' | 'deliveriesRecordBytes' | 'deliveriesGathered'
>;

/**
 * Groups the deliveries of one record of FACTS by webhook. The groups depend on the record and the webhooks only, not
 * on time or load: matching a record again gives the same batches with the same message ids, which the broker drops.
 * @param deliveries those of one fact follow each other
 * @param limits of one batch, and of all that are held back until their facts are matched
 */
export function* inBatches(deliveries: Iterable<Delivery>, limits: Bounds = MATCHING_LIMITS): Generator<DeliveryBatch> {
  const batches = new Map<string, { deliveries: [Delivery, ...Delivery[]]; bytes: number }>();
  let held = 0;
  let index: number | undefined;
  for (const delivery of deliveries) {
    // Between two facts only: within one, the order of its webhooks depends on the health of their receivers.
    if (held >= limits.deliveriesGathered && index !== delivery.place.index) {
      for (const batch of batches.values()) yield batch.deliveries;
      batches.clear();
      held = 0;
    }
    ({ index } = delivery.place);
    const bytes = sizeOf(delivery);
    const batch = batches.get(delivery.webhook);
    held += 1;
    if (batch === undefined) {
      batches.set(delivery.webhook, { deliveries: [delivery], bytes });
    } else if (
      batch.deliveries.length < limits.deliveriesPerRecord &&
      batch.bytes + bytes <= limits.deliveriesRecordBytes
    ) {
      batch.deliveries.push(delivery);
      batch.bytes += bytes;
    } else {
      batches.set(delivery.webhook, { deliveries: [delivery], bytes });
      held -= batch.deliveries.length;
      yield batch.deliveries;
    }
  }
  for (const batch of batches.values()) yield batch.deliveries;
}

/** Approximate bytes of a delivery without its data. */
const FRAME_BYTES = 512;

/** Approximate bytes of a delivery in a record. */
export const sizeOf = ({ data }: Delivery): number => data.length + FRAME_BYTES;
