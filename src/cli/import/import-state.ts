import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * How far a file is imported, so that a repeat begins there. A loss of this costs time only: the ledgers of the
 * deployment decide which lines are new.
 */
export interface ImportProgress {
  /** Every line below is decided. */
  nextLine: number;
  done: boolean;
  counts: ImportCounts;
  /** The size of the file with rejected lines at that time; what follows is written again. */
  rejectedBytes: number;
}

export interface ImportCounts {
  imported: number;
  repeated: number;
  rejected: number;
}

export function newProgress(): ImportProgress {
  return { nextLine: 1, done: false, counts: { imported: 0, repeated: 0, rejected: 0 }, rejectedBytes: 0 };
}

/** Reads what was saved; anything else is a new import. */
export function loadProgress(path: string): ImportProgress {
  const fresh = newProgress();
  let saved: unknown;
  try {
    saved = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return fresh;
  }
  if (typeof saved !== 'object' || saved === null || !('counts' in saved)) return fresh;
  const { counts } = saved;
  const number = (from: unknown, name: string, or: number): number => {
    const value: unknown = typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : or;
  };
  return {
    nextLine: number(saved, 'nextLine', 1),
    done: Reflect.get(saved, 'done') === true,
    counts: {
      imported: number(counts, 'imported', 0),
      repeated: number(counts, 'repeated', 0),
      rejected: number(counts, 'rejected', 0),
    },
    rejectedBytes: number(saved, 'rejectedBytes', 0),
  };
}

/** Replaces the file as a whole, so that a kill leaves the old one or the new one. */
export function saveProgress(path: string, progress: ImportProgress): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(progress)}\n`);
  renameSync(`${path}.new`, path);
}
