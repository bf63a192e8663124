import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { factsBytesFor, firstFactsBytes } from './first-log-size.ts';

const GIB = 1024 ** 3;

test('the log takes half of the free space, at most 64 GiB and at least 64 MiB', () => {
  expect(factsBytesFor(20 * GIB)).toBe(10 * GIB);
  expect(factsBytesFor(20 * GIB + 1_234_567) % (1024 * 1024)).toBe(0);
  expect(factsBytesFor(1_000 * GIB)).toBe(64 * GIB);
  expect(factsBytesFor(0)).toBe(GIB / 16);
});

test('the disk decides until FACTS exists', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'player-analytics-'));
  try {
    expect(firstFactsBytes(dataDir)).toBeGreaterThanOrEqual(GIB / 16);
    // A first start that ended before the streams were made.
    mkdirSync(join(dataDir, 'nats', 'jetstream', '$G'), { recursive: true });
    expect(firstFactsBytes(dataDir)).toBeGreaterThanOrEqual(GIB / 16);
    mkdirSync(join(dataDir, 'nats', 'jetstream', '$G', 'streams', 'FACTS'), { recursive: true });
    expect(firstFactsBytes(dataDir)).toBeUndefined();
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
