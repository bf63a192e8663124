import { timeText } from './column-values.ts';
import { createdMs, ORIGIN, SCOPE } from './common-columns.ts';
import { factTable, type FactOrigin } from './table.ts';

/** Who entered and left which segment, and who is in it. */

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
 * Newer memberships replace older ones: first by the stream's creation, as sequences start over with it, then by record and by
 * index, as a player may enter and leave a segment within one record. 48, 48 and 32 bits.
 */
function membershipVersion({ stream, sequence, index }: FactOrigin): string {
  return String((createdMs(stream) << 80n) | (BigInt(sequence) << 32n) | BigInt(index));
}
