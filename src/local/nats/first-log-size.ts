import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { BROKER_LIMITS } from './limits.ts';

/**
 * The size of FACTS for the first start of a local deployment: a share of the free space, so that the log never needs
 * more than the disk has. `undefined` once the broker holds FACTS: then the deployment's own size applies. A broker's
 * folder alone is left by a first start that was interrupted.
 */
export function firstFactsBytes(dataDir: string): number | undefined {
  // The local broker has the default account only.
  if (existsSync(join(dataDir, 'nats', 'jetstream', '$G', 'streams', 'FACTS'))) return undefined;
  const { bavail, bsize } = statfsSync(dataDir);
  return factsBytesFor(bavail * bsize);
}

/** Whole MiB, within `factsLeastBytes` and `factsMostBytes`. */
export function factsBytesFor(freeBytes: number): number {
  const share = Math.floor((freeBytes * BROKER_LIMITS.factsDiskShare) / MIB) * MIB;
  return Math.min(BROKER_LIMITS.factsMostBytes, Math.max(BROKER_LIMITS.factsLeastBytes, share));
}

const MIB = 1024 * 1024;
