import type { ImportHistory } from '../../../core/vocabulary/commands/import.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { createCommandPace } from '../../../core/kernel/flow/command-pace.ts';
import type { ImportSource } from './files/import-source.ts';
import { loadProgress, newProgress, type ImportIdentity, type ImportProgress } from './import-state.ts';
import { createImportTally, type ImportTally } from './import-tally.ts';
import { readDecidedLines } from './send/decided-lines.ts';
import type { EventIds } from './send/event-ids.ts';
import { inBatches } from './files/line-batches.ts';
import { type OpenFile, openFile } from './files/open-source.ts';
import type { Progress } from './progress-line.ts';
import { readHistory, type ReadLine, type ReadOptions } from './files/read-history.ts';
import { createPartitionSender, type PartitionSender, type SenderOptions } from './send/send-history.ts';

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
  const saved = begun ?? newProgress(partitions);
  if (saved.done) return { ...saved, isOld: true };
  const tally = createImportTally({ saved, isContinued: begun !== undefined, statePath, identity });
  const senders = createSenders(options, saved.decidedTo, tally);
  const begunMs = clock.monotonicMs();
  let savedMs = begunMs;
  let linesOfRun = 0;

  const file = await openFile(path, fileKind, source.state);
  // If this run is killed before its next save, the next run finds that it had begun.
  tally.save(false, senders);
  const report = (): void =>
    options.onProgress({
      // The first line of CSV names the columns.
      lines: fileKind === 'csv' ? Math.max(0, tally.readTo - 1) : tally.readTo,
      linesOfRun,
      elapsedMs: clock.monotonicMs() - begunMs,
      share: file.share(),
      rejected: tally.rejected,
    });

  /** Hands a line to its partition. @returns the partition that has no room for another one */
  function take(read: ReadLine): PartitionSender | undefined {
    tally.read(read);
    if (read.kind === 'fault' || tally.isRepeated(read.line)) return undefined;
    const partition = partitionOf(read.item.playerId);
    const sender = senders[partition];
    if (sender === undefined || read.line <= (saved.decidedTo[partition] ?? 0)) return undefined;
    linesOfRun += 1;
    return sender.add(read.item) ? undefined : sender;
  }

  const flush = (): Promise<unknown> => Promise.all(senders.map((sender) => sender.flush()));
  const findRepeated = await openRepeatedFinder(options, tally, flush);
  const lines = fileLines(file, { ...options, importId, fromLine: saved.nextLine, nowMs: clock.wallMs() });

  try {
    for await (const batch of findRepeated === undefined ? lines.read() : inBatches(lines.read())) {
      await findRepeated?.(batch);
      for (const read of batch) {
        await take(read)?.room();
        tally.readTo = Math.max(tally.readTo, read.line);
      }
      await boundWaiting(senders);
      if (signal.aborted) break;
      if (clock.monotonicMs() - savedMs < IMPORT_LIMITS.importSaveMs) continue;
      savedMs = clock.monotonicMs();
      tally.save(false, senders);
      report();
    }
    await flush();
    report();
    const progress = tally.save(!signal.aborted && lines.fault === undefined, senders);
    if (lines.fault !== undefined) throw lines.fault;
    return { ...progress, isOld: false };
  } finally {
    tally.close();
  }
}

/** @param decidedTo for each partition, its last line that earlier runs decided */
function createSenders(
  { source, partitions, send, mayGoOn, clock }: ImportFileOptions,
  decidedTo: readonly number[],
  tally: ImportTally,
): PartitionSender[] {
  const pace = createCommandPace({ clock, mostInFlight: partitions * IMPORT_LIMITS.importWindow });
  const onDecided: SenderOptions['onDecided'] = (reply, wasSent) => tally.decided(reply, wasSent);
  const common = { importId: source.importId, send, mayGoOn, onDecided, pace, clock };
  return decidedTo.map((line) => createPartitionSender({ ...common, decidedTo: line }));
}

/**
 * Finds the lines whose event the player has. What an earlier run sent is left to its owner.
 * @returns undefined if the lines have no events
 */
async function openRepeatedFinder(
  { source, openEventIds, players, send, partitionOf, clock }: ImportFileOptions,
  tally: ImportTally,
  flush: () => Promise<unknown>,
): Promise<((lines: readonly ReadLine[]) => Promise<void>) | undefined> {
  if (openEventIds === undefined) return undefined;
  const decided = await readDecidedLines(source.importId, players, send, clock);
  const eventIds = await openEventIds(async () => void (await flush()));
  return async (lines) => {
    const named = lines.flatMap((read) => {
      if (read.kind === 'fault' || read.ownId === undefined || tally.isRepeated(read.line)) return [];
      const { playerId } = read.item;
      const isSent = read.line <= (decided[partitionOf(playerId)] ?? 0);
      return isSent ? [] : [{ playerId, eventId: read.ownId, line: read.line }];
    });
    for (const at of await eventIds.repeatedAmong(named)) tally.repeats(named[at]?.line ?? 0);
  };
}

interface FileLines {
  /** The lines up to a fault of the file: they are imported all the same, whatever is in flight when it is found. */
  read(): AsyncGenerator<ReadLine[]>;
  readonly fault: unknown;
}

function fileLines(file: OpenFile, options: ReadOptions): FileLines {
  let fault: unknown;
  return {
    async *read() {
      try {
        yield* readHistory(file, options);
      } catch (error) {
        fault = error;
      }
    },
    get fault() {
      return fault;
    },
  };
}

/** With many partitions, batches are sent before they are full, so that all together stay in their bound. */
async function boundWaiting(senders: readonly PartitionSender[]): Promise<void> {
  const waiting = senders.reduce((sum, sender) => sum + sender.waitingBytes, 0);
  if (waiting > IMPORT_LIMITS.importWaitingBytes) await Promise.all(senders.map((sender) => sender.flush()));
}
