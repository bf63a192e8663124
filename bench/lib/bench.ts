import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A bench cannot run as asked, and its user can fix that: the message is all they see. */
export class BenchError extends Error {}

/** Ends what was started, in reverse order. */
export interface Cleanup {
  add(end: () => Promise<void>): void;
  /** Ends everything, even after a failure. Throws the first failure at the end. */
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end) => void ends.push(end),
    async run() {
      const failures: unknown[] = [];
      for (const end of ends.splice(0).reverse()) {
        try {
          await end();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The parts of a bench that a process it starts needs. */
export interface Owner {
  /** Ends what the bench started, however the bench ends. */
  cleanup: Cleanup;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

export interface Bench extends Owner {
  report: (line: string) => void;
}

/** Runs one phase of a bench and ends what it started, so that nothing of it runs during the next phase. */
export async function inPhase<Figures>(bench: Bench, work: (bench: Bench) => Promise<Figures>): Promise<Figures> {
  const cleanup = createCleanup();
  try {
    return await work({ ...bench, cleanup });
  } finally {
    await cleanup.run();
  }
}

/** Runs a bench and ends all it started: when it is done, when it fails, and on Ctrl-C or SIGTERM. */
export async function runBench(report: Bench['report'], work: (bench: Bench) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const cleanup = createCleanup();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!stopping.signal.aborted) console.error('stopping …');
      stopping.abort();
    });
  }
  try {
    await work({ cleanup, signal: stopping.signal, report });
  } catch (error) {
    process.exitCode = 1;
    if (!stopping.signal.aborted) console.error(error instanceof BenchError ? error.message : error);
  } finally {
    await cleanup.run();
  }
}

/** A new folder that is removed with the bench. @param parent the system's temporary folder when left out */
export function temporaryFolder({ cleanup }: Pick<Bench, 'cleanup'>, name: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `player-analytics-bench-${name}-`));
  cleanup.add(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
