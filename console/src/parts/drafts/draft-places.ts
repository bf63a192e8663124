/*
 * Where the browser keeps drafts: in the storage of a tab, by user. Several people may use one tab, one after another.
 */

const PREFIX = 'draft ';

/** The place of a user's draft. */
export const draftPlace = (user: string, name: string): string => `${PREFIX}${user} ${name}`;

/** Removes the drafts of everybody, or of everybody else. */
export function forgetDrafts(storage: Storage, keptUser?: string): void {
  const places = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  for (const place of places) {
    const isKept = keptUser !== undefined && place.startsWith(draftPlace(keptUser, ''));
    if (place.startsWith(PREFIX) && !isKept) storage.removeItem(place);
  }
}
