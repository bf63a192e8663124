import { decodeReceivedCommands } from '../../../core/codec/codec.ts';
import { requestsSubject } from '../../../streams/subjects.ts';
import type { Log, LogRecord, Reader } from '../../../streams/log/log.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { ReceivedCommand, UnreadableCommand } from '../../../core/vocabulary/commands/commands.ts';
import type { GatewayMark, RequestPosition } from '../../../core/vocabulary/facts/commit-record.ts';

/**
 * The commands of one partition, in order, from a position on. REQUESTS is in the broker's memory and may be created
 * anew. Lost commands were never acknowledged, so the feed then begins at the first record of the new stream. A gateway
 * may publish an unanswered message again after such a loss; commands decided before are recognised by their numbers.
 */
export interface RequestFeed {
  /** Opens the feed, also after a reset. */
  open(): Promise<void>;
  /** Whether `open` has to be called before the feed gives commands. */
  readonly closed: boolean;
  /** The next command, not yet taken. It may be one that only a newer version can decide. */
  peek(): ReceivedCommand | undefined;
  /** Takes the peeked command and moves `position` past it. */
  take(): void;
  /** The last command taken; each commit stores it. */
  readonly position: RequestPosition | null;
  /** The highest CONFIG revision named by the commands of the current message. */
  readonly wantedRevision: number;
  /** Whether every command that waited when the feed was opened has been taken or has expired. */
  readonly backlogTaken: boolean;
  stop(): void;
}

interface Batch {
  sequence: number;
  storedAtMs: number;
  commands: ReceivedCommand[];
  next: number;
  wantedRevision: number;
}

export interface RequestFeedOptions {
  log: Log;
  clock: Pick<Clock, 'wallMs'>;
  partition: number;
  position: RequestPosition | null;
  logger: Logger;
  onWaiting: () => void;
}

