import { describe, expect, it } from 'vitest';
import { aDelivery } from '../testing-webhooks.ts';
import type { Delivery } from '../record/delivery.ts';
import { recordMessageId } from '../record/delivery-record.ts';
import { inBatches } from './delivery-batches.ts';

const BOUNDS = { deliveriesPerRecord: 4, deliveriesRecordBytes: 10_000, deliveriesGathered: 1_000 };

/** The deliveries of so many facts to each of the webhooks. */
function* matched(facts: number, webhooks: readonly string[], data = '{}'): Generator<Delivery> {
  for (let index = 0; index < facts; index++) {
    for (const webhook of webhooks) {
      yield aDelivery({ id: `${webhook}-${index}`, webhook, data, place: { created: '', sequence: 1, index } });
    }
  }
}

const idsOf = (batches: Iterable<readonly Delivery[]>): string[][] =>
  [...batches].map((batch) => batch.map(({ id }) => id));

describe('deliveries of one record of FACTS', () => {
  it('are grouped by webhook, in the order of their facts', () => {
    expect(idsOf(inBatches(matched(3, ['a', 'b']), BOUNDS))).toEqual([
      ['a-0', 'a-1', 'a-2'],
      ['b-0', 'b-1', 'b-2'],
    ]);
  });

  it('are cut at the number of deliveries and at their bytes', () => {
    expect(idsOf(inBatches(matched(6, ['a']), BOUNDS))).toEqual([
      ['a-0', 'a-1', 'a-2', 'a-3'],
      ['a-4', 'a-5'],
    ]);
    const large = JSON.stringify('x'.repeat(4_000));
    expect(idsOf(inBatches(matched(3, ['a'], large), BOUNDS))).toEqual([['a-0', 'a-1'], ['a-2']]);
    const huge = JSON.stringify('x'.repeat(40_000));
    expect(idsOf(inBatches(matched(2, ['a'], huge), BOUNDS))).toEqual([['a-0'], ['a-1']]);
  });

  it('are not held back beyond a bound, however many webhooks there are', () => {
    let made = 0;
    const counted = function* (): Generator<Delivery> {
      for (const delivery of matched(100, ['a', 'b', 'c', 'd', 'e'])) {
        made += 1;
        yield delivery;
      }
    };
    const batches = inBatches(counted(), { ...BOUNDS, deliveriesPerRecord: 64, deliveriesGathered: 20 });
    batches.next();
    expect(made).toBeLessThanOrEqual(21);
    expect([...batches].flat()).toHaveLength(500 - 4);
  });

  it('give the same batches again, also when another receiver fails meanwhile: the broker drops the repeat', () => {
    const bounds = { ...BOUNDS, deliveriesGathered: 7 };
    const messageIds = (webhooks: readonly string[]) =>
      [...inBatches(matched(9, webhooks), bounds)].map(recordMessageId).toSorted();
    expect(messageIds(['a', 'b', 'c'])).toEqual(messageIds(['c', 'a', 'b']));
  });
});

it('records with different deliveries have different message ids, and one delivery has the id that it always had', () => {
  const [one, two, three] = matched(3, ['a']);
  if (one === undefined || two === undefined || three === undefined) throw new Error('too few deliveries');
  expect(recordMessageId([one, two])).not.toBe(recordMessageId([one, three]));
  expect(recordMessageId([one])).toBe('a-0');
});
