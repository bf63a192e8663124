import type { Entities } from './entities.ts';
import type { OutgoingReply, ReplySender } from './send-replies.ts';

/**
 * Keeps work in bulk (imports, lists, fills, sweeps, snapshots) no faster than the local store, as the owner of one
 * term: otherwise the owner, and with it every player who plays, would wait until the store has caught up.
 *
 * Invariants
 * 1. While the store is behind, replies to commands of work in bulk wait. Their senders have few commands in flight.
 * 2. The replies go out when the store has caught up, in their order. What waits at the end of a term is dropped, as
 *    after a crash: the senders ask again.
 */
export interface BulkWork {
  /** Whether the store is so far behind that the owner begins no work in bulk. */
  rests(): boolean;
  /** Sends replies to what is stored in FACTS. */
  send(replies: readonly OutgoingReply[]): void;
  /** The store has written something. */
  stored(): void;
}

export interface BulkWorkOptions {
  entities: Pick<Entities, 'pinnedBytes' | 'bulkBytes'>;
  /** Rough bytes of entities to keep in memory. */
  hotBytes: number;
  sendReplies: ReplySender;
  /** Begins a write of the store, unless one is under way. */
  flush: () => void;
  /** Called when paused work in bulk may continue. */
  onWork: () => void;
}

/** Shares of `hotBytes` that the store may lack of what work in bulk has changed, and of everything. */
const RESTING_BULK = 1 / 8;
const RESTING_PINNED = 1 / 2;

export function createBulkWork(options: BulkWorkOptions): BulkWork {
  const { entities, hotBytes, sendReplies, flush, onWork } = options;
  let waiting: OutgoingReply[] = [];
  let hasRested = false;

  const isBehind = (): boolean =>
    entities.bulkBytes > hotBytes * RESTING_BULK || entities.pinnedBytes > hotBytes * RESTING_PINNED;

  return {
    rests() {
      const rests = isBehind();
      hasRested ||= rests;
      return rests;
    },
    send(replies) {
      if (waiting.length === 0 && !isBehind()) {
        sendReplies(replies);
        return;
      }
      waiting.push(...replies.filter(({ isBulk }) => isBulk));
      sendReplies(replies.filter(({ isBulk }) => !isBulk));
      flush();
    },
    stored() {
      if (isBehind()) {
        if (hasRested || waiting.length > 0) flush();
        return;
      }
      if (waiting.length > 0) sendReplies(waiting);
      waiting = [];
      if (hasRested) onWork();
      hasRested = false;
    },
  };
}
