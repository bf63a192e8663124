import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ids } from './kernel/ids.ts';

/**
 * This node's name: made once, kept in its data directory. Whoever holds the directory's lock is this node, so leases of
 * an earlier life of the same name are free.
 */
export function nodeName(dataDir: string, ids: Ids): string {
  const path = join(dataDir, 'node-name');
  try {
    const name = readFileSync(path, 'utf8').trim();
    if (/^n-[0-9a-f]{12}$/.test(name)) return name;
  } catch {
    // The first start.
  }
  mkdirSync(dataDir, { recursive: true });
  const name = `n-${Buffer.from(ids.bytes(6)).toString('hex')}`;
  writeFileSync(path, `${name}\n`);
  return name;
}
