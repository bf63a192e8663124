import { decodeAuditEntries } from '../../../core/codec/codec.ts';
import type { AuditEntry } from '../../../core/vocabulary/records/audit-entry.ts';
import type { MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { until } from '../until.ts';

/** All entries of AUDIT, oldest first: each change begins, and has its outcome afterwards. */
export async function auditIn(broker: MemoryBroker): Promise<AuditEntry[]> {
  let waiting = false;
  const reader = broker.connect('reader').read('AUDIT', { from: 1, onWaiting: () => (waiting = true) });
  await reader.started;
  const { lastSequence } = broker.stream('AUDIT').bounds();
  const found: AuditEntry[] = [];
  let seen = 0;
  await until('all entries are read', () => {
    for (const { sequence, data } of reader.take(1_000)) {
      seen = sequence;
      found.push(...decodeAuditEntries(data));
    }
    return seen === lastSequence && (waiting || lastSequence === 0);
  });
  reader.stop();
  return found;
}
