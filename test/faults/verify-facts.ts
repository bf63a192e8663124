import { evolve } from '../../actors/evolve.ts';
import type { EntityState } from '../../actors/vocabulary/state.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { decodeCommit } from '../../streams/codec.ts';
import type { LogRecord, StreamBounds } from '../../streams/log/log.ts';
import { connectJetStream, type JetStreamLog } from '../../streams/log/log-jetstream.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { until } from '../support/until.ts';
import type { EventTracked } from '../../actors/vocabulary/event-tracked.ts';

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

/** Reads and folds every record. The run is shorter than the trimmer's retention, so the first record still exists. */
export function scanFacts(natsUrl: string): Promise<FactsScan> {
  return withLog(natsUrl, async (log) => {
    const { firstSequence, lastSequence } = await log.info('FACTS');
    const scan: FactsScan = { records: 0, events: [], states: new Map(), terms: new Map(), violations: [] };
    if (firstSequence !== 1) scan.violations.push(`FACTS begins at ${firstSequence}`);
    const epochs = new Map<string, number>();
    const reader = log.read('FACTS', { from: 1, onWaiting: () => {} });
    let sequence = 0;
    await until(
      'all of FACTS is read',
      () => {
        for (const record of reader.take()) {
          take(record, scan, epochs);
          sequence = record.sequence;
        }
        return sequence >= lastSequence;
      },
      120_000,
    );
    reader.stop();
    return scan;
  });
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
