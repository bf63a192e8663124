import { BACKEND_LIMITS } from './limits.ts';
import type { Command } from '../../../core/vocabulary/commands/commands.ts';
import { roughChars } from '../../../core/codec/rough-chars.ts';

/** Bytes of the commands that may wait in a gateway for each of so many partitions. */
export function pendingBytes(partitions: number): number {
  const share = Math.floor(BACKEND_LIMITS.gatewayPendingAllBytes / partitions);
  return Math.min(BACKEND_LIMITS.gatewayPendingBytes, Math.max(BACKEND_LIMITS.gatewayPendingLeastBytes, share));
}

/** Commands that wait in a gateway for one partition, in the order of their arrival; bounded. */
export interface CommandQueue {
  /** Accepts a command. False: the queue is full. */
  add(command: Command): boolean;
  /** The first command. */
  peek(): Command | undefined;
  /** Removes the first command. */
  take(): Command | undefined;
  /** Removes the commands of one message of REQUESTS. */
  cut(): Command[];
  /** Puts commands in front of all others, also over the bound. */
  putBack(commands: readonly Command[]): void;
  readonly length: number;
}

interface Waiting {
  command: Command;
  chars: number;
}

/** How many places are emptied before the array is moved. */
const MOST_EMPTY = 1_000;

const waitingOf = (command: Command): Waiting => ({ command, chars: roughChars(command) });

export function createCommandQueue(mostBytes: number): CommandQueue {
  let waiting: Waiting[] = [];
  /** Place of the first command; those before it were removed. */
  let first = 0;
  let chars = 0;

  function removeFirst(): Waiting | undefined {
    const removed = waiting[first];
    if (removed === undefined) return undefined;
    first += 1;
    chars -= removed.chars;
    if (first === waiting.length || first >= MOST_EMPTY) {
      waiting = waiting.slice(first);
      first = 0;
    }
    return removed;
  }

  return {
    add(command) {
      const added = waitingOf(command);
      if (waiting.length - first >= BACKEND_LIMITS.gatewayPendingCommands) return false;
      if (chars + added.chars > mostBytes) return false;
      waiting.push(added);
      chars += added.chars;
      return true;
    },
    peek: () => waiting[first]?.command,
    take: () => removeFirst()?.command,
    cut() {
      const commands: Command[] = [];
      let cutChars = 0;
      for (let next = waiting[first]; next !== undefined; next = waiting[first]) {
        cutChars += next.chars;
        if (commands.length > 0 && cutChars > BACKEND_LIMITS.requestsBatchBytes / 2) break;
        if (commands.length >= BACKEND_LIMITS.requestsBatchCommands) break;
        commands.push(next.command);
        removeFirst();
      }
      return commands;
    },
    putBack(commands) {
      const back = commands.map(waitingOf);
      waiting = [...back, ...waiting.slice(first)];
      first = 0;
      chars += back.reduce((sum, { chars: more }) => sum + more, 0);
    },
    get length() {
      return waiting.length - first;
    },
  };
}
