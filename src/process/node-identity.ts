import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessGroup } from '../settings/config.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { processNames } from './process-names.ts';

/**
 * This node's name, created at the first start and stored in its data directory. The directory's lock admits one
 * process, so leases of an earlier process with the same name are free.
 */
export function nodeName(dataDir: string, ids: Ids): string {
  const path = join(dataDir, 'node-name');
  try {
    const name = readFileSync(path, 'utf8').trim();
    if (/^n-[0-9a-f]{12}$/.test(name)) return name;
  } catch {
    // This is the first start.
  }
  mkdirSync(dataDir, { recursive: true });
  const name = `n-${Buffer.from(ids.bytes(6)).toString('hex')}`;
  writeFileSync(path, `${name}\n`);
  return name;
}

/** The name of one of several processes of a machine: it follows from the first one's, which is stored. */
export function nameInGroup({ number, count, dataDir }: ProcessGroup, partitions: number, ids: Ids): string {
  const owners = Math.min(count, partitions);
  const first = nodeName(dataDir, ids);
  const names = processNames(first, owners, partitions);
  // Processes without partitions need names, and no shares.
  return names[number - 1] ?? `${first}-${number}`;
}
