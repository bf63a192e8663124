import { timeText } from './column-values.ts';
import { createdMs, ORIGIN, SCOPE } from './common-columns.ts';
import { factTable, type FactOrigin } from './table.ts';

/** Tables of segment transitions and memberships. */

const segment_transitions = factTable(['SegmentEntered', 'SegmentExited'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    segment_id: (fact) => fact.segmentId,
    segment_key: (fact) => fact.segmentKey,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    transition: (fact) => (fact.kind === 'SegmentEntered' ? 'entered' : 'exited'),
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

const segment_membership_states = factTable(['SegmentEntered', 'SegmentExited'], (fact) => [fact])({
  placing: 'memberships',
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    segment_id: (fact) => fact.segmentId,
    player_id: (fact) => fact.entityId,
    segment_key: (fact) => fact.segmentKey,
    external_id: (fact) => fact.externalId,
    received_at: (fact) => timeText(fact.at),
    exited: (fact) => (fact.kind === 'SegmentExited' ? 1 : 0),
    version: (_, origin) => membershipVersion(origin),
  },
});

export const SEGMENT_TABLES = { segment_transitions, segment_membership_states };

/**
 * Newer memberships replace older ones: by the stream's creation, because sequences restart with it, then by record,
 * then by index, because one record may hold an entry and an exit. 48, 48 and 32 bits.
 */
function membershipVersion({ stream, sequence, index }: FactOrigin): string {
  return String((createdMs(stream) << 80n) | (BigInt(sequence) << 32n) | BigInt(index));
}
