import { BenchError } from '../bench-error.ts';
import { startHelper } from '../helpers/start-helper.ts';
import type { BulkProgress, BulkSpec } from './bulk-main.ts';

const SCRIPT = new URL('./bulk-main.ts', import.meta.url);

/** Makes a call for each of many players, as fast as they are answered, in a process of its own. Throws when one is refused. */
export async function callForPlayers(
  spec: BulkSpec,
  signal: AbortSignal,
  onProgress: (progress: BulkProgress) => void,
): Promise<BulkProgress> {
  signal.throwIfAborted();
  const helper = startHelper(SCRIPT, spec);
  const abort = () => void helper.stop();
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      const progress: BulkProgress = JSON.parse(await helper.next());
      if (progress.fault !== undefined) throw new BenchError(progress.fault);
      onProgress(progress);
      if (progress.isDone) return progress;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    await helper.stop();
  }
}
