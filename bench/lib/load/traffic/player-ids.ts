import { readFileSync } from 'node:fs';

/** Characters of a UUID: ids lie in a file one after the other, so that a million of them are one block of memory. */
export const ID_CHARS = 36;

/** The ids of known players by their number. */
export interface PlayerIds {
  readonly count: number;
  at(index: number): string;
}

/** Reads a file of ids. */
export function readPlayerIds(path: string): PlayerIds {
  const bytes = readFileSync(path);
  return {
    count: Math.floor(bytes.length / ID_CHARS),
    at: (index) => bytes.toString('latin1', index * ID_CHARS, (index + 1) * ID_CHARS),
  };
}
