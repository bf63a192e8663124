import { Type } from 'typebox';
import { STATIC, type SegmentDocument, type SegmentList } from '../../../core/vocabulary/documents/documents.ts';
import { effectiveRevision } from '../../../core/vocabulary/labels.ts';
import { newLoadId } from '../../../core/vocabulary/documents/player-lists.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { SEGMENT_API_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { answer } from '../route/answer.ts';
import { computedIdsIn } from '../definitions/computed-quota.ts';
import { keyFaults } from '../definitions/definition-fields.ts';
import { SWITCHED } from '../definitions/definition-list.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import { createSchedules } from '../definitions/schedule/schedule-routes.ts';
import { remaking } from '../definitions/history/remaking.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid, readBy, writtenBy } from '../route/route.ts';
import { noSegment } from './no-segment.ts';
import { circleFaults, contentFaults, newKeyFaults } from './segment-faults.ts';
import { withSegmentIds } from './segment-lookup.ts';
import {
  keyFromName,
  Segment,
  SEGMENT_BODY_EXAMPLE,
  SEGMENT_EXAMPLE,
  SegmentBody,
  SegmentChange,
  segmentJson,
  SegmentWithProgress,
  type SegmentContent,
} from './segment-resource.ts';
import { inUse, usersOf, withInner } from './segment-users.ts';

/* The routes that read and write segments. */

const segments = definitionRoutes({
  kind: 'segment',
  states: SWITCHED,
  tag: 'Segments',
  path: '/v1/segments/segments',
  one: 'segment',
  many: 'segments',
  id: { parameter: 'id', field: 'segment_id', description: 'Id of the segment.' },
  idOf: ({ id }) => id,
  keyOf: ({ key }) => key,
  schema: Segment,
  example: SEGMENT_EXAMPLE,
  toJson: (segment) => segmentJson(segment),
  missing: noSegment,
  most: STATE_LIMITS.segmentsPerEnvironment,
});

const getSegment = defineRoute({
  ...segments.shared,
  ...readBy('viewer'),
  versioned: true,
  method: 'GET',
  path: segments.itemPath,
  summary: 'Get a segment',
  description: 'Includes what uses the segment, and the progress of evaluating players against the latest version.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: Type.String({ description: 'Id of the segment.' }) }) },
  reply: {
    description: 'The segment.',
    schema: SegmentWithProgress,
    example: {
      ...SEGMENT_EXAMPLE,
      used_by: { flags: ['new_shop'], experiments: [], campaigns: [], segments: [] },
      evaluation: { status: 'done', players_evaluated: 120, players_total: 120, players_over_budget: 0 },
    },
  },
  action: {
    kind: 'service',
    call({ params }, context) {
      const { config, segmentProgress } = context.services;
      const { game, environment } = context.key;
      const entry = config.get(segments.addressOf(params.id, context));
      if (entry === undefined) return noSegment();
      const { document } = entry;
      // The players of a segment follow from those that it reads.
      const read = [...withInner(document.id, context)].flatMap(
        (id) => config.get(segments.addressOf(id, context)) ?? [],
      );
      const revision = Math.max(...read.map(effectiveRevision));
      const properties = computedIdsIn(
        read.map((inner) => inner.document.conditions),
        context,
      );
      return segmentProgress({ game, environment, segmentId: document.id, revision, properties }).then(
        (progress) =>
          answer(segmentJson(document, { progress, usedBy: usersOf(document.id, context) }), {
            etag: document.version,
          }),
        () => failure('SERVICE_UNAVAILABLE', 'The evaluation progress is temporarily unavailable; retry later.'),
      );
    },
  },
});

/** A player may be erased before. */
const NO_PLAYERS = 'names players, so it cannot be scheduled';

const replacing = {
  body: SegmentChange,
  change: (sent: SegmentChange, context: RequestContext) => (held: SegmentDocument) => {
    const body = withIds(sent, context);
    const faults = [...keyFaults(body.key, held.key), ...contentFaults(body, held, context)];
    if (faults.length > 0) return invalid(faults);
    const isTurnedOff = body.enabled === false && held.enabled !== false;
    const refused = isTurnedOff ? inUse(held.id, context) : undefined;
    return refused ?? { ...withoutExceptions(held), ...segmentContent(body, held.key, held.list) };
  },
  // Two edits at the same moment may each be free of a circle, and make one together.
  conflict({ id, conditions, list }: SegmentDocument, context: RequestContext) {
    const faults = list === undefined ? circleFaults(id, conditions, context) : [];
    return faults.length === 0 ? undefined : invalid(faults);
  },
};

