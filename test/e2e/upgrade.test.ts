import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freshEnvironment, launch, stopAndRemove } from '../support/servers/supervised.ts';

const BEFORE = fileURLToPath(new URL('../fixtures/upgrade/2026-11-22.tar.gz', import.meta.url));

it('a start on the data folder of a version before 1.0.0 ends, and says what to do', async () => {
  const env = await freshEnvironment();
  execFileSync('tar', ['-xzf', BEFORE, '-C', env['DATA_DIR'] ?? '']);
  const service = launch({ env });
  try {
    expect(await service.ended).toBe(1);
    expect(service.output()).toContain('Data of versions before 1.0.0 cannot be kept');
    expect(service.output()).toContain('for `npm start`, set DATA_DIR to an empty folder');
  } finally {
    await stopAndRemove(service);
  }
});
