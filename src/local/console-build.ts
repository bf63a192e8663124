import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../console/build.ts', import.meta.url));

/**
 * Builds the console in a process of its own unless it is built. The service does not wait for it: until then
 * `/console` shows that it is being built. It has a low priority, because it competes with the start of the service.
 * @param report receives the failure; a service without its console works
 */
export function startConsoleBuild(report: (line: string) => void): { stop(): void } {
  if (!existsSync(BUILD)) return { stop() {} };
  // A test's environment would make it a build for developers.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [BUILD], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stopped = false;
  let faults = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (faults = (faults + text).slice(-FAULT_CHARACTERS)));
  child.on('error', (error) => report(`the console is not built: ${error.message}`));
  child.on('exit', (code) => {
    if (code !== 0 && !stopped) report(`the console is not built:\n${faults.trim()}`);
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or this system has no priorities.
  }
  return {
    stop() {
      stopped = true;
      child.kill();
    },
  };
}

const FAULT_CHARACTERS = 2_000;
