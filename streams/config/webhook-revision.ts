import type { ConfigEntry } from './config-store.ts';

/**
 * The CONFIG revision at which a webhook was created. A document can't know the revision its own first write will get,
 * so the first version leaves it out and whoever changes a webhook stores this in the next one.
 */
export function createdRevisionOf(entry: ConfigEntry<'webhook'>): number {
  return entry.document.createdRevision ?? entry.revision;
}
