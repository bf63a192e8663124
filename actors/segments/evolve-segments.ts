import type { SegmentEntered, SegmentExited, SegmentsScheduled } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerListed } from '../../core/vocabulary/documents/player-lists.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

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

/** Lists stay sorted by the segments' ids. A state without any has no field for them. */
export function playerListed(state: PlayerState, { segmentId, loads, dropped = [] }: PlayerListed): PlayerState {
  const { lists = [], ...rest } = state;
  const others = lists.filter((list) => list.segmentId !== segmentId && !dropped.includes(list.segmentId));
  const held = lists.find((list) => list.segmentId === segmentId);
  const next = loads.length === 0 ? others : [...others, { ...held, segmentId, loads }];
  if (next.length === 0) return rest;
  return { ...rest, lists: next.sort((one, other) => (one.segmentId < other.segmentId ? -1 : 1)) };
}
