import type { SegmentEntered, SegmentExited, SegmentsScheduled } from '../vocabulary/facts.ts';
import type { PlayerState } from '../vocabulary/state.ts';

/** Memberships stay sorted by the segments' ids. */
export function segmentEntered(state: PlayerState, { segmentId, segmentKey, at }: SegmentEntered): PlayerState {
  const others = state.segments.filter((membership) => membership.segmentId !== segmentId);
  const next = others.findIndex((membership) => membership.segmentId > segmentId);
  const index = next === -1 ? others.length : next;
  return { ...state, segments: others.toSpliced(index, 0, { segmentId, segmentKey, since: at }) };
}

export function segmentExited(state: PlayerState, { segmentId }: SegmentExited): PlayerState {
  return { ...state, segments: state.segments.filter((membership) => membership.segmentId !== segmentId) };
}

export function segmentsScheduled(state: PlayerState, { dueAt }: SegmentsScheduled): PlayerState {
  return { ...state, segmentsDueAt: dueAt };
}
