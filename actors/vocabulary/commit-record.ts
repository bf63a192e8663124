import type { Fact } from './facts.ts';

/**
 * How far REQUESTS has been decided: command `index` of the message `sequence`, published at `publishedAtMs` (broker's
 * clock), of the stream created at `stream`. The time tells a stream that started over inside the same creation apart.
 */
export interface RequestPosition {
  stream: string;
  sequence: number;
  index: number;
  publishedAtMs: number;
  /**
   * The last command decided of every gateway heard of lately. When REQUESTS starts over it forgets which messages it
   * held, and an unanswered one may be stored a second time: what is at or below these was decided before.
   */
  gateways?: GatewayMark[];
}

/** `command` is the number in its request id; `publishedAtMs` (broker's clock) says when the mark may be forgotten. */
export interface GatewayMark {
  gateway: string;
  command: number;
  publishedAtMs: number;
}

/** One FACTS record: everything one commit of a partition's owner changed. */
export interface CommitRecord {
  partition: number;
  /** The sequence of the owner's barrier; 0 in the barrier itself, whose own sequence it is. */
  epoch: number;
  /** The incarnation that wrote it, so that an owner recognises its own record after an unanswered append. */
  owner: string;
  /** Owner's wall clock at the append, epoch milliseconds. */
  committedAt: number;
  position: RequestPosition | null;
  configRevision: number;
  facts: Fact[];
}