export function createRequestFeed(options: RequestFeedOptions): RequestFeed {
  const { log, clock, partition, logger, onWaiting } = options;
  let { position } = options;
  const subject = requestsSubject(partition);
  const marks = new Map((position?.gateways ?? []).map((mark) => [mark.gateway, mark]));
  let reader: Reader | undefined;
  let created = '';
  /** The last message that was stored when the feed was opened. */
  let backlogEnd = { sequence: 0, storedAtMs: 0 };
  /** The last message since `open` of which every command is taken. The one at `position` may be taken in part. */
  let completeTo = 0;
  let batch: Batch | undefined;
  /** Commands of the message at `position.sequence` that were decided before. */
  let skip: { sequence: number; count: number } | undefined;
  let unreadableCount = 0;
  let unreadableLoggedMs = -Infinity;

  async function open(): Promise<void> {
    reader?.stop();
    batch = undefined;
    completeTo = 0;
    const bounds = await log.info('REQUESTS');
    created = bounds.created;
    const start = await startFrom(log, subject, position, bounds);
    skip = start.skip;
    const { sequence = 0, storedAtMs = 0 } = (await log.last('REQUESTS', subject)) ?? {};
    backlogEnd = { sequence, storedAtMs };
    reader = log.read('REQUESTS', { subjects: [subject], from: start.from, onWaiting });
  }

  function nextBatch(): Batch | undefined {
    const record = reader?.take(1)[0];
    if (record === undefined) return undefined;
    const { sequence, storedAtMs } = record;
    const commands = decodeReceivedCommands(record.data);
    logUnreadable(commands, record);
    let next = skip?.sequence === sequence ? skip.count : 0;
    while (isDecided(commands[next])) next += 1;
    const wantedRevision = commands.reduce((most, command) => Math.max(most, command.configRevision), 0);
    if (next >= commands.length) {
      completeTo = sequence;
      position = { stream: created, sequence, index: commands.length - 1, publishedAtMs: storedAtMs };
    }
    return { sequence, storedAtMs, commands, next, wantedRevision };
  }

  function isDecided(command: ReceivedCommand | undefined): boolean {
    if (command === undefined || command.replyTo === '') return false;
    const mark = marks.get(command.replyTo);
    return mark !== undefined && numberOf(command) <= mark.command;
  }

  /** The marks without those older than REQUESTS keeps records: their commands are past their deadlines. */
  function currentMarks(nowMs: number): GatewayMark[] {
    for (const [gateway, mark] of marks) {
      if (mark.publishedAtMs < nowMs - LOG_LIMITS.requestsMaxAgeMs) marks.delete(gateway);
    }
    return [...marks.values()];
  }

  /** Logs the first unreadable command and the count, at most once a while: every message may hold some. */
  function logUnreadable(commands: readonly ReceivedCommand[], { sequence, storedAtMs }: LogRecord): void {
    const [first] = unreadable(commands);
    if (first === undefined) return;
    unreadableCount += unreadable(commands).length;
    if (storedAtMs - unreadableLoggedMs < UNREADABLE_LOG_MS) return;
    unreadableLoggedMs = storedAtMs;
    logger.error({ partition, sequence, reason: first.reason, commands: unreadableCount }, UNREADABLE_COMMANDS);
  }

  return {
    open,
    get closed() {
      return reader === undefined || reader.ended !== undefined;
    },
    peek() {
      while (batch === undefined || batch.next >= batch.commands.length) {
        batch = nextBatch();
        if (batch === undefined) return undefined;
      }
      return batch.commands[batch.next];
    },
    take() {
      if (batch === undefined) return;
      const { sequence, storedAtMs: publishedAtMs } = batch;
      const command = batch.commands[batch.next];
      if (command !== undefined && command.replyTo !== '') {
        const gateway = command.replyTo;
        marks.set(gateway, { gateway, command: numberOf(command), publishedAtMs });
      }
      position = { stream: created, sequence, index: batch.next, publishedAtMs };
      batch.next += 1;
      if (batch.next >= batch.commands.length) completeTo = sequence;
    },
    get position() {
      return position === null ? null : { ...position, gateways: currentMarks(position.publishedAtMs) };
    },
    get wantedRevision() {
      return batch?.wantedRevision ?? 0;
    },
    get backlogTaken() {
      // The broker may have removed the message before the reader got it; its commands are past their deadlines.
      return completeTo >= backlogEnd.sequence || clock.wallMs() > backlogEnd.storedAtMs + LOG_LIMITS.requestsMaxAgeMs;
    },
    stop() {
      reader?.stop();
    },
  };
}

/** Counted since the term began. */
export const UNREADABLE_COMMANDS =
  'a newer version sent commands that this one does not know; each is answered with 503';
const UNREADABLE_LOG_MS = 10_000;

const unreadable = (commands: readonly ReceivedCommand[]): UnreadableCommand[] =>
  commands.filter((command) => command.body === undefined);

const numberOf = (command: ReceivedCommand): number => Number.parseInt(command.requestId, 36);

interface Start {
  from: number;
  skip: { sequence: number; count: number } | undefined;
}

/**
 * Where to continue reading. A position is valid only for the stream in which it was taken. Another creation time,
 * fewer records than decided, or another message at the decided sequence mean that the stream was created anew. If the
 * decided message has expired, so has every record at or below its sequence in a new stream.
 */
async function startFrom(
  log: Log,
  subject: string,
  position: RequestPosition | null,
  bounds: { created: string; firstSequence: number; lastSequence: number },
): Promise<Start> {
  const fromFirst: Start = { from: bounds.firstSequence, skip: undefined };
  if (position === null || position.stream !== bounds.created || bounds.lastSequence < position.sequence) {
    return fromFirst;
  }
  if (position.sequence < bounds.firstSequence) return fromFirst;
  const record = await log.next('REQUESTS', subject, position.sequence);
  const same = record?.sequence === position.sequence && record.storedAtMs === position.publishedAtMs;
  if (!same) return fromFirst;
  return { from: position.sequence, skip: { sequence: position.sequence, count: position.index + 1 } };
}
