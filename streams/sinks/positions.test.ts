import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createMemoryBroker } from '../log/log-memory.ts';
import { createPositionStore, loadWithBounds, parseSinkPosition } from './positions.ts';
import { commit } from './testing.ts';

describe('a position with the bounds of FACTS', () => {
  it('is of one moment, though another writer goes on between the two looks', async () => {
    const log = createMemoryBroker({ clock: createFakeClock() }).connect();
    const other = createPositionStore(log.bucket('POSITIONS'), 'sink', parseSinkPosition);
    await other.load();
    await other.save({ stream: 's', sequence: 1 });
    await commit(log, []);
    const ours = createPositionStore(log.bucket('POSITIONS'), 'sink', parseSinkPosition);
    let looks = 0;
    const { stored, bounds } = await loadWithBounds(ours, {
      async info(stream) {
        const seen = await log.info(stream);
        looks += 1;
        // Meanwhile records are committed, and the other writer handles them.
        if (looks === 1) {
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
