import { memberVersion, ORIGIN, SCOPE } from '../common-columns.ts';
import { text, time, uint128, uint8, uuid } from '../column-types.ts';
import { factTable } from './table.ts';

/** Tables of segment transitions and memberships. */

const segment_transitions = factTable(['SegmentEntered', 'SegmentExited'], (fact) => [fact])({
  placing: 'facts',
  onMerge: 'copy',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    segment_id: text((fact) => fact.segmentId),
    segment_key: text((fact) => fact.segmentKey),
    player_id: uuid((fact) => fact.entityId),
    external_id: text((fact) => fact.externalId),
    transition: text((fact) => (fact.kind === 'SegmentEntered' ? 'entered' : 'exited')),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

const segment_membership_states = factTable(['SegmentEntered', 'SegmentExited'], (fact) => [fact])({
  placing: 'memberships',
  onMerge: 'drop',
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    segment_id: text((fact) => fact.segmentId),
    player_id: uuid((fact) => fact.entityId),
    segment_key: text((fact) => fact.segmentKey),
    external_id: text((fact) => fact.externalId),
    received_at: time((fact) => fact.at),
    exited: uint8((fact) => (fact.kind === 'SegmentExited' ? 1 : 0)),
    version: uint128((_, origin) => memberVersion(origin)),
  },
});

export const SEGMENT_TABLES = { segment_transitions, segment_membership_states };
