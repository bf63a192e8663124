import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import type { BucketName } from '../../../streams/log/stream-definitions.ts';
import type { LeaderUse } from '../../../streams/log/memory/log-memory.ts';
import type { WriteFault } from '../../../streams/log/memory/connection.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

/** A stream or a bucket: in a cluster each has a leader of its own. */
export type Source = StreamName | BucketName;

/**
 * Elections of a replicated broker, for each stream and bucket independently. While a source has no leader its reads
 * wait. A write gets no answer: it is lost, stored by the last leader, or stored by the next one.
 */
export interface Elections {
  /** @param client the only client that cannot reach the leader; all if absent */
  begin(source: Source, durationMs: number, client?: string): void;
  /** Delays what one client's readers and watches get from a source; its reads and writes are answered. */
  delayConsumers(source: Source, durationMs: number, client: string): void;
  /** Milliseconds until the client reaches the source's leader; 0: it does. */
  remainingMs(source: Source, client: string, use: LeaderUse): number;
  /** What happens to a write; `undefined`: the source has a leader. */
  faultOf(source: Source, client: string): WriteFault | undefined;
  end(): void;
}

/** How late the next leader may store a write after its election. */
const LATE_MS = 400;

export function createElections(world: World, random: Random): Elections {
  let running: { source: Source; untilMs: number; client: string | undefined; isElection: boolean }[] = [];

  function add(source: Source, durationMs: number, client: string | undefined, isElection: boolean): void {
    running.push({ source, untilMs: world.clock.monotonicMs() + durationMs, client, isElection });
  }

  function remainingMs(source: Source, client: string, use: LeaderUse | 'write'): number {
    if (running.length === 0) return 0;
    const nowMs = world.clock.monotonicMs();
    running = running.filter(({ untilMs }) => untilMs > nowMs);
    const ends = running
      .filter(
        (one) => one.source === source && (one.client ?? client) === client && (one.isElection || use === 'consume'),
      )
      .map(({ untilMs }) => untilMs - nowMs);
    return Math.max(0, ...ends);
  }

  return {
    begin: (source, durationMs, client) => add(source, durationMs, client, true),
    delayConsumers: (source, durationMs, client) => add(source, durationMs, client, false),
    remainingMs,
    faultOf(source, client) {
      const leftMs = remainingMs(source, client, 'write');
      if (leftMs === 0) return undefined;
      const kind = random.pick(['lose_request', 'lose_request', 'lose_ack', 'late request'] as const);
      world.cover(`election of ${source}: ${kind}`);
      return kind === 'late request' ? { requestDelayMs: leftMs + random.between(0, LATE_MS) } : kind;
    },
    end() {
      running = [];
    },
  };
}
