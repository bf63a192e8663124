import type { ConfigEntry } from '../config-store.ts';

/**
 * The CONFIG revision at which a webhook was created. The revision of a document's first write is not known in advance,
 * so the first version lacks it, and each later version stores this value.
 */
export function createdRevisionOf(entry: ConfigEntry<'webhook'>): number {
  return entry.document.createdRevision ?? entry.revision;
}
