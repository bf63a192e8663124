import { describe, expect, it } from 'vitest';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { SINK_LIMITS } from './limits.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import type { Reader } from '../../log/log.ts';
import { aCommit, aTrackedEvent } from '../testing-commits.ts';
import { gatherBatch } from './gather-batch.ts';

const EVENTS_PER_RECORD = 4;

/** A reader that has stored records at once, as after a long insert. */
function backlogOf(records: number): Reader & { readonly taken: number } {
  let taken = 0;
  return {
    started: Promise.resolve(),
    ended: undefined,
    get pending() {
      return records - taken;
    },
    take() {
      if (taken === records) return [];
      taken += 1;
      return [{ sequence: taken, subject: 'facts.0', data: new Uint8Array(8), storedAtMs: 0 }];
    },
    stop() {},
    get taken() {
      return taken;
    },
  };
}

describe('the gathering of a batch', () => {
  it('gives other work of the thread a turn while it makes the rows of a backlog', async () => {
    const clock = createFakeClock();
    const reader = backlogOf(1_000);
    const events = Array.from({ length: EVENTS_PER_RECORD }, (_, i) => aTrackedEvent({ eventId: `event-${i}` }));
    const batch = gatherBatch({
      reader,
      rows: createRowBatch(),
      add: ({ sequence }, { rows }) => rows.add(aCommit(events), { stream: 'incarnation', sequence }),
      clock,
      signal: createSignal(),
      notBeforeMs: 0,
      exactlyTo: 1_000,
      hurry: () => false,
      abandoned: () => false,
    });

    await clock.flush();
    expect(reader.taken).toBe(SINK_LIMITS.sinkRowsAtOnce / EVENTS_PER_RECORD);

    await clock.advance(0);
    expect(await batch).toMatchObject({ from: 1, to: 1_000 });
    expect(reader.taken).toBe(1_000);
  });
});
