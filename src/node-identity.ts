import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ids } from './kernel/ids.ts';

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
