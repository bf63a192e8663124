/**
 * The number of characters to insert, delete or replace between two texts (Levenshtein), or `most` + 1 if there are
 * more. Only cells within `most` of its diagonal are computed (Ukkonen 1985), in one row that is used
 * again: two texts of 64 characters take some microseconds. The time grows with the length and with `most`.
 */
export function editDistance(one: string, other: string, most: number): number {
  const beyond = most + 1;
  const width = other.length;
  if (Math.abs(one.length - width) > most) return beyond;
  if (row.length <= width) row = new Uint16Array(width + 1);
  for (let j = 0; j <= width; j++) row[j] = Math.min(j, beyond);
  for (let i = 1; i <= one.length; i++) {
    const first = Math.max(1, i - most);
    const last = Math.min(width, i + most);
    const character = one.charCodeAt(i - 1);
    let diagonal = row[first - 1] ?? beyond;
    let left = first === 1 ? Math.min(i, beyond) : beyond;
    if (first === 1) row[0] = left;
    let nearestOfRow = left;
    for (let j = first; j <= last; j++) {
      const above = row[j] ?? beyond;
      const replaced = diagonal + (character === other.charCodeAt(j - 1) ? 0 : 1);
      diagonal = above;
      left = Math.min(replaced, above + 1, left + 1, beyond);
      row[j] = left;
      if (left < nearestOfRow) nearestOfRow = left;
    }
    if (nearestOfRow > most) return beyond;
  }
  return Math.min(row[width] ?? beyond, beyond);
}

let row = new Uint16Array(128);

/**
 * The texts that are nearest to a name, at most `count`, the nearest first: within a third of its length and at most
 * six edits, and within two edits if it has four characters.
 */
export function nearest(name: string, known: Iterable<string>, count: number): string[] {
  const wanted = name.slice(0, COMPARED).toLowerCase();
  // Two letters that changed places are two edits.
  const most = Math.max(wanted.length < 4 ? 1 : 2, Math.min(MOST_EDITS, Math.floor(wanted.length / 3)));
  const found: { text: string; distance: number }[] = [];
  for (const text of known) {
    const distance = editDistance(wanted, text.slice(0, COMPARED).toLowerCase(), most);
    if (distance <= most && text !== name) found.push({ text, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.text < b.text ? -1 : 1));
  return found.slice(0, count).map(({ text }) => text);
}

/** A typing error is shorter, and a name of 64 characters would take four times as long without it. */
const MOST_EDITS = 6;
/** Characters that are compared: longer names differ in their beginnings. */
const COMPARED = 64;
