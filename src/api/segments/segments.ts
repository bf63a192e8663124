import { Type } from 'typebox';
import { compileCondition } from '../../../actors/conditions/compile-condition.ts';
import { hasTooManyPatterns, TOO_MANY_PATTERNS } from '../../../actors/conditions/pattern-load.ts';
import { failure, type Failure, type FieldFault } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer } from '../answer.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import { changeDefinition, createKeyed, type Written } from '../definitions/definition-writes.ts';
import { IfMatch } from '../if-match.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, invalid } from '../route.ts';
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

/* The routes that read and write segments. */

const missing = (): Failure => failure('NOT_FOUND', 'The segment does not exist.');
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
  missing,
  most: LIMITS.segmentsPerEnvironment,
});
const ById = Type.Object({ id: Type.String({ description: 'Id of the segment.' }) });

const listSegments = segments.listRoute({
  summary: 'List the segments',
  description: 'Ordered by creation time, oldest first.',
});

const createSegment = defineRoute({
  ...segments.shared,
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
  },
});

const getSegment = defineRoute({
  ...segments.shared,
  versioned: true,
  method: 'GET',
  path: segments.itemPath,
  summary: 'Get a segment',
  description: 'Includes the progress of evaluating players against the latest version.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: ById },
  reply: {
    statuses: [200],
    description: 'The segment.',
    schema: SegmentWithProgress,
    example: {
      ...SEGMENT_EXAMPLE,
      evaluation: { status: 'done', players_evaluated: 120, players_total: 120, players_over_budget: 0 },
    },
  },
  action: {
    kind: 'service',
    call({ params }, context) {
      const { config, segmentProgress } = context.services;
      const { game, environment } = context.key;
      const entry = config.get(segments.addressOf(params.id, context));
      if (entry === undefined) return missing();
      const { document, revision } = entry;
      return segmentProgress({ game, environment, segmentId: document.id, revision }).then(
        (progress) => answer(segmentJson(document, progress), { etag: document.version }),
        () => failure('SERVICE_UNAVAILABLE', 'The evaluation progress is temporarily unavailable; retry later.'),
      );
    },
  },
});

const putSegment = defineRoute({
  ...segments.shared,
  versioned: true,
  method: 'PUT',
  path: segments.itemPath,
  summary: 'Replace a segment',
  description: 'Fields that you leave out get their defaults. All players are evaluated again in the background.',
  idempotent: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params: ById, headers: IfMatch, body: SegmentChange },
  reply: { statuses: [200], description: 'The updated segment.', schema: Segment, example: SEGMENT_EXAMPLE },
  example: SEGMENT_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) =>
      changeDefinition<'segment'>(
        {
          address: segments.addressOf(params.id, context),
          headers,
          missing: missing(),
          change(held) {
            const faults = conditionFaults(body.conditions, held.conditions);
            if (body.key !== undefined && body.key !== held.key) {
              faults.unshift({ path: '/key', message: 'cannot be changed; leave it out or send the current key' });
            }
            if (faults.length > 0) return invalid(faults);
            return { kind: 'changed', document: { ...held, ...contentOf(body, held.key) } };
          },
        },
        context,
      ),
    toAnswer: (written) => segments.shown(written, 200),
  },
});

const deleteSegment = segments.deleteRoute(
  {
    summary: 'Delete a segment',
    description:
      'Returns 409 while flags or campaigns use the segment; `details.flags` and `details.campaigns` list them. Its ' +
      'players leave the segment in the background.',
  },
  inUse,
);

export const segmentRoutes = [listSegments, createSegment, getSegment, putSegment, deleteSegment];

function create(body: SegmentBody, context: RequestContext): Failure | Promise<Written<'segment'> | Failure> {
  const key = body.key ?? keyFromName(body.name ?? '');
  const faults = [...keyFaults(body, key), ...conditionFaults(body.conditions)];
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const id = `seg_${context.services.ids.uuidv7(at)}`;
  const document = { id, key, ...contentOf(body, key), createdAt: at, updatedAt: at, version: 1 };
  const overQuota = () => segments.overQuota(context);
  return createKeyed<'segment'>({ address: segments.addressOf(id, context), document, taken, overQuota }, context);
}

function inUse(id: string, { key, services }: RequestContext): Failure | undefined {
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
  if (flags.length + campaigns.length === 0) return undefined;
  const details = {
    ...(flags.length === 0 ? {} : { flags: flags.slice(0, LIMITS.reportedFaults) }),
    ...(campaigns.length === 0 ? {} : { campaigns: campaigns.slice(0, LIMITS.reportedFaults) }),
  };
  const users = [flags.length === 0 ? [] : 'Flag rules', campaigns.length === 0 ? [] : 'Campaigns']
    .flat()
    .join(' and ');
  const named = Object.values(details).flat().join(', ');
  return failure('CONFLICT', `${users} use the segment: ${named}. Remove it from them first.`, details);
}

function contentOf(
  { name, description, conditions, enabled }: SegmentBody | SegmentChange,
  key: string,
): SegmentContent {
  return { name: name ?? key, description: description ?? '', conditions, enabled: enabled ?? true };
}

function keyFaults(body: SegmentBody, key: string): FieldFault[] {
  if (body.key === undefined && body.name === undefined)
    return [{ path: '/name', message: 'is required unless you send `key`' }];
  return key === '' ? [{ path: '/key', message: 'is required, since no key can be derived from the name' }] : [];
}

/** @param held the current conditions; unchanged conditions may be more expensive than new ones */
function conditionFaults(conditions: JsonObject, held?: JsonObject): FieldFault[] {
  if (Buffer.byteLength(JSON.stringify(conditions)) > LIMITS.documentBytes) {
    return [{ path: '/conditions', message: `must be at most ${LIMITS.documentBytes} bytes as JSON` }];
  }
  const isHeld = JSON.stringify(conditions) === JSON.stringify(held);
  if (!isHeld && hasTooManyPatterns(conditions)) return [{ path: '/conditions', message: TOO_MANY_PATTERNS }];
  const compiled = compileCondition(conditions);
  const below = ({ path, message }: FieldFault): FieldFault => ({ path: `/conditions${path}`, message });
  if (compiled.kind === 'invalid') return compiled.faults.map(below);
  if (compiled.excess === undefined || isHeld) return [];
  return [below(compiled.excess)];
}
