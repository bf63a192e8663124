import type { Change } from './mutant.ts';

/**
 * Applies changes to the source of one file, in order. Throws when a change's text does not occur exactly once,
 * because a mutant that changes nothing, or more than it says, proves nothing.
 */
export function mutate(source: string, changes: readonly Change[]): string {
  let text = source;
  for (const { file, original, mutated } of changes) {
    const occurrences = text.split(original).length - 1;
    if (occurrences !== 1) throw new Error(`${file} contains ${occurrences} times, not once: ${original}`);
    text = text.replace(original, () => mutated);
  }
  return text;
}

/** The changes of a mutant by file. */
export function changesByFile(changes: readonly Change[]): Map<string, Change[]> {
  return Map.groupBy(changes, ({ file }) => file);
}
