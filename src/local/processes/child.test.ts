import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONFIG_ERROR_EXIT } from '../../settings/config.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createChild } from './child.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'player-analytics-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Starts a child that records each of its starts and exits with this code. */
async function startEnding(exitCode: number) {
  const starts = join(root, 'starts');
  appendFileSync(starts, '');
  const lines: string[] = [];
  const child = createChild(
    {
      name: 'service',
      command: '/bin/sh',
      args: ['-c', `echo started >> '${starts}'; exit ${exitCode}`],
      env: process.env,
      isReady: async () => false,
    },
    { clock: systemClock, onPid: () => {}, report: (line) => lines.push(line) },
  );
  const outcome = await child.start();
  return { outcome, lines, starts: readFileSync(starts, 'utf8').trim().split('\n').length };
}

describe('a child that ends before it was ever ready', () => {
  test('because of its configuration is not restarted and fails with one message', async () => {
    expect(await startEnding(CONFIG_ERROR_EXIT)).toEqual({
      outcome: {
        kind: 'failed',
        message: 'service refused its configuration; see its log lines above',
      },
      lines: [],
      starts: 1,
    });
  });

  test('for another reason is started three times', async () => {
    const { outcome, starts } = await startEnding(1);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('exit code 1') });
    expect(starts).toBe(3);
  });
});