export const segmentSchedules = createSchedules<'segment', typeof SegmentChange>(
  {
    kind: 'segment',
    routes: segments,
    idIn: ({ id = '' }) => id,
    toJson: (segment) => segmentJson(segment),
  },
  {
    role: 'editor',
    approvals: { add: 'segment.schedule.add', cancel: 'segment.schedule.cancel' },
    by: replacing,
    never: { includes: NO_PLAYERS, excludes: NO_PLAYERS },
  },
);
const creating = {
  body: SegmentBody,
  make,
  overQuota: (context: RequestContext, { list }: SegmentDocument) =>
    (list === undefined ? undefined : overLists(context)) ?? segments.overQuota(context),
};

export const segmentRoutes = [
  segments.listRoute({ description: 'Ordered by creation time, oldest first.' }),
  segments.createRoute({
    // A new one serves no player until a flag or campaign uses it, and that waits.
    ...writtenBy('editor', 'none'),
    description:
      'The segment is in effect on this node when the response is sent. Existing players are evaluated in the ' +
      'background.',
    ...creating,
    example: SEGMENT_BODY_EXAMPLE,
    warned,
  }),
  getSegment,
  segments.changeRoute({
    ...writtenBy('editor', { id: 'segment.replace', of: 'segment' }),
    method: 'PUT',
    description:
      'Fields that you leave out get their defaults. All players are evaluated again in the background, also for the ' +
      'segments that read this one. Returns 409 for `enabled: false` while flags, experiments, campaigns or segments use the ' +
      'segment, as a deletion does: it would have no players.',
    errors: ['CONFLICT'],
    ...replacing,
    example: SEGMENT_BODY_EXAMPLE,
    warned,
  }),
  segments.deleteRoute(
    {
      ...writtenBy('editor', { id: 'segment.delete', of: 'segment' }),
      description:
        'Returns 409 while flags, experiments, campaigns or segments use the segment; `details` lists them by kind. Its ' +
        'players leave the segment in the background.',
    },
    inUse,
  ),
  ...segments.historyRoutes(),
  ...segments.restoreRoutes({
    ...writtenBy('editor', { id: 'segment.restore', of: 'segment' }),
    by: replacing,
    again: remaking({
      ...creating,
      identified: (document, id) => ({ ...document, id }),
      notes: ({ list }) => (list === undefined ? [] : ['Its list is empty: load it again.']),
    }),
    // The history has only their number.
    fitted: (wire, { includes = [], excludes = [] }) => ({ ...wire, includes: [...includes], excludes: [...excludes] }),
  }),
  ...segmentSchedules.routes,
];

function make(sent: SegmentBody, context: RequestContext): SegmentDocument | Failure {
  const { ids } = context.services;
  const body = withIds(sent, context);
  const key = body.key ?? keyFromName(body.name ?? '');
  const faults = [...newKeyFaults(body, key), ...contentFaults(body, undefined, context)];
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const list: SegmentList | undefined =
    body.kind === 'static' ? { load: newLoadId(at, ids.bytes(4), ''), players: 0, loadedAt: null } : undefined;
  return {
    id: `seg_${ids.uuidv7(at)}`,
    key,
    ...segmentContent(body, key, list),
    ...(list === undefined ? {} : { list }),
    ...firstVersion(context),
  };
}

/** A body that names segments by their ids. */
function withIds<B extends SegmentBody | SegmentChange>(body: B, context: RequestContext): B {
  const { conditions } = body;
  return conditions === undefined ? body : { ...body, conditions: withSegmentIds(conditions, context) };
}

function overLists(context: RequestContext): Failure | undefined {
  const lists = segments.all(context).filter(({ document }) => document.list !== undefined);
  return lists.length >= SEGMENT_API_LIMITS.staticSegments ? TOO_MANY_LISTS : undefined;
}

function warned({ body }: { body: SegmentBody | SegmentChange }): WarnedConditions[] {
  return body.conditions === undefined ? [] : [{ conditions: body.conditions, path: '/conditions' }];
}

const TOO_MANY_LISTS = failure(
  'CONFLICT',
  `The environment has ${SEGMENT_API_LIMITS.staticSegments} static segments, the maximum; delete one first.`,
);

/** The parts of a definition that its body sets. */
export function segmentContent(
  { name, description, conditions, enabled, includes = [], excludes = [] }: SegmentBody | SegmentChange,
  key: string,
  list: SegmentList | undefined,
): SegmentContent {
  const lowerCase = (ids: readonly string[]): string[] => ids.map((id) => id.toLowerCase());
  return {
    name: name ?? key,
    description: description ?? '',
    conditions: list === undefined ? (conditions ?? {}) : STATIC,
    enabled: enabled ?? true,
    ...(includes.length === 0 ? {} : { includes: lowerCase(includes) }),
    ...(excludes.length === 0 ? {} : { excludes: lowerCase(excludes) }),
  };
}

function withoutExceptions(segment: SegmentDocument): SegmentDocument {
  const rest = { ...segment };
  delete rest.includes;
  delete rest.excludes;
  return rest;
}
