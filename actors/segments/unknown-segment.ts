import type { FieldFault } from '../../core/kernel/errors.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { segmentNamesIn } from '../conditions/segments/segment-names.ts';

/** Finds the segments of a game and environment. */
export interface SegmentLookup {
  segmentExists(id: string): boolean;
  /** The id of the segment with this key. */
  segmentIdOf(key: string): string | undefined;
}

/** The message for an id that no segment has. Suggests the id if the caller sent the key of a segment. */
export function unknownSegment(id: string, segments: SegmentLookup): string {
  const meant = segments.segmentIdOf(id);
  const suggestion = meant === undefined ? '' : `: the segment with the key \`${id}\` has the id \`${meant}\``;
  return `must be the id of a segment of this game (\`seg_…\`)${suggestion}`;
}

/** The faults of names in a condition that no segment has. @param path of the condition */
export function unknownSegmentFaults(condition: JsonObject, path: string, segments: SegmentLookup): FieldFault[] {
  return segmentNamesIn(condition, path)
    .filter(({ name }) => !segments.segmentExists(name))
    .map(({ name, path: at }) => ({
      path: at,
      message: `must be the id or key of a segment of this game, not ${JSON.stringify(name)}`,
    }));
}
