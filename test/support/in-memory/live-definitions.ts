import type { LiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { createSegmentSet, type DefinedSegment } from '../../../actors/segments/segment-set.ts';
import { definitionsOf } from '../../../actors/testing.ts';
import type { Definitions } from '../../../actors/decision/definitions.ts';

/** Constant definitions for owners in tests: the same segments for every game and environment. */
export function liveDefinitions(
  definitions: Definitions = definitionsOf(),
  segments: readonly DefinedSegment[] = [],
): LiveDefinitions {
  const set = createSegmentSet(segments);
  return {
    revision: definitions.revision,
    of: (...scope) => definitions.of(...scope),
    segments: () => set,
    campaigns: (...scope) => definitions.campaigns(...scope),
    settings: (game) => definitions.settings(game),
    computedVersion: 0,
    computed: () => new Map(),
    computedScopes: () => [],
    segmentsVersion: 0,
    wantsSweep: segments.length > 0,
    onSegments: () => () => {},
    takeOverBudget: () => [],
    isScheduledIn: () => false,
    stop: () => {},
  };
}
