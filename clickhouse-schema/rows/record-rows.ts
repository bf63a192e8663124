import type { AuditEntry } from '../../core/vocabulary/records/audit-entry.ts';
import type { DeliveryRecord } from '../../core/vocabulary/records/delivery-record.ts';
import type { ModelReference } from '../../core/vocabulary/records/model-reference.ts';
import type { ScoreRecord } from '../../core/vocabulary/records/score-record.ts';
import type { WebhookDisabling } from '../../core/vocabulary/records/webhook-disabling.ts';
import { annotationIn } from './annotation-in.ts';
import { RECORD_TABLES } from './tables/record-tables.ts';
import type { TableRow } from './rows.ts';
import type { RecordOrigin } from './tables/table.ts';

/** The rows of a message of scores. */
export function scoreRows(records: readonly ScoreRecord[], origin: RecordOrigin): TableRow[] {
  return records.map((record, index) => {
    const table = record.challenger ? 'challenger_scores' : 'scores';
    return [table, ...RECORD_TABLES[table].row(record, origin, index)];
  });
}

/** The rows of a loaded model, one for each measure. */
export function referenceRows(reference: ModelReference, origin: RecordOrigin): TableRow[] {
  return reference.measures.map((measure, index) => [
    'model_references',
    ...RECORD_TABLES.model_references.row({ reference, measure }, origin, index),
  ]);
}

/** The rows of a message of delivery attempts. */
export function deliveryRows(records: readonly DeliveryRecord[], origin: RecordOrigin): TableRow[] {
  return records.map((record, index) => [
    'webhook_deliveries',
    ...RECORD_TABLES.webhook_deliveries.row(record, origin, index),
  ]);
}

/** The rows of a message of disabled webhooks. */
export function disablingRows(records: readonly WebhookDisabling[], origin: RecordOrigin): TableRow[] {
  return records.map((record, index) => [
    'webhook_disablings',
    ...RECORD_TABLES.webhook_disablings.row(record, origin, index),
  ]);
}

/** The rows of a message of audit entries, and those of the definitions and annotations that they changed. */
export function auditRows(entries: readonly AuditEntry[], origin: RecordOrigin): TableRow[] {
  return entries.flatMap((entry, index): TableRow[] => {
    const rows: TableRow[] = [['audit_entries', ...RECORD_TABLES.audit_entries.row(entry, origin, index)]];
    if (entry.definition !== undefined) {
      rows.push(['definition_changes', ...RECORD_TABLES.definition_changes.row(entry, origin, index)]);
    }
    const annotation = annotationIn(entry);
    if (annotation !== undefined) {
      rows.push(['annotation_rows', ...RECORD_TABLES.annotation_rows.row(annotation, origin, index)]);
    }
    return rows;
  });
}
