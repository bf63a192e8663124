import type { SegmentGraph } from '../../../actors/segments/nesting-faults.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import type { SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import { readsNow } from '../definitions/references.ts';
import type { RequestContext } from '../route/request-context.ts';

/* Which definitions read which segments. */

type Place = Pick<RequestContext, 'key' | 'services'>;

/** Keys of what uses a segment. */
export interface SegmentUse {
  flags: string[];
  experiments: string[];
  campaigns: string[];
  segments: string[];
}

/** The definitions that use a segment. */
export function usersOf(id: string, { key: { game, environment }, services: { config } }: Place): SegmentUse {
  const users = (kind: 'flag' | 'experiment' | 'campaign' | 'segment'): string[] =>
    config
      .list(kind, game, environment)
      .flatMap(({ document }) => (readsNow(kind, document).segments.includes(id) ? [document.key] : []));
  return {
    flags: users('flag'),
    experiments: users('experiment'),
    campaigns: users('campaign'),
    segments: users('segment'),
  };
}

function readBySegment(document: SegmentDocument): readonly string[] {
  return readsNow('segment', document).segments;
}

/** Why a segment must keep its players: something uses it. */
export function inUse(id: string, context: Place): Failure | undefined {
  const users = Object.entries(usersOf(id, context)).filter(([, keys]) => keys.length > 0);
  if (users.length === 0) return undefined;
  const details = Object.fromEntries(
    users.map(([kind, keys]: [string, string[]]) => [kind, keys.slice(0, VALIDATION_LIMITS.reportedFaults)]),
  );
  const named = Object.entries(details).map(([kind, keys]) => `${kind} (${keys.join(', ')})`);
  return failure('CONFLICT', `The segment is used by ${named.join(' and ')}. Remove it from them first.`, details);
}

/** Which segments read which. */
export function segmentGraph({ key: { game, environment }, services: { config } }: Place): SegmentGraph {
  const find = (id: string) => config.get({ game, environment, kind: 'segment', key: id })?.document;
  const readBy = (id: string): readonly string[] => {
    const document = find(id);
    return document === undefined ? [] : readBySegment(document);
  };
  return {
    keyOf: (id) => find(id)?.key ?? id,
    readBy,
    readersOf: (id) =>
      config
        .list('segment', game, environment)
        .flatMap(({ document }) => (readBySegment(document).includes(id) ? [document.id] : [])),
  };
}

/** The segment and all that it reads, directly or not. */
export function withInner(id: string, context: Place): ReadonlySet<string> {
  const graph = segmentGraph(context);
  const all = new Set([id]);
  // Iteration of a Set includes members that are added during it.
  for (const one of all) for (const inner of graph.readBy(one)) all.add(inner);
  return all;
}
