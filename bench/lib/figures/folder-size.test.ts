import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderBytes } from './folder-size.ts';

test('a folder takes what its files take, those of its folders included', () => {
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(folderBytes(folder)).toBe(0);
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  writeFileSync(join(folder, 'one'), Buffer.alloc(1_000_000, 1));
  writeFileSync(join(folder, 'a', 'b', 'two'), Buffer.alloc(2_000_000, 1));
  const bytes = folderBytes(folder);
  expect(bytes).toBeGreaterThanOrEqual(3_000_000);
  expect(bytes).toBeLessThan(3_100_000);
});
