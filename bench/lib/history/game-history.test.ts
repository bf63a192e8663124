import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { playsOn, stepsReached, USUAL_GAME, writeHistory, firstDayOf, type GameRules } from './game-history.ts';

const folder = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const rules: GameRules = { ...USUAL_GAME, seed: 7, players: 300, days: 40, startMs: Date.UTC(2025, 0, 1) };

test('the file has what its maker counted', () => {
  const path = join(folder, 'game.ndjson');
  const made = writeHistory(path, rules);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const events: { event_id: string; external_id: string; event_name: string }[] = lines.map((line) => JSON.parse(line));
  const counts = [...Map.groupBy(events, ({ event_name: name }) => name)].map(([name, all]) => [name, all.length]);
  expect(made).toMatchObject({
    lines: new Set(events.map(({ event_id: id }) => id)).size,
    events: Object.fromEntries(counts),
    players: new Set(events.map(({ external_id: id }) => id)).size,
  });
  expect(made.events['purchase']).toBeGreaterThan(5);
});

test('players come, stay and take the steps of the funnel as the rules say', async () => {
  const many = { ...rules, players: 20_000 };
  const players = Array.from({ length: many.players }, (_, player) => player);
  const able = players.filter((player) => firstDayOf(many, player) + 7 < many.days);
  const returned = able.filter((player) => playsOn(many, player, firstDayOf(many, player) + 7));
  expect(returned.length / able.length).toBeCloseTo(0.45 * 7 ** -0.55, 1);
  const reached = players.filter((player) => stepsReached(many, player).length === many.funnel.length);
  expect(reached.length / players.length).toBeCloseTo(0.95 * 0.8 * 0.6 * 0.5, 1);
});
