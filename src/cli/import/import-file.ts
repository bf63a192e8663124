import { importLedgerIdOf, type ImportedReply, type ImportHistory } from '../../../actors/vocabulary/import.ts';
import type { Reply } from '../../../actors/vocabulary/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { loadProgress, newProgress, saveProgress, type ImportProgress } from './import-state.ts';
import { openFile } from './open-source.ts';
import type { Progress } from './progress-line.ts';
import { readHistory, type ReadOptions } from './read-history.ts';
import { openRejectedLines } from './rejected-lines.ts';
import { createPartitionSender } from './send-history.ts';

export interface ImportFileOptions extends Omit<ReadOptions, 'importId' | 'nowMs'> {
  path: string;
  importId: string;
  statePath: string;
  rejectedPath: string;
  /** Forget how far an earlier run came, and read the file from its first line. */
  fromStart: boolean;
  partitions: number;
  partitionOf: (playerId: string) => number;
  send: (body: ImportHistory, playerId: string) => Promise<Reply>;
  mayGoOn: () => Promise<void>;
  clock: Clock;
  /** Aborts the import: what is in flight is decided first. */
  signal: AbortSignal;
  /** Called about every `LIMITS.importSaveMs`. */
  onProgress: (progress: Progress) => void;
}

/** Imports one file, from where an earlier run ended. Resolves with the counts of all runs; `done` unless aborted. */
export async function importFile(options: ImportFileOptions): Promise<ImportProgress> {
  const { path, importId, statePath, partitions, partitionOf, clock, signal } = options;
  const saved = options.fromStart ? newProgress() : loadProgress(statePath);
  if (saved.done) return saved;
  const { counts } = saved;
  const rejected = openRejectedLines(options.rejectedPath, saved.rejectedBytes);
  const begunMs = clock.monotonicMs();
  let savedMs = begunMs;
  let nextLine = saved.nextLine;
  let linesOfRun = 0;

  function reject(line: number, reason: string, text: string): void {
    counts.rejected += 1;
    rejected.add(line, reason, text);
  }

  function onDecided(reply: ImportedReply, wasRepeated: boolean): void {
    // A command that is sent again may have been decided at the first time.
    counts.imported += reply.imported + (wasRepeated ? reply.repeated : 0);
    counts.repeated += wasRepeated ? 0 : reply.repeated;
    for (const { line, message } of reply.rejected) reject(line, message, '');
  }

  const senders = Array.from({ length: partitions }, () =>
    createPartitionSender({
      ledgerId: importLedgerIdOf(importId),
      send: options.send,
      mayGoOn: options.mayGoOn,
      onDecided,
      clock,
    }),
  );

  function save(done: boolean): ImportProgress {
    const undecided = senders.map((sender) => sender.undecidedFrom() ?? Infinity);
    const progress = { nextLine: Math.min(nextLine, ...undecided), done, counts, rejectedBytes: rejected.bytes };
    saveProgress(statePath, progress);
    return progress;
  }

  const file = await openFile(path, options.fileKind);
  const report = (): void =>
    options.onProgress({
      lines: nextLine - 1,
      linesOfRun,
      elapsedMs: clock.monotonicMs() - begunMs,
      share: file.share(),
      rejected: counts.rejected,
    });

  try {
    for await (const lines of readHistory(file, { ...options, nowMs: clock.wallMs() })) {
      for (const read of lines) {
        if (read.line < saved.nextLine) continue;
        if (read.kind === 'item') await senders[partitionOf(read.item.playerId)]?.add(read.item);
        else reject(read.line, read.reason, read.bytes.toString('utf8'));
        nextLine = read.line + 1;
        linesOfRun += 1;
      }
      if (signal.aborted) break;
      if (clock.monotonicMs() - savedMs < LIMITS.importSaveMs) continue;
      savedMs = clock.monotonicMs();
      save(false);
      report();
    }
    await Promise.all(senders.map((sender) => sender.flush()));
    report();
    return save(!signal.aborted);
  } finally {
    rejected.close();
  }
}
