import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Every write to it fails, because no space is left. */
const FULL = '/dev/full';
const LOGGER = fileURLToPath(new URL('logger.ts', import.meta.url));

describe.skipIf(!existsSync(FULL))('a log on a full disk', () => {
  it('loses lines, and does not end the process', () => {
    const program = `
      const { createLogger } = await import(${JSON.stringify(LOGGER)});
      const logger = createLogger('info', 'test');
      for (let line = 0; line < 3; line++) {
        logger.info({ line }, 'a line');
        await new Promise((resolve) => setImmediate(resolve));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.error('still there');`;
    const out = openSync(FULL, 'w');
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', out, 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    closeSync(out);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'still there\n' });
  });
});
