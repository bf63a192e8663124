import { withSegmentNames } from '../../../actors/conditions/segments/segment-names.ts';
import type { SegmentLookup } from '../../../actors/segments/unknown-segment.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { RequestContext } from '../route/request-context.ts';

/** The segments of the caller's game and environment. */
export function segmentLookup({ key, services }: Pick<RequestContext, 'key' | 'services'>): SegmentLookup {
  const { config } = services;
  const { game, environment } = key;
  return {
    segmentExists: (id) => config.get({ game, environment, kind: 'segment', key: id }) !== undefined,
    segmentIdOf: (segmentKey) =>
      config.list('segment', game, environment).find(({ document }) => document.key === segmentKey)?.document.id,
  };
}

/** A condition as it is stored: its segments by id, also those that the caller named by key. */
export function withSegmentIds(conditions: JsonObject, context: Pick<RequestContext, 'key' | 'services'>): JsonObject {
  const segments = segmentLookup(context);
  return withSegmentNames(conditions, (name) =>
    segments.segmentExists(name) ? name : (segments.segmentIdOf(name) ?? name),
  );
}
