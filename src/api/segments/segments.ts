import { Type } from 'typebox';
import { STATIC, type SegmentDocument, type SegmentList } from '../../../core/vocabulary/documents/documents.ts';
import { newLoadId } from '../../../core/vocabulary/documents/player-lists.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { SEGMENT_API_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import { answer } from '../route/answer.ts';
import { computedIdsIn } from '../definitions/computed-quota.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import { changeDefinition, createKeyed, type Written } from '../definitions/definition-writes.ts';
import { IfMatch } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, readBy, writtenBy } from '../route/route.ts';
import { noSegment } from './no-segment.ts';
import { contentFaults, keyFaults } from './segment-faults.ts';
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
  type SegmentUse,
} from './segment-resource.ts';

/* The routes that read and write segments. */

const taken = (): Failure => failure('CONFLICT', 'Another segment has this key; choose another key.', { field: 'key' });

const PATH = '/v1/segments/segments';
const segments = definitionRoutes({
  kind: 'segment',
  tag: 'Segments',
  path: PATH,
  many: 'segments',
  id: { parameter: 'id', field: 'segment_id', description: 'Id of the segment.' },
  schema: Segment,
  example: SEGMENT_EXAMPLE,
  toJson: (segment) => segmentJson(segment),
  missing: noSegment,
  most: STATE_LIMITS.segmentsPerEnvironment,
});
const ById = Type.Object({ id: Type.String({ description: 'Id of the segment.' }) });

const listSegments = segments.listRoute({
  summary: 'List the segments',
  description: 'Ordered by creation time, oldest first.',
});

const createSegment = defineRoute({
  ...segments.shared,
  // A new one serves no player until a flag or campaign uses it, and that waits.
  ...writtenBy('editor', 'none'),
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create a segment',
  description:
    'The segment is in effect on this node when the response is sent. Existing players are evaluated in the ' +
    'background.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: SegmentBody },
  reply: { statuses: [201], description: 'The segment.', schema: Segment, example: SEGMENT_EXAMPLE },
  example: SEGMENT_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ body }, context) => create(body, context),
    toAnswer: (written) => segments.shown(written, 201),
    warned,
  },
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
  input: { params: ById },
  reply: {
    description: 'The segment.',
    schema: SegmentWithProgress,
    example: {
      ...SEGMENT_EXAMPLE,
      used_by: { flags: ['new_shop'], campaigns: [] },
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
      const { document, revision } = entry;
      const properties = computedIdsIn([document.conditions], context);
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

const putSegment = defineRoute({
  ...segments.shared,
  ...writtenBy('editor', { id: 'segment.replace', of: 'segment' }),
  versioned: true,
  method: 'PUT',
  path: segments.itemPath,
  summary: 'Replace a segment',
  description:
    'Fields that you leave out get their defaults. All players are evaluated again in the background. Returns 409 for ' +
    '`enabled: false` while flags or campaigns use the segment, as a deletion does: it would have no players.',
  idempotent: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params: ById, headers: IfMatch, body: SegmentChange },
  reply: { description: 'The updated segment.', schema: Segment, example: SEGMENT_EXAMPLE },
  example: SEGMENT_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) =>
      changeDefinition<'segment'>(
        {
          address: segments.addressOf(params.id, context),
          basis: { ...headers, version: body.version },
          missing: noSegment(),
          change(held) {
            const faults = contentFaults(body, held, context);
            if (body.key !== undefined && body.key !== held.key) {
              faults.unshift({ path: '/key', message: 'cannot be changed; leave it out or send the current key' });
            }
            if (faults.length > 0) return invalid(faults);
            const isTurnedOff = body.enabled === false && held.enabled !== false;
            const refused = isTurnedOff ? inUse(held.id, context) : undefined;
            if (refused !== undefined) return refused;
            return {
              kind: 'changed',
              document: { ...withoutExceptions(held), ...contentOf(body, held.key, held.list) },
            };
          },
        },
        context,
      ),
    toAnswer: (written) => segments.shown(written, 200),
    warned,
  },
});

const deleteSegment = segments.deleteRoute(
  {
    summary: 'Delete a segment',
    ...writtenBy('editor', { id: 'segment.delete', of: 'segment' }),
    description:
      'Returns 409 while flags or campaigns use the segment; `details.flags` and `details.campaigns` list them. Its ' +
      'players leave the segment in the background.',
  },
  inUse,
);

export const segmentRoutes = [listSegments, createSegment, getSegment, putSegment, deleteSegment];

function create(body: SegmentBody, context: WriteContext): Failure | Promise<Written<'segment'> | Failure> {
  const { config, ids } = context.services;
  const key = body.key ?? keyFromName(body.name ?? '');
  const faults = [...keyFaults(body, key), ...contentFaults(body, undefined, context)];
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const id = `seg_${ids.uuidv7(at)}`;
  const isStatic = body.kind === 'static';
  const list: SegmentList | undefined = isStatic
    ? { load: newLoadId(at, ids.bytes(4), ''), players: 0, loadedAt: null }
    : undefined;
  const document: SegmentDocument = {
    id,
    key,
    ...contentOf(body, key, list),
    ...(list === undefined ? {} : { list }),
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  const { game, environment } = context.key;
  const lists = () => config.list('segment', game, environment).filter(({ document }) => document.list !== undefined);
  const overQuota = () =>
    isStatic && lists().length >= SEGMENT_API_LIMITS.staticSegments ? TOO_MANY_LISTS : segments.overQuota(context);
  return createKeyed<'segment'>({ address: segments.addressOf(id, context), document, taken, overQuota }, context);
}

function warned({ body }: { body: SegmentBody | SegmentChange }): WarnedConditions[] {
  return body.conditions === undefined ? [] : [{ conditions: body.conditions, path: '/conditions' }];
}

const TOO_MANY_LISTS = failure(
  'CONFLICT',
  `The environment has ${SEGMENT_API_LIMITS.staticSegments} static segments, the maximum; delete one first.`,
);

/** The flags and campaigns that use a segment. */
export function usersOf(id: string, { key, services }: RequestContext): SegmentUse {
  const { config } = services;
  const flags = config
    .list('flag', key.game, key.environment)
    .filter(({ document }) => document.archivedAt === null && document.rules.some((rule) => rule.segmentId === id))
    .map(({ document }) => document.key);
  const campaigns = config
    .list('campaign', key.game, key.environment)
    .filter(
      ({ document: { audience, trigger } }) => audience === id || ('segmentId' in trigger && trigger.segmentId === id),
    )
    .map(({ document }) => document.key);
  return { flags, campaigns };
}

function inUse(id: string, context: RequestContext): Failure | undefined {
  const { flags, campaigns } = usersOf(id, context);
  if (flags.length + campaigns.length === 0) return undefined;
  const details = {
    ...(flags.length === 0 ? {} : { flags: flags.slice(0, VALIDATION_LIMITS.reportedFaults) }),
    ...(campaigns.length === 0 ? {} : { campaigns: campaigns.slice(0, VALIDATION_LIMITS.reportedFaults) }),
  };
  const users = [flags.length === 0 ? [] : 'Flag rules', campaigns.length === 0 ? [] : 'Campaigns']
    .flat()
    .join(' and ');
  const named = Object.values(details).flat().join(', ');
  return failure('CONFLICT', `${users} use the segment: ${named}. Remove it from them first.`, details);
}

function contentOf(
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
