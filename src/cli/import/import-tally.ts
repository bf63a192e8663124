import type { ImportedReply } from '../../../core/vocabulary/commands/import.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { noteFitted } from './files/fitted-lines.ts';
import { saveProgress, type ImportIdentity, type ImportProgress } from './import-state.ts';
import type { ReadLine } from './files/read-history.ts';
import { openRejectedLines } from './send/rejected-lines.ts';
import type { PartitionSender } from './send/send-history.ts';

export interface TallyOptions {
  /** What earlier runs counted. */
  saved: ImportProgress;
  /** Whether an earlier run of this machine began the import. */
  isContinued: boolean;
  statePath: string;
  identity: ImportIdentity;
}

/** Counts the lines of one import, over all of its runs. */
export interface ImportTally {
  /** The last line that was handed to its partition, or counted as faulty. */
  readTo: number;
  readonly rejected: number;
  /** Counts a line that this run reads; earlier runs counted the lines before theirs. */
  read(line: ReadLine): void;
  decided(reply: ImportedReply, wasSent: boolean): void;
  /** The player has the event of the line. */
  repeats(line: number): void;
  isRepeated(line: number): boolean;
  save(done: boolean, senders: readonly PartitionSender[]): ImportProgress;
  close(): void;
}

export function createImportTally({ saved, isContinued, statePath, identity }: TallyOptions): ImportTally {
  const { counts, fitted } = saved;
  const listed = openRejectedLines({
    path: identity.rejectedPath,
    keptBytes: saved.rejectedBytes,
    mostBytes: IMPORT_LIMITS.importRejectedBytes,
    isFull: saved.unlisted > 0,
  });
  let { readTo, unlisted, withoutId } = saved;
  const repeated = new Set(saved.repeatedLines);

  function reject(line: number, reason: string, text: string): void {
    counts.rejected += 1;
    if (!listed.add(line, reason, text)) unlisted += 1;
  }

  return {
    get readTo() {
      return readTo;
    },
    set readTo(line) {
      readTo = line;
    },
    get rejected() {
      return counts.rejected;
    },
    read(line) {
      if (line.line <= saved.readTo) return;
      if (line.kind === 'fault') {
        reject(line.line, line.reason, line.bytes.toString('utf8'));
        return;
      }
      if (line.ownId === undefined) withoutId += 1;
      if (repeated.has(line.line)) counts.repeated += 1;
      else noteFitted(fitted, line);
    },
    decided(reply, wasSent) {
      // What was decided since the last save of a killed run, or at the first attempt, is this machine's own doing.
      const isOwn = wasSent || isContinued;
      counts.imported += reply.imported + (isOwn ? reply.earlier : 0);
      counts.repeated += reply.repeated + (isOwn ? 0 : reply.earlier);
      for (const { line, message } of reply.rejected) reject(line, message, '');
    },
    repeats: (line) => void repeated.add(line),
    isRepeated: (line) => repeated.has(line),
    save(done, senders) {
      const decidedTo = senders.map((sender) => sender.decidedTo);
      const undecided = senders.map((sender) => sender.undecidedFrom ?? Infinity);
      const nextLine = Math.min(readTo + 1, ...undecided);
      for (const line of repeated) if (line < nextLine) repeated.delete(line);
      const lines = { nextLine, readTo, decidedTo, repeatedLines: [...repeated], withoutId };
      const progress = { ...lines, done, counts, fitted, rejectedBytes: listed.bytes, unlisted };
      saveProgress(statePath, progress, identity);
      return progress;
    },
    close: () => listed.close(),
  };
}
