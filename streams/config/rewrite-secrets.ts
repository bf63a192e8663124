import type { ConfigStore } from './config-store.ts';
import { createdRevisionOf } from './webhook-revision.ts';

/**
 * Writes every document again whose secrets are not stored as this process stores them: in the clear, or under an earlier
 * key. A document that somebody changes meanwhile is left to that change, which does the same.
 * @returns how many were written, and how many could not be
 */
export async function rewriteSecrets(store: ConfigStore): Promise<{ written: number; failed: number }> {
  let written = 0;
  let failed = 0;
  for (const address of store.outdatedSecrets()) {
    if (address.kind !== 'webhook') throw new Error(`nothing is known of secrets in a ${address.kind}`);
    const entry = store.get({ ...address, kind: 'webhook' });
    if (entry === undefined) continue;
    // A webhook's first version has its own revision as that of its creation.
    const document = { ...entry.document, createdRevision: createdRevisionOf(entry) };
    const outcome = await store.put({ ...address, kind: 'webhook' }, document, entry.revision);
    if (outcome.kind === 'written') written += 1;
    if (outcome.kind === 'unavailable') failed += 1;
  }
  return { written, failed };
}
