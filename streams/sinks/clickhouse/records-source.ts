import { referenceRows, scoreRows } from '../../../clickhouse-schema/score-rows.ts';
import { decodeModelReference, decodeScores } from '../../codec.ts';
import { MODEL_RECORDS, SCORE_RECORDS } from '../../definitions.ts';
import { subjectMatches } from '../../subject-match.ts';
import type { BatchSource } from './batch-source.ts';

/** RECORDS: what belongs to no player. */
export const RECORDS_SOURCE: BatchSource = {
  stream: 'RECORDS',
  sink: 'clickhouse-records',
  add(record, { rows }) {
    if (subjectMatches(SCORE_RECORDS, record.subject)) rows.addRows(scoreRows(decodeScores(record.data), record));
    else if (subjectMatches(MODEL_RECORDS, record.subject)) {
      rows.addRows(referenceRows(decodeModelReference(record.data), record));
    }
    // Written by a newer program, which knows what becomes of it: nothing is skipped, as with an unknown version.
    else throw new Error(`what stands under ${record.subject} is not known`);
  },
};
