import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { isSource, watchSources } from './watch-sources.ts';

test('several changes at once cause one call', async () => {
  const root = mkdtempSync(join(tmpdir(), 'player-analytics-'));
  for (const folder of ['src/api', 'actors']) mkdirSync(join(root, folder), { recursive: true });
  let changes = 0;
  let timersSet = 0;
  const pending = new Set<() => void>();
  const clock = {
    ...systemClock,
    timer(_delayMs: number, fn: () => void) {
      const fire = () => fn();
      timersSet += 1;
      pending.add(fire);
      return () => void pending.delete(fire);
    },
  };
  const stop = watchSources(clock, () => (changes += 1), root);
  for (const file of ['src/api/a.ts', 'src/b.ts', 'actors/c.ts']) writeFileSync(join(root, file), '1');
  await until('all three are seen', () => timersSet >= 3);
  expect(pending.size).toBe(1);
  for (const fire of pending) fire();
  expect(changes).toBe(1);
  stop();
  rmSync(root, { recursive: true, force: true });
});

test.each([
  ['api/players.ts', true],
  ['0001_events.sql', true],
  ['api/players.test.ts', false],
  ['README.md', false],
])('%s is part of the service: %s', (file, expected) => {
  expect(isSource(file)).toBe(expected);
});
