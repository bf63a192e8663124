import type { ConfigStore, ConfigWrite } from './config-store.ts';
import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { DocumentKind } from '../../core/vocabulary/documents/document-kinds.ts';
import { createdRevisionOf } from './webhooks/webhook-revision.ts';

/**
 * Writes every document again whose secrets are not stored as this process stores them: in plain text, or with an
 * earlier key. A document that changes meanwhile is skipped, because the change stores its secrets anew.
 * @returns how many were written, and how many could not be
 */
export async function rewriteSecrets(store: ConfigStore): Promise<{ written: number; failed: number }> {
  let written = 0;
  let failed = 0;
  for (const address of store.outdatedSecrets()) {
    const outcome = await rewrite(store, address);
    if (outcome === undefined) continue;
    if (outcome.kind === 'written') written += 1;
    if (outcome.kind === 'unavailable') failed += 1;
  }
  return { written, failed };
}

/** `undefined`: the document was deleted. */
async function rewrite(
  store: ConfigStore,
  { game, environment, kind, key }: DocumentAddress,
): Promise<ConfigWrite<DocumentKind> | undefined> {
  if (kind === 'webhook') {
    const entry = store.get({ game, environment, kind, key });
    if (entry === undefined) return undefined;
    // In a webhook's first version the revision of its creation is the document's own revision.
    const document = { ...entry.document, createdRevision: createdRevisionOf(entry) };
    return store.put({ game, environment, kind, key }, document, entry.revision);
  }
  const entry = store.get({ game, environment, kind, key });
  return entry && store.put({ game, environment, kind, key }, entry.document, entry.revision);
}
