import type { ImportedReply, ImportHistory } from '../../../core/vocabulary/commands/import.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { createCommandPace } from '../../../core/kernel/flow/command-pace.ts';
import { noteFitted } from './files/fitted-lines.ts';
import type { ImportSource } from './files/import-source.ts';
import { loadProgress, newProgress, saveProgress, type ImportIdentity, type ImportProgress } from './import-state.ts';
import { readDecidedLines } from './send/decided-lines.ts';
import type { EventIds } from './send/event-ids.ts';
import { inBatches } from './files/line-batches.ts';
import { openFile } from './files/open-source.ts';
import type { Progress } from './progress-line.ts';
import { readHistory, type ReadLine, type ReadOptions } from './files/read-history.ts';
import { openRejectedLines } from './send/rejected-lines.ts';
import { createPartitionSender, type PartitionSender } from './send/send-history.ts';

export interface ImportFileOptions extends Omit<ReadOptions, 'nowMs' | 'fromLine' | 'importId'> {
  path: string;
  source: ImportSource;
  /** The namespace of the game, which no other deployment has. */
  namespace: string;
  statePath: string;
  rejectedPath: string;
  /** Forget how far an earlier run came, and read the file from its first line. */
  fromStart: boolean;
  partitions: number;
  partitionOf: (playerId: string) => number;
  send: (body: ImportHistory, playerId: string) => Promise<Reply>;
  mayGoOn: () => Promise<void>;
  /** A player id of each partition. */
  players: readonly string[];
  /** Opens what knows the ids of events, when ClickHouse has all rows. `undefined`: the lines have no events. */
  openEventIds: ((whenDecided: () => Promise<void>) => Promise<EventIds>) | undefined;
  clock: Clock;
  /** Aborts the import: what is in flight is decided first. */
  signal: AbortSignal;
  /** Called about every `importSaveMs`. */
  onProgress: (progress: Progress) => void;
}

/**
 * Imports one file, from where an earlier run ended. Resolves with the counts of all runs; `done` unless aborted, and
 * `isOld` if an earlier run did all. Lines that were under way when an earlier run was killed are counted once.
 */
