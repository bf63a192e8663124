import type { Bench } from '../bench.ts';
import { createCleanup } from '../cleanup.ts';

/** Does one part of a bench and ends what it started before the next one begins: nothing of it is in that one's figures. */
export async function inPhase<Figures>(bench: Bench, work: (bench: Bench) => Promise<Figures>): Promise<Figures> {
  const cleanup = createCleanup();
  try {
    return await work({ ...bench, cleanup });
  } finally {
    await cleanup.run();
  }
}
