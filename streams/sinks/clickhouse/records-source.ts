import { auditRows, deliveryRows, disablingRows } from '../../../clickhouse-schema/rows/record-rows.ts';
import { referenceRows, scoreRows } from '../../../clickhouse-schema/rows/record-rows.ts';
import {
  decodeAuditEntries,
  decodeDeliveryRecords,
  decodeDisablings,
  decodeModelReference,
  decodeScores,
} from '../../../core/codec/codec.ts';
import { DELIVERY_RECORDS, DISABLING_RECORDS, MODEL_RECORDS, SCORE_RECORDS } from '../../subjects.ts';
import type { LogRecord } from '../../log/log.ts';
import { subjectMatches } from '../../log/subject-match.ts';
import { UnknownVersionError } from '../../../core/codec/unknown-version.ts';
import type { BatchSource } from './batch-source.ts';
import type { TableRow } from '../../../clickhouse-schema/rows/rows.ts';

/** RECORDS holds records that belong to no player. */
export const RECORDS_SOURCE: BatchSource = {
  stream: 'RECORDS',
  sink: 'clickhouse-records',
  onLoss: 'report',
  add(record, { rows }) {
    const kind = Object.keys(ROWS).find((subject) => subjectMatches(subject, record.subject));
    // A newer program wrote it: stop instead of skipping it, as with an unknown version.
    if (kind === undefined) throw new UnknownVersionError(`records of the subject ${record.subject} have no table`);
    rows.addRows(ROWS[kind]?.(record) ?? []);
  },
};

/** AUDIT holds who changed what. */
export const AUDIT_SOURCE: BatchSource = {
  stream: 'AUDIT',
  sink: 'clickhouse-audit',
  onLoss: 'report',
  add(record, { rows }) {
    rows.addRows(auditRows(decodeAuditEntries(record.data), record));
  },
};

/** Subject of RECORDS → the rows of a record. */
const ROWS: Readonly<Record<string, (record: LogRecord) => TableRow[]>> = {
  [SCORE_RECORDS]: (record) => scoreRows(decodeScores(record.data), record),
  [MODEL_RECORDS]: (record) => referenceRows(decodeModelReference(record.data), record),
  [DELIVERY_RECORDS]: (record) => deliveryRows(decodeDeliveryRecords(record.data), record),
  [DISABLING_RECORDS]: (record) => disablingRows(decodeDisablings(record.data), record),
};
