import { startHelper } from '../helpers/start-helper.ts';
import type { LifeFigures } from './life-tally.ts';
import type { LivesOpened, LivesResult, LivesSpec } from './lives-main.ts';

const SCRIPT = new URL('./lives-main.ts', import.meta.url);

/** Players' lives, in a process of their own; everybody's first session is open. */
export interface Lives {
  readonly pid: number;
  readonly opened: LivesOpened;
  /** The load. Once. */
  load(): Promise<LivesResult>;
  /** Ends the sessions that are left. Once, after the load. */
  end(): Promise<LifeFigures>;
  /** Idempotent. */
  stop(): Promise<void>;
}

/** Starts the generator and opens the sessions. Rejects when it fails or the signal comes, which ends it at any time. */
export async function startLives(spec: LivesSpec, signal: AbortSignal): Promise<Lives> {
  signal.throwIfAborted();
  const generator = startHelper(SCRIPT, spec);
  const abort = () => void generator.stop();
  signal.addEventListener('abort', abort);
  async function stop(): Promise<void> {
    signal.removeEventListener('abort', abort);
    await generator.stop();
  }
  try {
    const opened: LivesOpened = JSON.parse(await generator.next());
    return {
      pid: generator.pid,
      opened,
      async load() {
        generator.ask();
        const result: LivesResult = JSON.parse(await generator.next());
        return result;
      },
      async end() {
        generator.ask();
        const figures: LifeFigures = JSON.parse(await generator.next());
        return figures;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
