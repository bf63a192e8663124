import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { RUN_FOLDER } from './run-folder.ts';

const ROOT = new URL('../../../', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'player-analytics-stripped-'));
const STRIP = fileURLToPath(new URL('./strip-sources.ts', import.meta.url));

/**
 * Strips the types of all sources once for a test run. Otherwise each of the processes that the tests start strips
 * them itself, which is a fifth of the processor time of a start of the service.
 */
export function setup(): void {
  // In a process of its own, because stripping prints a warning that only a flag disables.
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', STRIP, folder], { stdio: 'inherit' });
  const hook = pathToFileURL(join(folder, 'test/support/stripped/load-stripped.ts.mjs'));
  hook.searchParams.set('root', ROOT.href);
  const options = process.env['NODE_OPTIONS'];
  // Inherited by Vitest's workers and by the processes that tests start.
  process.env[RUN_FOLDER] = folder;
  process.env['NODE_OPTIONS'] = `${options === undefined ? '' : `${options} `}--import=${hook.href}`;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
