import { decodeRecord } from '../../decode-record.ts';
import type { OpenReader } from '../../log/shared-reader.ts';
import type { BatchSource } from './batch-source.ts';
import { createStreamWriter, type StreamWriter, type StreamWriterOptions } from './stream-writer.ts';

export interface FactsWriterOptions extends Omit<StreamWriterOptions, 'source' | 'read' | 'onWritten' | 'onTerm'> {
  /** Opens the reader of FACTS; by default one of its own. */
  readFacts?: OpenReader;
  /** Erasures were inserted and the position has passed them; or a term begins: an earlier one may have left some. */
  onErasures?: () => void;
}

/** Writes every fact of FACTS into ClickHouse once. */
export function createFactsWriter({ onErasures, readFacts, ...options }: FactsWriterOptions): StreamWriter {
  return createStreamWriter({
    ...options,
    source: FACTS_SOURCE,
    read: readFacts,
    ...(onErasures === undefined ? {} : { onTerm: onErasures }),
    onWritten: (_, tables) => {
      if (tables.has('erasures')) onErasures?.();
    },
  });
}

const FACTS_SOURCE: BatchSource = {
  stream: 'FACTS',
  sink: 'clickhouse',
  onLoss: 'wait',
  add(record, { rows, marks, stream }) {
    const commit = decodeRecord(record);
    rows.add(commit, { stream, sequence: record.sequence });
    for (const fact of commit.facts) {
      if (fact.kind !== 'SnapshotMark') continue;
      if (fact.coveredTo >= (marks.get(fact.partition)?.coveredTo ?? 0)) marks.set(fact.partition, fact);
    }
  },
};
