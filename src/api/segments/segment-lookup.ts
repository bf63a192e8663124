import type { SegmentLookup } from '../../../actors/segments/unknown-segment.ts';
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
