import type { Scope } from './documents/scope.ts';

/** Reads accepted and imported events from ClickHouse. Every method rejects when ClickHouse cannot be read. */
export interface EventHistory {
  /** The record of FACTS up to which ClickHouse notes that it holds FACTS, and the creation of that FACTS. */
  confirmedTo(): Promise<{ createdMs: number; sequence: number } | undefined>;
  /** Their number over all partitions. */
  count(events: PastEvents): Promise<number>;
  /**
   * The events of the players in one of `parts` equal ranges of ids, player by player, each player's events in the
   * order of their time and then of the log. The source reads the next rows when the caller asks for them.
   */
  load(events: PastEvents, part: number, parts: number): AsyncIterable<readonly PastEvent[]>;
}

export interface PastEvents extends Scope {
  /** Only events of the players of this partition. */
  partition: number;
  /** Partitions of the deployment. */
  partitions: number;
  eventNames: readonly string[];
  /** Only events received since then, epoch milliseconds. */
  sinceMs: number;
  /** Only events of records before this sequence of FACTS. */
  beforeSequence: number;
}

export interface PastEvent {
  playerId: string;
  eventName: string;
  /** When it was received, epoch milliseconds; of an imported event, when it happened. */
  atMs: number;
  sequence: number;
  /** JSON. */
  properties: string;
}
