import type { ModelReference } from '../../streams/records/model-reference.ts';
import type { ScoreRecord } from '../../streams/records/score-record.ts';
import { storable, timeText } from './column-values.ts';
import type { RowFor, TableRow } from './row.ts';

/** Where a message stands in RECORDS. */
export interface RecordOrigin {
  /** The message's sequence. */
  sequence: number;
  /** When the broker stored it, epoch milliseconds. */
  storedAtMs: number;
}

/** The rows of a message of scores. */
export function scoreRows(records: readonly ScoreRecord[], place: RecordOrigin): TableRow[] {
  const receivedMs = storable(place.storedAtMs);
  return records.map((record, index): TableRow => {
    const table = record.challenger ? 'challenger_scores' : 'scores';
    return [table, scoreRow(record, place, index), receivedMs];
  });
}

function scoreRow(record: ScoreRecord, place: RecordOrigin, index: number): RowFor<'scores'> {
  const { features } = record;
  return {
    record_id: record.recordId,
    game_id: record.game,
    tenant: record.tenant,
    environment: record.environment,
    device_id: record.deviceId,
    loot_distinct_types: features.loot_distinct_types,
    sess_duration_total: features.sess_duration_total,
    match_avg_fight_time: features.match_avg_fight_time,
    match_wins: features.match_wins,
    install_hour: features.install_hour,
    vpay_count: features.vpay_count,
    score: record.score,
    bucket: record.bucket,
    model_version: record.modelVersion,
    forced: record.forced,
    scored_at: timeText(record.scoredAt),
    received_at: timeText(place.storedAtMs),
    records_sequence: place.sequence,
    records_index: index,
  };
}

/** The rows of a model that was loaded, one for each measure. */
export function referenceRows(reference: ModelReference, { storedAtMs }: RecordOrigin): TableRow[] {
  return reference.measures.map(({ measure, edges, shares }): TableRow => {
    const row: RowFor<'model_references'> = {
      model_version: reference.modelVersion,
      measure,
      edges: arrayText(edges),
      shares: arrayText(shares),
      received_at: timeText(reference.loadedAt),
    };
    return ['model_references', row, storable(storedAtMs)];
  });
}

/** An array of numbers as a column takes it. */
function arrayText(numbers: readonly number[]): string {
  return `[${numbers.join(',')}]`;
}
