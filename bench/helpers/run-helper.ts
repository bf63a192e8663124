import { startHelper } from './start-helper.ts';

/**
 * Runs a helper that does one thing and then says what came of it. Rejects when it fails or the signal comes, which ends it.
 * @param onPid told the process id, so that its CPU time can be read while it runs
 * @returns what it said, as JSON text
 */
export async function runHelper(
  script: URL,
  spec: object,
  signal: AbortSignal,
  onPid: (pid: number) => void = () => {},
): Promise<string> {
  signal.throwIfAborted();
  const helper = startHelper(script, spec);
  const abort = () => void helper.stop();
  signal.addEventListener('abort', abort);
  try {
    onPid(helper.pid);
    return await helper.next();
  } finally {
    signal.removeEventListener('abort', abort);
    await helper.stop();
  }
}
