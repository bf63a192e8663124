import { runHelper } from '../helpers/run-helper.ts';
import type { OpenLoopResult, OpenLoopSpec } from './open-loop-main.ts';

const SCRIPT = new URL('./open-loop-main.ts', import.meta.url);

/**
 * Runs the open-loop generator in a process of its own. Throws when it fails or the signal comes.
 * @param onPid told the process id, so that its CPU time can be read while it runs
 */
export async function runOpenLoop(
  spec: OpenLoopSpec,
  signal: AbortSignal,
  onPid: (pid: number) => void,
): Promise<OpenLoopResult> {
  const result: OpenLoopResult = JSON.parse(await runHelper(SCRIPT, spec, signal, onPid));
  return result;
}
