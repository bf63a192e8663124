import type { ImportedReply, ImportHistory, ImportItem } from '../../../../core/vocabulary/commands/import.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import { sleep, type Clock } from '../../../../core/kernel/clock.ts';
import { isTemporary } from '../../../../core/kernel/errors.ts';
import { IMPORT_LIMITS } from '../limits.ts';
import { IMPORT_SEND_LIMITS } from './limits.ts';
import { CliError } from '../../cli-error.ts';
import { createHistoryBatch } from './history-batch.ts';
import type { CommandPace } from '../../../../core/kernel/flow/command-pace.ts';

/**
 * Sends the lines of one partition to its owner, in their order and each until it is decided.
 *
 * States: a batch that fills → queued commands → in flight, as the pace allows → decided, from the front only.
 * Invariants
 * 1. A command names the last line of the command before it, so an owner decides none of them too early.
 * 2. Waiting commands are bounded: `add` returns whether there is room, and `room` resolves when there is.
 * 3. Each command in flight has a turn of the pace, which all partitions share.
 */
export interface PartitionSender {
  /** Takes a line. False: wait for `room` before the next one. */
  add(item: ImportItem): boolean;
  room(): Promise<void>;
  /** Closes the batch that fills, so that it is sent. */
  close(): void;
  /** The last line that is decided; 0: none in this run. */
  readonly decidedTo: number;
  /** The first line that is not decided; `undefined`: all are. */
  readonly undecidedFrom: number | undefined;
  /** About the bytes of the lines that are not decided. */
  readonly waitingBytes: number;
  /** Sends what waits, and resolves when all lines are decided. */
  flush(): Promise<void>;
}

export interface SenderOptions {
  importId: string;
  /** The last line that was decided in earlier runs. */
  decidedTo: number;
  send: (body: ImportHistory, playerId: string) => Promise<Reply>;
  /** Resolves when the service may be sent more. */
  mayGoOn: () => Promise<void>;
  /** `wasSent`: the command was sent before. */
  onDecided: (reply: ImportedReply, wasSent: boolean) => void;
  pace: CommandPace;
  clock: Pick<Clock, 'timer' | 'monotonicMs'>;
}

interface Waiting {
  body: ImportHistory;
  /** Its first line. */
  from: number;
  sizeBytes: number;
  attempts: number;
  /** While it is in flight. */
  reply?: Promise<Reply>;
  sentMs: number;
}

export function createPartitionSender(options: SenderOptions): PartitionSender {
  const { importId, send, mayGoOn, onDecided, pace, clock } = options;
  const queue: Waiting[] = [];
  let filling = createHistoryBatch();
  let { decidedTo } = options;
  let after = decidedTo;
  let queuedBytes = 0;
  let inFlight = 0;
  let running: Promise<void> | undefined;
  let failure: unknown;
  let onRoom: (() => void)[] = [];

  function close(): void {
    if (filling.lines === 0) return;
    const body = filling.close(importId, after);
    const { from, sizeBytes } = filling;
    queue.push({ body, from, sizeBytes, attempts: 0, sentMs: 0 });
    queuedBytes += sizeBytes;
    after = body.to;
    filling = createHistoryBatch();
    running ??= run();
  }

  async function run(): Promise<void> {
    try {
      let failingSinceMs: number | undefined;
      while (queue.length > 0) {
        await mayGoOn();
        if (inFlight === 0) {
          await pace.turn();
          sendNext();
        }
        while (inFlight < Math.min(IMPORT_LIMITS.importWindow, queue.length) && pace.tryTurn()) sendNext();
        if (await settleFront()) {
          failingSinceMs = undefined;
          continue;
        }
        await lost();
        failingSinceMs ??= clock.monotonicMs();
        if (clock.monotonicMs() - failingSinceMs > IMPORT_SEND_LIMITS.importPatienceMs) {
          throw new CliError('The service did not accept lines for too long. Run the command again to continue.');
        }
        await sleep(clock, IMPORT_SEND_LIMITS.importRetryMs);
      }
    } catch (error) {
      failure = error;
      queue.length = 0;
      for (; inFlight > 0; inFlight--) pace.lost();
    }
    running = undefined;
    wake();
  }

  function sendNext(): void {
    const waiting = queue[inFlight];
    if (waiting === undefined) throw new Error('no command waits to be sent');
    inFlight += 1;
    waiting.attempts += 1;
    waiting.sentMs = clock.monotonicMs();
    waiting.reply = send(waiting.body, waiting.body.players[0]?.playerId ?? '');
  }

  /** Waits for the reply to the first command. @returns whether it is decided */
  async function settleFront(): Promise<boolean> {
    const [front] = queue;
    const reply = await front?.reply;
    if (front === undefined || reply === undefined) return false;
    if (reply.kind === 'failure' && !isTemporary(reply.code)) {
      throw new CliError(`The service refused lines: ${reply.message ?? reply.code}`);
    }
    if (reply.kind !== 'imported') return false;
    // All before it is decided, so its owner no longer has what an earlier run imported.
    if (reply.importedTo < front.body.after) throw new CliError(LEDGER_BEHIND);
    if (reply.importedTo < front.body.to) return false;
    pace.answered(clock.monotonicMs() - front.sentMs);
    queue.shift();
    inFlight -= 1;
    queuedBytes -= front.sizeBytes;
    decidedTo = front.body.to;
    onDecided(reply, front.attempts > 1);
    wake();
    return true;
  }

  /** Waits until no command is in flight: those behind a lost one were not decided. */
  async function lost(): Promise<void> {
    for (const { reply } of queue.slice(0, inFlight)) await reply;
    for (; inFlight > 0; inFlight--) pace.lost();
  }

  function wake(): void {
    const waiters = onRoom;
    onRoom = [];
    for (const waiter of waiters) waiter();
  }

  function check(): void {
    if (failure !== undefined) throw failure;
  }

  const hasRoom = (): boolean => queue.length <= 2 * IMPORT_LIMITS.importWindow;

  return {
    add(item) {
      check();
      filling.add(item);
      if (
        filling.lines >= IMPORT_SEND_LIMITS.importCommandLines ||
        filling.sizeBytes >= IMPORT_SEND_LIMITS.importCommandBytes
      )
        close();
      return hasRoom();
    },
    async room() {
      while (!hasRoom()) {
        await new Promise<void>((resolve) => onRoom.push(resolve));
        check();
      }
    },
    close,
    get decidedTo() {
      return decidedTo;
    },
    get undecidedFrom() {
      return queue[0]?.from ?? (filling.lines === 0 ? undefined : filling.from);
    },
    get waitingBytes() {
      return queuedBytes + filling.sizeBytes;
    },
    async flush() {
      close();
      await running;
      check();
    },
  };
}

const LEDGER_BEHIND =
  'The deployment lacks lines that an earlier run of this machine imported. Run the command again with --from-start.';