export async function importFile(options: ImportFileOptions): Promise<ImportProgress & { isOld: boolean }> {
  const { path, source, namespace, fileKind, statePath, rejectedPath, partitions, partitionOf, clock, signal } =
    options;
  const { importId, sizeBytes } = source;
  const identity: ImportIdentity = { importId, namespace, fileKind, sizeBytes, rejectedPath };
  const begun = options.fromStart ? undefined : loadProgress(statePath, partitions, identity);
  const isContinued = begun !== undefined;
  const saved = begun ?? newProgress(partitions);
  if (saved.done) return { ...saved, isOld: true };
  const { counts } = saved;
  const rejected = openRejectedLines({
    path: rejectedPath,
    keptBytes: saved.rejectedBytes,
    mostBytes: IMPORT_LIMITS.importRejectedBytes,
    isFull: saved.unlisted > 0,
  });
  const begunMs = clock.monotonicMs();
  let savedMs = begunMs;
  let { readTo, unlisted, withoutId } = saved;
  const repeated = new Set(saved.repeatedLines);
  const { fitted } = saved;
  let linesOfRun = 0;

  function reject(line: number, reason: string, text: string): void {
    counts.rejected += 1;
    if (!rejected.add(line, reason, text)) unlisted += 1;
  }

  function onDecided(reply: ImportedReply, wasSent: boolean): void {
    // What was decided since the last save of a killed run, or at the first attempt, is this machine's own doing.
    const isOwn = wasSent || isContinued;
    counts.imported += reply.imported + (isOwn ? reply.earlier : 0);
    counts.repeated += reply.repeated + (isOwn ? 0 : reply.earlier);
    for (const { line, message } of reply.rejected) reject(line, message, '');
  }

  const pace = createCommandPace({ clock, mostInFlight: partitions * IMPORT_LIMITS.importWindow });
  const senders = saved.decidedTo.map((decidedTo) =>
    createPartitionSender({
      importId,
      decidedTo,
      send: options.send,
      mayGoOn: options.mayGoOn,
      onDecided,
      pace,
      clock,
    }),
  );

  function save(done: boolean): ImportProgress {
    const decidedTo = senders.map((sender) => sender.decidedTo);
    const undecided = senders.map((sender) => sender.undecidedFrom ?? Infinity);
    const nextLine = Math.min(readTo + 1, ...undecided);
    for (const line of repeated) if (line < nextLine) repeated.delete(line);
    const lines = { nextLine, readTo, decidedTo, repeatedLines: [...repeated], withoutId };
    const progress = { ...lines, done, counts, fitted, rejectedBytes: rejected.bytes, unlisted };
    saveProgress(statePath, progress, identity);
    return progress;
  }

  const file = await openFile(path, fileKind, source.state);
  // If this run is killed before its next save, the next run finds that it had begun.
  save(false);
  const report = (): void =>
    options.onProgress({
      // The first line of CSV names the columns.
      lines: fileKind === 'csv' ? Math.max(0, readTo - 1) : readTo,
      linesOfRun,
      elapsedMs: clock.monotonicMs() - begunMs,
      share: file.share(),
      rejected: counts.rejected,
    });

  /** Hands a line to its partition. @returns the partition that has no room for another one */
  function take(read: ReadLine): PartitionSender | undefined {
    if (read.kind === 'fault') {
      if (read.line > saved.readTo) reject(read.line, read.reason, read.bytes.toString('utf8'));
      return undefined;
    }
    if (read.line > saved.readTo) note(read);
    const partition = partitionOf(read.item.playerId);
    const sender = senders[partition];
    if (sender === undefined || read.line <= (saved.decidedTo[partition] ?? 0)) return undefined;
    if (repeated.has(read.line)) return undefined;
    linesOfRun += 1;
    return sender.add(read.item) ? undefined : sender;
  }

  function note(read: Extract<ReadLine, { kind: 'item' }>): void {
    if (read.ownId === undefined) withoutId += 1;
    if (repeated.has(read.line)) counts.repeated += 1;
    else noteFitted(fitted, read);
  }

  const flush = (): Promise<unknown> => Promise.all(senders.map((sender) => sender.flush()));
  const decided = options.openEventIds && (await readDecidedLines(importId, options.players, options.send, clock));
  const eventIds = await options.openEventIds?.(async () => void (await flush()));

  /** Finds the lines whose event the player has. What an earlier run sent is left to its owner. */
  async function findRepeated(lines: readonly ReadLine[]): Promise<void> {
    const named = lines.flatMap((read) => {
      if (read.kind === 'fault' || read.ownId === undefined || repeated.has(read.line)) return [];
      const { playerId } = read.item;
      const isSent = read.line <= (decided?.[partitionOf(playerId)] ?? 0);
      return isSent ? [] : [{ playerId, eventId: read.ownId, line: read.line }];
    });
    const found = await eventIds?.repeatedAmong(named);
    for (const at of found ?? []) repeated.add(named[at]?.line ?? 0);
  }

  let fault: unknown;
  /** The lines up to a fault of the file: they are imported all the same, whatever is in flight when it is found. */
  async function* readable(): AsyncGenerator<ReadLine[]> {
    const from = { ...options, importId, fromLine: saved.nextLine, nowMs: clock.wallMs() };
    try {
      yield* readHistory(file, from);
    } catch (error) {
      fault = error;
    }
  }

  try {
    for await (const lines of eventIds === undefined ? readable() : inBatches(readable())) {
      await findRepeated(lines);
      for (const read of lines) {
        await take(read)?.room();
        readTo = Math.max(readTo, read.line);
      }
      await boundWaiting(senders);
      if (signal.aborted) break;
      if (clock.monotonicMs() - savedMs < IMPORT_LIMITS.importSaveMs) continue;
      savedMs = clock.monotonicMs();
      save(false);
      report();
    }
    await flush();
    report();
    const progress = save(!signal.aborted && fault === undefined);
    if (fault !== undefined) throw fault;
    return { ...progress, isOld: false };
  } finally {
    rejected.close();
  }
}

/** With many partitions, batches are sent before they are full, so that all together stay in their bound. */
async function boundWaiting(senders: readonly PartitionSender[]): Promise<void> {
  const waiting = senders.reduce((sum, sender) => sum + sender.waitingBytes, 0);
  if (waiting > IMPORT_LIMITS.importWaitingBytes) await Promise.all(senders.map((sender) => sender.flush()));
}
