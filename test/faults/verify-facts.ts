import { evolve } from '../../actors/evolve.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { decodeCommit } from '../../core/codec/codec.ts';
import type { LogRecord, StreamBounds } from '../../streams/log/log.ts';
import { connectJetStream, type JetStreamLog } from '../../streams/log/jetstream/log-jetstream.ts';
import { silentLogger } from '../support/in-memory/silent-logger.ts';
import { until } from '../support/until.ts';
import type { EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';

/** An event in FACTS. */
export interface EventFact {
  fact: EventTracked;
  sequence: number;
  /** Index in the record. */
  index: number;
}

/** All of FACTS, read directly from NATS. */
export interface FactsScan {
  records: number;
  /** In the order of the log. */
  events: EventFact[];
  /** The fold of all facts. */
  states: Map<string, EntityState>;
  /** Terms that each node led, by its name. */
  terms: Map<string, number>;
  /** Violations of the owners' protocol. */
  violations: string[];
}

/** The bounds of FACTS that the broker reports. */
export function factsBounds(natsUrl: string): Promise<StreamBounds> {
  return withLog(natsUrl, (log) => log.info('FACTS'));
}

/** Every record of FACTS. */
export function copyFacts(natsUrl: string): Promise<LogRecord[]> {
  return withLog(natsUrl, async (log) => {
    const { firstSequence, lastSequence } = await log.info('FACTS');
    const records: LogRecord[] = [];
    const reader = log.read('FACTS', { from: firstSequence, onWaiting: () => {} });
    await until(
      'all of FACTS is read',
      () => {
        records.push(...reader.take());
        return lastSequence < firstSequence || (records.at(-1)?.sequence ?? 0) >= lastSequence;
      },
      120_000,
    );
    reader.stop();
    return records;
  });
}

/**
 * Reads and folds every record.
 * @param earlier a copy from before FACTS was so small that its first records were trimmed
 */
export async function scanFacts(natsUrl: string, earlier: readonly LogRecord[] = []): Promise<FactsScan> {
  const copiedTo = earlier.at(-1)?.sequence ?? 0;
  const held = await copyFacts(natsUrl);
  const scan: FactsScan = { records: 0, events: [], states: new Map(), terms: new Map(), violations: [] };
  const first = (earlier[0] ?? held[0])?.sequence ?? 1;
  if (first !== 1) scan.violations.push(`FACTS begins at ${first}`);
  const [next] = held;
  if (earlier.length > 0 && next !== undefined && next.sequence > copiedTo + 1)
    scan.violations.push(`FACTS begins at ${next.sequence}, its copy ends at ${copiedTo}`);
  const epochs = new Map<string, number>();
  for (const record of [...earlier, ...held.filter(({ sequence }) => sequence > copiedTo)]) take(record, scan, epochs);
  return scan;
}

function take({ data, sequence, subject }: LogRecord, scan: FactsScan, epochs: Map<string, number>): void {
  const commit = decodeCommit(data);
  scan.records += 1;
  // A barrier begins an epoch; after it no other owner writes to the partition.
  if (commit.epoch === 0) {
    epochs.set(subject, sequence);
    const node = commit.owner.split('.')[0] ?? '';
    scan.terms.set(node, (scan.terms.get(node) ?? 0) + 1);
  } else if (commit.epoch !== epochs.get(subject)) {
    scan.violations.push(
      `${subject}: record ${sequence} is of epoch ${commit.epoch}, but ${epochs.get(subject)} had begun`,
    );
  }
  for (const [index, fact] of commit.facts.entries()) {
    if (fact.kind === 'EntitySnapshot' || fact.kind === 'SnapshotMark') continue;
    if (fact.kind === 'EventTracked') scan.events.push({ fact, sequence, index });
    scan.states.set(fact.entityId, evolve(scan.states.get(fact.entityId), fact));
  }
}

/** Opens the log of a running service as it is, and closes it after use. */
export async function withLog<T>(url: string, use: (log: JetStreamLog) => Promise<T>): Promise<T> {
  const log = await connectJetStream({ url, replicas: 1, logger: silentLogger, clock: systemClock, asFound: true });
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}
