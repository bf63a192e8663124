import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { noFittedLines, type FittedLines } from './files/fitted-lines.ts';

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
  /** Lines from `nextLine` on whose event the player has: they were counted, and are not sent. */
  repeatedLines: number[];
  /** Lines whose event has no id of its own, or which are no events. */
  withoutId: number;
  done: boolean;
  counts: ImportCounts;
  fitted: FittedLines;
  /** The size of the file with rejected lines at that time; what follows is written again. */
  rejectedBytes: number;
  /** Rejected lines that did not fit that file. */
  unlisted: number;
}

/** Identifies an import: progress of another one is ignored. */
export interface ImportIdentity {
  importId: string;
  /** The game's namespace: unique to a deployment. */
  namespace: string;
  fileKind: string;
  sizeBytes: number;
  rejectedPath: string;
}

/** An import that this machine began. */
export type KnownImport = Pick<ImportIdentity, 'importId' | 'sizeBytes'> & { done: boolean };

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
    repeatedLines: [],
    withoutId: 0,
    done: false,
    counts: { imported: 0, repeated: 0, rejected: 0 },
    fitted: noFittedLines(),
    rejectedBytes: 0,
    unlisted: 0,
  };
}

/** Reads the progress of this import. `undefined`: there is none, or it cannot be read, and the import begins anew. */
export function loadProgress(path: string, partitions: number, identity: ImportIdentity): ImportProgress | undefined {
  const saved = readJson(path);
  const isSame = (['importId', 'namespace', 'fileKind'] as const).every(
    (name) => field(saved, name) === identity[name],
  );
  if (!isSame) return undefined;
  const counts = field(saved, 'counts');
  const decidedTo = field(saved, 'decidedTo');
  const lines = Array.isArray(decidedTo) ? decidedTo.filter((line): line is number => isCount(line)) : [];
  const numbers = ['imported', 'repeated', 'rejected'].map((name) => field(counts, name));
  const [readTo, rejectedBytes] = [field(saved, 'readTo'), field(saved, 'rejectedBytes')];
  const [imported, repeated, rejected] = numbers;
  const unlisted = field(saved, 'unlisted');
  const nextLine = field(saved, 'nextLine');
  if (!isCount(imported) || !isCount(repeated) || !isCount(rejected) || !isCount(readTo) || !isCount(rejectedBytes)) {
    return undefined;
  }
  if (!isCount(nextLine) || !isCount(unlisted) || lines.length !== partitions) return undefined;
  const done = field(saved, 'done') === true;
  const sums = { imported, repeated, rejected };
  // Another file for rejected lines begins empty.
  const isSameFile = field(saved, 'rejectedPath') === identity.rejectedPath;
  const listed = isSameFile ? { rejectedBytes, unlisted } : { rejectedBytes: 0, unlisted: 0 };
  return {
    nextLine,
    readTo,
    decidedTo: lines,
    ...idsIn(saved),
    done,
    counts: sums,
    fitted: fittedIn(saved),
    ...listed,
  };
}

function idsIn(saved: unknown): Pick<ImportProgress, 'repeatedLines' | 'withoutId'> {
  const lines = field(saved, 'repeatedLines');
  const withoutId = field(saved, 'withoutId');
  const repeatedLines = Array.isArray(lines) ? lines.filter((line): line is number => isCount(line)) : [];
  return { repeatedLines, withoutId: isCount(withoutId) ? withoutId : 1 };
}

function fittedIn(saved: unknown): FittedLines {
  const fitted = field(saved, 'fitted');
  const [replaced, cut, quarantined] = ['replaced', 'cut', 'quarantined'].map((name) => {
    const count = field(fitted, name);
    return isCount(count) ? count : 0;
  });
  const examples = field(fitted, 'examples');
  const texts = Array.isArray(examples) ? examples.filter((one): one is string => typeof one === 'string') : [];
  return { replaced: replaced ?? 0, cut: cut ?? 0, quarantined: quarantined ?? 0, examples: texts };
}

/** The imports that this machine began in a deployment, and that may have lines in it. */
export function knownImports(folder: string, namespace: string): KnownImport[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    if (!name.endsWith('.json')) return [];
    const saved = readJson(join(folder, name));
    const [importId, sizeBytes] = [text(field(saved, 'importId')), field(saved, 'sizeBytes')];
    if (importId === undefined || !isCount(sizeBytes) || sizeBytes === 0) return [];
    const counts = field(saved, 'counts');
    const done = field(saved, 'done') === true;
    const isEmpty = done && field(counts, 'imported') === 0 && field(counts, 'repeated') === 0;
    // Events with ids of their own count once, also in a file that has grown.
    const isSafe = field(saved, 'withoutId') === 0;
    if (isEmpty || isSafe || text(field(saved, 'namespace')) !== namespace) return [];
    return [{ importId, sizeBytes, done }];
  });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Replaces the file as a whole, so that a kill leaves the old one or the new one. */
export function saveProgress(path: string, progress: ImportProgress, identity: ImportIdentity): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, `${JSON.stringify({ ...progress, ...identity })}\n`);
    renameSync(`${path}.new`, path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `How far the import is cannot be saved in ${path}: ${reason}. Make room, and run the command again.`,
    );
  }
}
