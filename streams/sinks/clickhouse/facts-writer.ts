import { decodeRecord } from '../../facts/decode-record.ts';
import type { ExtractedOf } from '../../../clickhouse-schema/extracted-properties.ts';
import type { TracedEvents } from '../../freshness/traced-events.ts';
import type { OpenReader } from '../../log/shared-reader.ts';
import type { BatchSource } from './batch-source.ts';
import { createStreamWriter, type StreamWriter, type StreamWriterOptions } from './stream-writer.ts';

export interface FactsWriterOptions extends Omit<StreamWriterOptions, 'source' | 'read' | 'onWritten' | 'onTerm'> {
  /** Opens the reader of FACTS; by default one of its own. */
  readFacts?: OpenReader;
  /** Erasures were inserted and the position has passed them; or a term begins: an earlier one may have left some. */
  onErasures?: () => void;
  /** The same of merges. */
  onMerges?: () => void;
  /** Measures how fresh the rows are. */
  traced?: TracedEvents;
  /** The properties of a game's events with columns of their own. By default none. */
  extractedOf?: ExtractedOf | undefined;
}

/** Writes every fact of FACTS into ClickHouse once. */
export function createFactsWriter({
  onErasures,
  onMerges,
  readFacts,
  traced,
  extractedOf,
  ...options
}: FactsWriterOptions): StreamWriter {
  return createStreamWriter({
    ...options,
    source: factsSource(traced, extractedOf),
    read: readFacts,
    onTerm() {
      onErasures?.();
      onMerges?.();
    },
    onWritten: (sequence, tables) => {
      traced?.passed(sequence);
      if (tables.has('erasures')) onErasures?.();
      if (tables.has('player_merges')) onMerges?.();
    },
  });
}

function factsSource(traced: TracedEvents | undefined, extractedOf: ExtractedOf | undefined): BatchSource {
  return {
    stream: 'FACTS',
    sink: 'clickhouse',
    onLoss: 'wait',
    add(record, { rows, marks, stream }) {
      const commit = decodeRecord(record);
      rows.add(commit, { stream, sequence: record.sequence, extractedOf });
      let hasEvents = false;
      for (const fact of commit.facts) {
        if (fact.kind === 'EventTracked') hasEvents = true;
        if (fact.kind !== 'SnapshotMark') continue;
        if (fact.coveredTo >= (marks.get(fact.partition)?.coveredTo ?? 0)) marks.set(fact.partition, fact);
      }
      if (hasEvents) traced?.read(record.sequence, record.storedAtMs);
    },
  };
}
