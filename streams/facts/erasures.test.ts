import { assert, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_LIMITS } from '../log/limits.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { noteErasure, watchErasures } from './erasures.ts';
import { createMemoryBroker } from '../log/memory/log-memory.ts';

const created = '2026-01-01T00:00:00.000Z';

async function setUp(...noted: { player: string; sequence: number; index?: number; erasedAt?: number }[]) {
  const clock = createFakeClock();
  const log = createMemoryBroker({ clock }).connect('one');
  for (const { player, sequence, index = 3, erasedAt = clock.wallMs() } of noted) {
    const outcome = noteErasure(log, player, { created, sequence, index, erasedAt });
    await clock.advance(100);
    expect(await outcome).toMatchObject({ kind: 'written' });
  }
  const erasures = watchErasures(log, clock);
  expect(erasures.current).toBe(false);
  await clock.advance(100);
  expect(erasures.current).toBe(true);
  await erasures.ready;
  return { clock, log, erasures };
}

describe('erasures', () => {
  it('cover facts before them in the log, and none after', async () => {
    const { erasures } = await setUp({ player: 'p', sequence: 10 });
    const place = record({ sequence: integer({ min: 1, max: 20 }), index: integer({ min: 0, max: 6 }) });
    assert(
      property(place, ({ sequence, index }) => {
        const isBefore = sequence * 10 + index < 10 * 10 + 3;
        expect(erasures.covers('p', { created, sequence, index })).toBe(isBefore);
        expect(erasures.covers('another', { created, sequence, index })).toBe(false);
      }),
    );
  });

  it('in a form of a newer version cover every fact of the player', async () => {
    const { clock, log, erasures } = await setUp();
    void log.bucket('ERASURES').put('p', Buffer.from('{"newer":true}'));
    void log.bucket('ERASURES').put('q', Buffer.from('no JSON'));
    await clock.advance(100);
    for (const player of ['p', 'q']) expect(erasures.covers(player, { created, sequence: 99, index: 0 })).toBe(true);
    expect(erasures.covers('another', { created, sequence: 1, index: 0 })).toBe(false);
  });

  it('cover every fact of an earlier log, and none of a later one', async () => {
    const { erasures } = await setUp({ player: 'p', sequence: 10 });
    expect(erasures.covers('p', { created: '2025-12-01T00:00:00.000Z', sequence: 99, index: 0 })).toBe(true);
    expect(erasures.covers('p', { created: '2026-02-01T00:00:00.000Z', sequence: 1, index: 0 })).toBe(false);
  });

  it('are followed while they are watched; a player’s newest counts', async () => {
    const { clock, log, erasures } = await setUp({ player: 'p', sequence: 10 });
    expect(erasures.covers('p', { created, sequence: 15, index: 0 })).toBe(false);
    void noteErasure(log, 'p', { created, sequence: 20, index: 0, erasedAt: clock.wallMs() });
    await clock.advance(100);
    expect(erasures.covers('p', { created, sequence: 15, index: 0 })).toBe(true);
    erasures.stop();
  });

  it('are dropped when no fact of their time is left', async () => {
    const { clock, log, erasures } = await setUp({ player: 'old', sequence: 10 });
    await clock.advance(LOG_LIMITS.erasureMarkMs);
    void noteErasure(log, 'new', { created, sequence: 20, index: 0, erasedAt: clock.wallMs() });
    await clock.advance(100);
    expect(erasures.covers('old', { created, sequence: 1, index: 0 })).toBe(false);
    expect(erasures.covers('new', { created, sequence: 1, index: 0 })).toBe(true);
  });
});
