import { assert, integer, property, uuid } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemIds } from '../../core/kernel/ids.ts';
import { isOwnSessionId, newSessionId } from './session-id.ts';

const PLAYER = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const OTHER = '0b7d8a52-5c63-5d6e-8a70-2f6c1f6d9c11';
const UUID_V7 = /^ses_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('session ids of init', () => {
  it('are ses_ and a UUIDv7 of the time', () => {
    const id = newSessionId(systemIds, PLAYER, Date.UTC(2026, 0, 15));
    expect(id).toMatch(UUID_V7);
    expect(Number.parseInt(id.slice(4).replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 0, 15));
  });

  it('prove their player, to the last digit', () => {
    assert(
      property(uuid(), integer({ min: 0, max: 10_000_000_000_000 }), (playerId, nowMs) => {
        const id = newSessionId(systemIds, playerId, nowMs);
        expect(isOwnSessionId(playerId, id)).toBe(true);
        const changed = id.slice(0, -1) + (Number.parseInt(id.slice(-1), 16) ^ 1).toString(16);
        expect(isOwnSessionId(playerId, changed)).toBe(false);
      }),
    );
  });

  it('are invalid for another player', () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => newSessionId(systemIds, PLAYER, 1_000 + n));
    // One run in 16,777 finds one by chance; none finds two.
    expect(ids.filter((id) => isOwnSessionId(OTHER, id)).length).toBeLessThan(2);
  });

  it('differ, even within one millisecond', () => {
    const ids = new Set(Array.from({ length: 5_000 }, () => newSessionId(systemIds, PLAYER, 1_000)));
    expect(ids.size).toBe(5_000);
  });

  it("are distinguished from callers' own ids", () => {
    const own = newSessionId(systemIds, PLAYER, 1_000);
    for (const id of ['', 'session-1', own.slice(4), own.toUpperCase(), `${own} `, own.replace('-7', '-4')]) {
      expect(isOwnSessionId(PLAYER, id)).toBe(false);
    }
  });
});
