import { sleep, type Clock } from '../../kernel/clock.ts';
import { failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Command } from '../../../actors/vocabulary/commands.ts';
import type { Reply } from '../../../actors/vocabulary/replies.ts';
import { encodeCommands } from '../../../streams/codec.ts';
import { requestsSubject } from '../../../streams/subjects.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { Gathering } from './gathering.ts';

/**
 * Group commit of one gateway's commands for one partition: at most one publish is in flight. Commands that arrive
 * meanwhile, and until the next moment of `gathering`, form the next message.
 *
 * Invariants
 * 1. Commands are sent in the order of their arrival.
 * 2. A message is sent again only with the same message id, never after its commands' deadline and never after one of
 *   them was answered. So it is stored once and cannot overtake a retry.
 * 3. Waiting commands are bounded; beyond the bound a command is refused at once.
 */
export interface RequestPublisher {
  /** Accepts a command. False: it is refused and will never be sent. `chars` is its approximate size. */
  add(command: Command, chars: number): boolean;
  /** Resolves when no command waits and no publish is in flight. */
  drained(): Promise<void>;
}

export interface RequestPublisherOptions {
  log: Log;
  clock: Clock;
  /** Unique per gateway incarnation: part of every message id. */
  gateway: string;
  partition: number;
  /** Whether a command has no reply yet. */
  isWaiting: (requestId: string) => boolean;
  /** Called for a command that was certainly not stored. */
  onRefused: (requestId: string, reply: Reply) => void;
  /** When the next message may leave. */
  gathering: Gathering;
  metrics: Pick<Metrics, 'commandBatchSize'>;
}

const RETRY_MS = 50;
const PUBLISH_TIMEOUT_MS = 1_000;

export function createRequestPublisher(options: RequestPublisherOptions): RequestPublisher {
  const { log, clock, gateway, partition, isWaiting, onRefused, gathering, metrics } = options;
  const subject = requestsSubject(partition);
  let pending: { command: Command; chars: number }[] = [];
  let pendingChars = 0;
  let messages = 0;
  let running = false;
  let onDrained: (() => void)[] = [];

  function cut(): Command[] {
    let chars = 0;
    let count = 0;
    for (const waiting of pending) {
      if (count > 0 && chars + waiting.chars > LIMITS.requestsBatchBytes / 2) break;
      if (count >= LIMITS.requestsBatchCommands) break;
      chars += waiting.chars;
      count += 1;
    }
    const batch = pending.slice(0, count).map(({ command }) => command);
    pending = count === pending.length ? [] : pending.slice(count);
    pendingChars -= chars;
    return batch;
  }

  async function publish(commands: readonly Command[]): Promise<void> {
    const data = encodeCommands(commands);
    messages += 1;
    const messageId = `${gateway}-${partition}-${messages}`;
    const deadlineAt = commands.reduce((latest, command) => Math.max(latest, command.deadlineAt), 0);
    metrics.commandBatchSize.observe(commands.length);
    let inDoubt = false;
    while (clock.wallMs() < deadlineAt) {
      const outcome = await log.append(subject, data, { messageId, timeoutMs: PUBLISH_TIMEOUT_MS });
      if (outcome.kind === 'acked') return;
      if (outcome.kind === 'unknown') inDoubt = true;
      else if (!inDoubt) {
        for (const { requestId } of commands) onRefused(requestId, failure('SERVICE_UNAVAILABLE'));
        return;
      }
      await sleep(clock, RETRY_MS);
      // A reply proves that the message was stored, although its acknowledgement was lost.
      if (!commands.every(({ requestId }) => isWaiting(requestId))) return;
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (pending.length > 0) {
      await gathering.next();
      await publish(cut());
    }
    running = false;
    const waiters = onDrained;
    onDrained = [];
    for (const waiter of waiters) waiter();
  }

  return {
    add(command, chars) {
      const full = pending.length >= LIMITS.gatewayPendingCommands || pendingChars + chars > LIMITS.gatewayPendingBytes;
      if (full) return false;
      pending.push({ command, chars });
      pendingChars += chars;
      gathering.added();
      if (!running) void run();
      return true;
    },
    drained() {
      if (!running) return Promise.resolve();
      return new Promise((resolve) => {
        onDrained.push(resolve);
      });
    },
  };
}
