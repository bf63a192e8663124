import type { Command, Query } from './commands.ts';
import type { AddressedReply } from './replies.ts';

/** The gateway of this process. Between it and the owners of this process no messages are needed. */
export interface LocalGateway {
  gateway: string;
  receive(replies: readonly AddressedReply[]): void;
  /** Hands the gateway's queries of a partition to `take`. A query that is repeated also comes as a message. */
  serve(partition: number, take: (queries: readonly Query[]) => void): () => void;
  /** Hands over the gateway's commands of a partition. `onWaiting` is called for each. */
  commands(partition: number, onWaiting: () => void): HandedCommands;
}

/**
 * The gateway's commands of one partition, in the order of their arrival.
 *
 * Invariants
 * 1. Commands are handed over only once all that the gateway has published for the partition are answered, so none
 *   overtakes another.
 * 2. A command that was taken is published, and so decided by the next owner, only if it was put back, or not settled
 *   before `stop`.
 */
export interface HandedCommands {
  /** The next command, not yet taken. */
  peek(): Command | undefined;
  take(): void;
  /** The commands taken since the last call are decided, or may be. Returns them. */
  settle(): readonly Command[];
  /** Puts the commands of the last `settle` back: they were certainly not decided. */
  putBack(commands: readonly Command[]): void;
  /** The gateway publishes commands again, first those put back or not settled. */
  stop(): void;
}

/** Used without a gateway in the process. */
export const NO_HANDED_COMMANDS: HandedCommands = {
  peek: () => undefined,
  take: () => {},
  settle: () => [],
  putBack: () => {},
  stop: () => {},
};
