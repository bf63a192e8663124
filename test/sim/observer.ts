import { crc32 } from 'node:zlib';
import type { ReceivedCommand } from '../../core/vocabulary/commands/commands.ts';
import { decodeCommit, decodeReceivedCommands } from '../../core/codec/codec.ts';
import type { MemoryBroker } from '../../streams/log/memory/log-memory.ts';
import type { Delivery } from '../../streams/sinks/webhooks/record/delivery.ts';
import { decodeDeliveries } from '../../streams/sinks/webhooks/record/delivery-record.ts';
import type { HandedByRecord, HandedRecord } from './machines/handed-commands.ts';
import type { World } from './world.ts';
import type { CommitRecord } from '../../core/vocabulary/facts/commit-record.ts';

/** A record of FACTS as stored. It remains here after FACTS is trimmed. */
export interface StoredCommit {
  sequence: number;
  /** The tick at which it was stored. */
  tick: number;
  atMs: number;
  record: CommitRecord;
  /** The commands decided in it that were handed over, not read from REQUESTS. */
  handed: HandedRecord;
}

/** A message of REQUESTS as stored. It remains here after REQUESTS is lost. */
export interface StoredRequest {
  /**
   * The incarnation of REQUESTS, which starts over after every loss. The stream's creation time alone does not tell
   * them apart.
   */
  incarnation: number;
  sequence: number;
  partition: number;
  /** The broker's wall clock, as a position holds it. */
  storedAtMs: number;
  /** The tick at which it was stored. */
  tick: number;
  atMs: number;
  commands: readonly ReceivedCommand[];
}

/** Everything that was ever stored in FACTS and REQUESTS, in order, as the broker received it. */
export interface Observer {
  readonly commits: readonly StoredCommit[];
  readonly requests: readonly StoredRequest[];
  /** Every delivery as it was first queued, by id. */
  readonly deliveries: ReadonlyMap<string, Delivery>;
  readonly factsCreated: string;
}

export function observe(world: World, broker: MemoryBroker, handed: HandedByRecord): Observer {
  const commits: StoredCommit[] = [];
  const requests: StoredRequest[] = [];
  const deliveries = new Map<string, Delivery>();
  let seenDeliveries = 0;
  const facts = broker.stream('FACTS');
  const queue = broker.stream('REQUESTS');
  let seenRequests = { incarnation: queue.incarnation, sequence: 0 };
  const { created } = facts.bounds();

  facts.onChange(() => {
    for (let sequence = commits.length + 1; sequence <= facts.bounds().lastSequence; sequence++) {
      const stored = facts.get(sequence);
      if (stored === undefined) throw new Error(`record ${sequence} of FACTS was not observed`);
      const record = decodeCommit(stored.data);
      const seen = { sequence, tick: world.tick(), atMs: world.clock.monotonicMs() };
      commits.push({ ...seen, record, handed: handed.of(stored.data) });
      world.cover(
        record.epoch === 0 ? 'record: barrier' : record.facts.length === 0 ? 'record: empty' : 'record: facts',
      );
      for (const fact of record.facts) world.cover(`fact: ${fact.kind}`);
      world.note(crc32(stored.data), () => `= FACTS ${sequence} ${describe(record)}`);
    }
  });
  queue.onChange(() => {
    const { incarnation } = queue;
    if (incarnation !== seenRequests.incarnation) seenRequests = { incarnation, sequence: 0 };
    const { lastSequence } = queue.bounds();
    for (let sequence = seenRequests.sequence + 1; sequence <= lastSequence; sequence++) {
      const stored = queue.get(sequence);
      if (stored === undefined) continue;
      const partition = Number(stored.subject.split('.')[1]);
      const commands = decodeReceivedCommands(stored.data);
      const [storedAtMs, atMs] = [stored.storedAtMs, world.clock.monotonicMs()];
      requests.push({ incarnation, sequence, partition, storedAtMs, tick: world.tick(), atMs, commands });
      world.note(crc32(stored.data), () => `= REQUESTS ${incarnation}:${sequence} p${partition} ${names(commands)}`);
    }
    seenRequests = { incarnation, sequence: lastSequence };
  });
  const due = broker.stream('DELIVERIES');
  due.onChange(() => {
    const { lastSequence } = due.bounds();
    for (let sequence = seenDeliveries + 1; sequence <= lastSequence; sequence++) {
      const stored = due.get(sequence);
      const queued = stored === undefined ? undefined : decodeDeliveries(stored.data);
      if (queued === undefined) continue;
      if (queued.length > 1) world.cover('webhooks: several deliveries in one record');
      for (const delivery of queued) {
        // A repeat that the broker no longer detects, or a later attempt, has the same id.
        if (deliveries.has(delivery.id)) world.cover('webhooks: a delivery queued again under its id');
        else deliveries.set(delivery.id, delivery);
      }
    }
    seenDeliveries = lastSequence;
  });
  return { commits, requests, deliveries, factsCreated: created };
}

const names = (commands: readonly ReceivedCommand[]): string =>
  commands.map(({ replyTo, requestId }) => `${replyTo}/${requestId}`).join(' ');

function describe({ partition, epoch, owner, position, facts }: CommitRecord): string {
  const at = position === null ? '-' : `${position.sequence}:${position.index}`;
  return `p${partition} epoch ${epoch} by ${owner} at ${at}: ${facts
    .map((fact) => ('entityId' in fact ? `${fact.kind}(${fact.entityId})` : `${fact.kind}(${fact.coveredTo})`))
    .join(' ')}`;
}
