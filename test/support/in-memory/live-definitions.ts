import type { LiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { createSegmentSet, type DefinedSegment } from '../../../actors/segments/segment-set.ts';
import { definitionsOf } from '../../../actors/testing-players.ts';
import type { Definitions } from '../../../actors/decision/definitions.ts';

/** Constant definitions for owners in tests: the same segments for every game and environment. */
export function liveDefinitions(
  definitions: Definitions = definitionsOf(),
  segments: readonly DefinedSegment[] = [],
): LiveDefinitions {
  const set = createSegmentSet(segments);
  let reads = 0;
  function read<T>(found: T): T {
    reads += 1;
    return found;
  }
  return {
    revision: definitions.revision,
    get reads() {
      return reads;
    },
    of: (...scope) => read(definitions.of(...scope)),
    segments: (...scope) => read(segments.length > 0 ? set : definitions.segments(...scope)),
    campaigns: (...scope) => read(definitions.campaigns(...scope)),
    settings: (game) => read(definitions.settings(game)),
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
