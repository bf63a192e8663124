import { expect, it } from 'vitest';
import { aPlayer } from '../../../test/support/in-memory/http-gateway.ts';
import { TABLES } from './tables.ts';
import { rowsOf } from '../rows.ts';
import type { PlayerUpdated } from '../../../core/vocabulary/facts/facts.ts';

const ORIGIN = { stream: '2026-01-01T00:00:00Z', sequence: 7, index: 2, partition: 0 };

it('a player has a row of test players for each change of its mark, the newest of which counts', () => {
  const updated = (changed: string[], isTestPlayer: boolean): PlayerUpdated => ({
    kind: 'PlayerUpdated',
    entityId: aPlayer().id,
    game: 'demo',
    environment: 'live',
    at: 5_000,
    changed,
    player: aPlayer({ isTestPlayer }),
  });
  const unmarked = (fact: PlayerUpdated): unknown[] =>
    rowsOf(fact, ORIGIN).map(([table, values]) => [table, values[TABLES.test_players.columns.indexOf('unmarked')]]);
  expect(unmarked(updated(['email', 'is_test_player'], true))).toEqual([['test_players', 0]]);
  expect(unmarked(updated(['is_test_player'], false))).toEqual([['test_players', 1]]);
  expect(unmarked(updated(['email'], true))).toEqual([]);

  const created = BigInt(Date.parse(ORIGIN.stream));
  const [, values] = rowsOf(updated(['is_test_player'], true), ORIGIN)[0] ?? [];
  expect(values?.[TABLES.test_players.columns.indexOf('version')]).toBe((created << 80n) | (7n << 32n) | 2n);
});
