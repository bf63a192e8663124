import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { AUDIT_ENTRY_LIMITS } from './limits.ts';
import { RECORD_LIMITS } from '../records/limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { encodeAuditEntries } from '../../core/codec/codec.ts';
import type { Log } from '../log/log.ts';
import type { AuditActor, AuditEntry, AuditOutcome } from '../../core/vocabulary/records/audit-entry.ts';
import { createRecordBatches } from '../records/record-batches.ts';
import { auditSubject } from '../subjects.ts';

/** Who makes a change, and from where. */
export interface AuditedBy {
  actor: AuditActor;
  network: string;
  /** Why, in the caller's words; empty: nothing was said. */
  reason: string;
}

/** What is known of a change before it is made. */
export type AuditedChange = Omit<AuditEntry, 'id' | 'at' | 'actor' | 'network' | 'reason' | 'outcome'>;

/**
 * The trail of changes in AUDIT.
 *
 * Invariants
 * 1. A change is made only after AUDIT has stored that it begins, so no crash can lose it.
 * 2. The outcome is stored afterwards, and no answer waits for it. A crash in between leaves the entry `begun`.
 */
export interface AuditTrail {
  /**
   * Stores that changes begin.
   * @returns how to report their outcome; undefined: AUDIT did not store it, so the change must not be made
   */
  begin(by: AuditedBy, changes: readonly AuditedChange[]): Promise<((outcome: AuditOutcome) => void) | undefined>;
  /** Refuses further changes; resolves once every outcome is stored or given up. */
  close(): Promise<void>;
}

export interface AuditTrailOptions {
  log: Pick<Log, 'append'>;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Part of the subject. */
  node: string;
}

export function createAuditTrail({ log, clock, ids, logger, node }: AuditTrailOptions): AuditTrail {
  const writer = ids.uuidv4();
  let messages = 0;
  const batches = createRecordBatches<AuditEntry>({
    log,
    clock,
    logger,
    subject: auditSubject(node),
    what: 'audit entries',
    encode: encodeAuditEntries,
    messageId: () => `${writer}/${++messages}`,
    perMessage: AUDIT_ENTRY_LIMITS.auditEntriesPerMessage,
    pending: AUDIT_ENTRY_LIMITS.auditEntriesPending,
    inFlight: RECORD_LIMITS.recordsInFlight,
  });

  return {
    async begin({ actor, network, reason }, changes) {
      const at = clock.wallMs();
      const begun = changes.map((change): AuditEntry => ({
        ...change,
        id: ids.uuidv7(at),
        at,
        actor,
        network,
        reason,
        outcome: 'begun',
      }));
      if ((await batches.append(begun)) !== 'stored') return undefined;
      return (outcome) => void batches.append(begun.map((entry) => ({ ...entry, outcome })));
    },
    close: () => batches.close(),
  };
}
