import { sleep, type Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import type { Gathering } from '../../../core/kernel/flow/gathering.ts';
import type { BackendMetrics } from './metrics.ts';
import type { Command } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { HandedCommands } from '../../../core/vocabulary/commands/local-gateway.ts';
import { encodeCommands } from '../../../core/codec/codec.ts';
import { requestsSubject } from '../../../streams/subjects.ts';
import type { Log } from '../../../streams/log/log.ts';
import { createCommandQueue } from './command-queue.ts';

/**
 * Group commit of one gateway's commands for one partition: at most one publish is in flight. Commands that arrive
 * meanwhile, and until the next moment of `gathering`, form the next message. While an owner in this process takes the
 * commands, nothing is published.
 *
 * States: publishing; handing over, from when an owner in this process wants the commands and every published one is
 * answered, until that owner stops.
 * Invariants
 * 1. Commands are sent and taken in the order of their arrival.
 * 2. A message is sent again only with the same message id, never after its commands' deadline and never after one of
 *   them was answered. So it is stored once and cannot overtake a retry.
 * 3. Waiting commands are bounded; beyond the bound a command is refused at once.
 * 4. A command is handed over only when none that was published before it waits for its reply.
 */
export interface RequestPublisher {
  /** Accepts a command. False: it is refused and will never be sent. */
  add(command: Command): boolean;
  /** Hands the commands over to an owner in this process. `onWaiting` is called for each. */
  handOver(onWaiting: () => void): HandedCommands;
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
  /** Bytes of commands that may wait. */
  pendingBytes: number;
  /** When the next message may leave. */
  gathering: Gathering;
  metrics: Pick<BackendMetrics, 'commandBatchSize' | 'commandsHandedOver'>;
}

const RETRY_MS = 50;
const PUBLISH_TIMEOUT_MS = 1_000;
/** How long commands wait for the replies to published ones before they are published too. */
const HAND_OVER_WAIT_MS = 50;
/** Pause before commands wait again, after replies that did not come in time. */
const HAND_OVER_PAUSE_MS = 1_000;
const REPLIES_CHECK_MS = 1;

export function createRequestPublisher(options: RequestPublisherOptions): RequestPublisher {
  const { log, clock, gateway, partition, isWaiting, onRefused, gathering, metrics } = options;
  const subject = requestsSubject(partition);
  const queue = createCommandQueue(options.pendingBytes);
  let messages = 0;
  let running = false;
  let onDrained: (() => void)[] = [];
  /** The owner in this process that wants the commands. */
  let owner: { onWaiting: () => void } | undefined;
  let isHanding = false;
  /** When the next attempt to hand over may begin. */
  let nextAttemptMs = -Infinity;
  /** The commands of the last message that may have been stored. Earlier ones are answered before them. */
  let published: readonly Command[] = [];

  async function publish(commands: readonly Command[]): Promise<void> {
    const data = encodeCommands(commands);
    messages += 1;
    const before = published;
    published = commands;
    const messageId = `${gateway}-${partition}-${messages}`;
    const deadlineAt = commands.reduce((latest, command) => Math.max(latest, command.deadlineAt), 0);
    metrics.commandBatchSize.observe(commands.length);
    let inDoubt = false;
    while (clock.wallMs() < deadlineAt) {
      const outcome = await log.append(subject, data, { messageId, timeoutMs: PUBLISH_TIMEOUT_MS });
      if (outcome.kind === 'acked') return;
      if (outcome.kind === 'unknown') inDoubt = true;
      else if (!inDoubt) {
        published = before;
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
    while (queue.length > 0 && !isHanding) {
      // The owner may have stopped meanwhile, so the loop checks again.
      if (await startsHandOver()) continue;
      await gathering.next();
      await publish(queue.cut());
    }
    running = false;
    drainedIfEmpty();
  }

  /**
   * Waits a moment for the replies to the published commands, if an owner wants the commands, and then hands over.
   * @returns whether it hands over now
   */
  async function startsHandOver(): Promise<boolean> {
    if (owner === undefined || clock.monotonicMs() < nextAttemptMs) return false;
    const untilMs = clock.monotonicMs() + HAND_OVER_WAIT_MS;
    while (published.some(({ requestId }) => isWaiting(requestId))) {
      if (clock.monotonicMs() >= untilMs) {
        nextAttemptMs = untilMs + HAND_OVER_PAUSE_MS;
        return false;
      }
      await sleep(clock, REPLIES_CHECK_MS);
    }
    published = [];
    isHanding = owner !== undefined;
    owner?.onWaiting();
    return isHanding;
  }

  /** Hands over or publishes what waits, after a change of the owner. */
  function resume(): void {
    if (queue.length === 0) return;
    if (isHanding) owner?.onWaiting();
    else if (!running) void run();
  }

  function drainedIfEmpty(): void {
    if (running || queue.length > 0) return;
    const waiters = onDrained;
    onDrained = [];
    for (const waiter of waiters) waiter();
  }

  return {
    add(command) {
      if (!queue.add(command)) return false;
      if (!isHanding) gathering.added();
      resume();
      return true;
    },
    handOver(onWaiting) {
      const self = { onWaiting };
      owner = self;
      isHanding = false;
      nextAttemptMs = -Infinity;
      let taken: Command[] = [];
      const isMine = (): boolean => isHanding && owner === self;
      resume();
      return {
        peek: () => (isMine() ? queue.peek() : undefined),
        take() {
          const command = isMine() ? queue.take() : undefined;
          if (command === undefined) return;
          taken.push(command);
          metrics.commandsHandedOver.inc();
          drainedIfEmpty();
        },
        settle() {
          const settled = taken;
          taken = [];
          return settled;
        },
        putBack(commands) {
          taken = [...commands, ...taken];
        },
        stop() {
          queue.putBack(taken);
          taken = [];
          if (owner === self) {
            owner = undefined;
            isHanding = false;
          }
          resume();
        },
      };
    },
    drained() {
      if (!running && queue.length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onDrained.push(resolve);
      });
    },
  };
}
