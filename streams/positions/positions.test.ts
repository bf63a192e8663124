import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { createMemoryBroker } from '../log/memory/log-memory.ts';
import { loadWithBounds, parseSinkPosition, storedPosition } from './positions.ts';
import { commit } from '../sinks/testing-commits.ts';

describe('a position and the bounds of FACTS', () => {
  it('are read as of one moment while another writer moves the position', async () => {
    const log = createMemoryBroker({ clock: createFakeClock() }).connect();
    const other = storedPosition(log, 'webhooks', parseSinkPosition);
    await other.load();
    await other.save({ stream: 's', sequence: 1 });
    await commit(log, []);
    const ours = storedPosition(log, 'webhooks', parseSinkPosition);
    let reads = 0;
    const { stored, bounds } = await loadWithBounds(ours, {
      async info(stream) {
        const seen = await log.info(stream);
        reads += 1;
        // Meanwhile records are committed, and the other writer handles them.
        if (reads === 1) {
          await commit(log, []);
          await commit(log, []);
          await other.save({ stream: 's', sequence: 3 });
        }
        return seen;
      },
    });
    expect(stored).toEqual({ stream: 's', sequence: 3 });
    expect(bounds.lastSequence).toBe(3);
    expect(await ours.save({ stream: 's', sequence: 3 })).toBe('saved');
  });
});
