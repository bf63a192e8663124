import type { Fact } from './facts.ts';

/**
 * The position up to which REQUESTS has been decided: command `index` of the message `sequence` in the stream created
 * at `stream`. `publishedAtMs` (broker's clock) detects a stream that restarted within the same creation.
 */
export interface RequestPosition {
  stream: string;
  sequence: number;
  index: number;
  publishedAtMs: number;
  /**
   * The last decided command of every recent gateway. When REQUESTS restarts, it loses its message ids, so a command
   * without a reply may be stored twice. Commands at or below these marks are already decided.
   */
  gateways?: GatewayMark[];
}

/**
 * `command` is the number in its request id. After `publishedAtMs` (broker's clock) plus a bound the mark is dropped.
 */
export interface GatewayMark {
  gateway: string;
  command: number;
  publishedAtMs: number;
}

/** One FACTS record: everything one commit of a partition's owner changed. */
export interface CommitRecord {
  partition: number;
  /** The sequence of the owner's barrier; 0 in the barrier itself. */
  epoch: number;
  /** The incarnation that wrote it. An owner recognises its own record by it after an append without a reply. */
  owner: string;
  /** Owner's wall clock at the append, epoch milliseconds. */
  committedAt: number;
  position: RequestPosition | null;
  configRevision: number;
  facts: Fact[];
}
