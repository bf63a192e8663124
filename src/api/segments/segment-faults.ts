import { compileCondition } from '../../../actors/conditions/compile-condition.ts';
import { hasTooManyPatterns, TOO_MANY_PATTERNS } from '../../../actors/conditions/check/pattern-load.ts';
import { nestingFaults } from '../../../actors/segments/nesting-faults.ts';
import { unknownSegmentFaults } from '../../../actors/segments/unknown-segment.ts';
import type { SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { computedFaults } from '../definitions/computed-quota.ts';
import type { RequestContext } from '../route/request-context.ts';
import { segmentLookup } from './segment-lookup.ts';
import type { SegmentBody, SegmentChange } from './segment-resource.ts';
import { segmentGraph } from './segment-users.ts';

/* What is wrong with the body of a segment. */

/**
 * The faults of a segment that is created or replaced.
 * @param held the current segment
 */
export function contentFaults(
  body: SegmentBody | SegmentChange,
  held: SegmentDocument | undefined,
  context: RequestContext,
): FieldFault[] {
  const { conditions, includes = [], excludes = [] } = body;
  const kind = held === undefined ? (body.kind ?? 'dynamic') : held.list === undefined ? 'dynamic' : 'static';
  const faults: FieldFault[] = [];
  if (body.kind !== undefined && body.kind !== kind) {
    faults.push({ path: '/kind', message: 'cannot be changed; create another segment' });
  }
  faults.push(...exceptionFaults(includes, excludes));
  if (kind === 'dynamic' && conditions === undefined) faults.push({ path: '/conditions', message: 'is required' });
  if (kind === 'static' && conditions !== undefined) {
    faults.push({ path: '/conditions', message: 'must be left out, since a static segment has a list' });
  }
  if (conditions === undefined || faults.length > 0) return faults;
  const computing = { kind: 'segment', key: held?.id ?? '', conditions: [conditions] } as const;
  return [
    ...conditionFaults(conditions, context, held?.conditions),
    ...circleFaults(held?.id ?? '', conditions, context),
    ...computedFaults(computing, '/conditions', context),
  ];
}

export function newKeyFaults(body: SegmentBody, key: string): FieldFault[] {
  if (body.key === undefined && body.name === undefined)
    return [{ path: '/name', message: 'is required unless you send `key`' }];
  return key === '' ? [{ path: '/key', message: 'is required, since no key can be derived from the name' }] : [];
}

export function exceptionFaults(includes: readonly string[], excludes: readonly string[]): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const [field, ids] of Object.entries({ includes, excludes })) {
    const isRepeated = new Set(ids.map((id) => id.toLowerCase())).size < ids.length;
    if (isRepeated) faults.push({ path: `/${field}`, message: 'must not name a player twice' });
  }
  const excluded = new Set(excludes.map((id) => id.toLowerCase()));
  if (includes.some((id) => excluded.has(id.toLowerCase()))) {
    faults.push({ path: '/includes', message: 'must not name a player that `excludes` names' });
  }
  return faults;
}

/** The faults of what a segment reads of others, as they are now. */
export function circleFaults(id: string, conditions: JsonObject, context: RequestContext): FieldFault[] {
  return nestingFaults(id, conditions, segmentGraph(context)).map(({ path, message }) => ({
    path: `/conditions${path}`,
    message,
  }));
}

/** @param held the current conditions; unchanged conditions may have what new ones must not */
export function conditionFaults(conditions: JsonObject, context: RequestContext, held?: JsonObject): FieldFault[] {
  if (Buffer.byteLength(JSON.stringify(conditions)) > TEXT_LIMITS.documentBytes) {
    return [{ path: '/conditions', message: `must be at most ${TEXT_LIMITS.documentBytes} bytes as JSON` }];
  }
  const isHeld = JSON.stringify(conditions) === JSON.stringify(held);
  if (!isHeld && hasTooManyPatterns(conditions)) return [{ path: '/conditions', message: TOO_MANY_PATTERNS }];
  const compiled = compileCondition(conditions);
  const below = ({ path, message }: FieldFault): FieldFault => ({ path: `/conditions${path}`, message });
  if (compiled.kind === 'invalid') return compiled.faults.map(below);
  if (isHeld) return [];
  return [...compiled.refusals.map(below), ...unknownSegmentFaults(conditions, '/conditions', segmentLookup(context))];
}
