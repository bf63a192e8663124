import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * How far a file is imported, so that a repeat begins there. A loss of this costs time only: the ledgers of the
 * deployment decide which lines are new.
 */
export interface ImportProgress {
  /** Every line below this one is decided or faulty, and counted. */
  nextLine: number;
  /** Every faulty line up to this one is counted. */
  readTo: number;
  /** For each partition: every line of it up to this one is decided and counted. */
  decidedTo: number[];
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

export function newProgress(partitions: number): ImportProgress {
  return {
    nextLine: 1,
    readTo: 0,
    decidedTo: Array.from({ length: partitions }, () => 0),
    done: false,
    counts: { imported: 0, repeated: 0, rejected: 0 },
    rejectedBytes: 0,
  };
}

/** Reads what was saved; anything else is a new import: `undefined`. */
export function loadProgress(path: string, partitions: number): ImportProgress | undefined {
  let saved: unknown;
  try {
    saved = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  const counts = field(saved, 'counts');
  const decidedTo = field(saved, 'decidedTo');
  const lines = Array.isArray(decidedTo) ? decidedTo.filter((line): line is number => isCount(line)) : [];
  const numbers = ['imported', 'repeated', 'rejected'].map((name) => field(counts, name));
  const [readTo, rejectedBytes] = [field(saved, 'readTo'), field(saved, 'rejectedBytes')];
  const [imported, repeated, rejected] = numbers;
  const nextLine = field(saved, 'nextLine');
  if (!isCount(imported) || !isCount(repeated) || !isCount(rejected) || !isCount(readTo) || !isCount(rejectedBytes)) {
    return undefined;
  }
  if (!isCount(nextLine) || lines.length !== partitions) return undefined;
  const done = field(saved, 'done') === true;
  return { nextLine, readTo, decidedTo: lines, done, counts: { imported, repeated, rejected }, rejectedBytes };
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Replaces the file as a whole, so that a kill leaves the old one or the new one. */
export function saveProgress(path: string, progress: ImportProgress): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(progress)}\n`);
  renameSync(`${path}.new`, path);
}
