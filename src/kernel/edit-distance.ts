/**
 * The number of characters to insert, delete or replace between two texts (Levenshtein), or `most` + 1 if there are
 * more. Takes a time in proportion to the product of the lengths, so bound them.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one.charCodeAt(i - 1) === other.charCodeAt(j - 1) ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return Math.min(row[other.length] ?? 0, most + 1);
}

/** The texts that are nearest to a name, at most `count`, the nearest first: within a third of its length,
 * and within two edits if it has four characters. */
export function nearest(name: string, known: Iterable<string>, count: number): string[] {
  const wanted = name.slice(0, COMPARED).toLowerCase();
  // Two letters that changed places are two edits.
  const most = Math.max(wanted.length < 4 ? 1 : 2, Math.floor(wanted.length / 3));
  const found: { text: string; distance: number }[] = [];
  for (const text of known) {
    const distance = editDistance(wanted, text.slice(0, COMPARED).toLowerCase(), most);
    if (distance <= most && text !== name) found.push({ text, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.text < b.text ? -1 : 1));
  return found.slice(0, count).map(({ text }) => text);
}

/** Characters that are compared: longer names differ in their beginnings. */
const COMPARED = 64;
