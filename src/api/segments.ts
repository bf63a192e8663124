import { Type } from 'typebox';
import { compileCondition } from '../../actors/conditions/compile-condition.ts';
import type { ConfigEntry } from '../../streams/config/config-store.ts';
import type { DocumentAddress } from '../../streams/config/documents.ts';
import { failure, type Failure, type FieldFault } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { LIMITS } from '../kernel/limits.ts';
import { answer, type Answer } from './answer.ts';
import { changeDefinition, createKeyed, deleteDefinition, type Written } from './definition-writes.ts';
import { IfMatch } from './if-match.ts';
import { NextCursor, pageOf, PageQuery } from './paging.ts';
import type { RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';
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

const ROUTE = {
  tag: 'Segments',
  auth: { keys: ['server'] },
  limitClass: 'none',
} as const;
const PATH = '/v1/segments/segments';
const ById = Type.Object({ id: Type.String({ description: 'Id of the segment.' }) });

const listSegments = defineRoute({
  ...ROUTE,
  method: 'GET',
  path: PATH,
  summary: 'List the segments',
  description: 'Oldest first.',
  errors: [],
  input: { query: PageQuery },
  reply: {
    statuses: [200],
    description: 'A page of the list.',
    schema: Type.Object(
      { segments: Type.Array(Segment, { description: 'Segments of this page.' }), next_cursor: NextCursor },
      { description: 'Segments.' },
    ),
    example: { segments: [SEGMENT_EXAMPLE], next_cursor: null },
  },
  action: {
    kind: 'handle',
    handle({ query }, context) {
      const page = pageOf(segmentsOf(context), (entry) => entry.key, query);
      if (page.kind === 'failure') return page;
      const shown = page.items.map(({ document }) => segmentJson(document));
      return answer(`{"segments":[${shown.join()}],"next_cursor":${JSON.stringify(page.nextCursor)}}`);
    },
  },
});

const createSegment = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create a segment',
  description: 'In effect on this node with the answer. The players there are evaluated in the background.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: SegmentBody },
  reply: { statuses: [201], description: 'The segment.', schema: Segment, example: SEGMENT_EXAMPLE },
  example: SEGMENT_BODY_EXAMPLE,
  action: { kind: 'handle', handle: ({ body }, context) => create(body, context) },
});

const getSegment = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'GET',
  path: `${PATH}/{id}`,
  summary: 'Get a segment',
  description: 'With how far the players have been evaluated against its newest version.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: ById },
  reply: {
    statuses: [200],
    description: 'The segment.',
    schema: SegmentWithProgress,
    example: { ...SEGMENT_EXAMPLE, evaluation: { status: 'done', players_evaluated: 120, players_total: 120 } },
  },
  action: {
    kind: 'handle',
    handle({ params }, context) {
      const { config, segmentProgress } = context.services;
      const entry = config.get(addressOf(params.id, context));
      if (entry === undefined) return missing();
      const { document, revision } = entry;
      return segmentProgress(revision).then(
        (progress) => answer(segmentJson(document, progress), { etag: document.version }),
        () => failure('SERVICE_UNAVAILABLE', 'How far the players are evaluated cannot be told just now.'),
      );
    },
  },
});

const putSegment = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'PUT',
  path: `${PATH}/{id}`,
  summary: 'Change a segment',
  description: 'Whole: what is left out gets its default. Every player is evaluated again, in the background.',
  idempotent: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params: ById, headers: IfMatch, body: SegmentChange },
  reply: { statuses: [200], description: 'The segment as it is now.', schema: Segment, example: SEGMENT_EXAMPLE },
  example: SEGMENT_BODY_EXAMPLE,
  action: {
    kind: 'handle',
    async handle({ params, headers, body }, context) {
      const written = await changeDefinition(
        {
          address: addressOf(params.id, context),
          headers,
          missing: missing(),
          change(held) {
            const faults = conditionFaults(body.conditions);
            if (body.key !== undefined && body.key !== held.key) {
              faults.unshift({ path: '/key', message: 'cannot be changed' });
            }
            if (faults.length > 0) return invalid(faults);
            return { kind: 'changed', document: { ...held, ...contentOf(body, held.key) } };
          },
        },
        context,
      );
      return shown(written, 200);
    },
  },
});

const deleteSegment = defineRoute({
  ...ROUTE,
  method: 'DELETE',
  path: `${PATH}/{id}`,
  summary: 'Delete a segment',
  description:
    'Refused while flags or campaigns use it; `details.flags` and `details.campaigns` name them. Its players leave it in ' +
    'the background.',
  idempotent: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params: ById, headers: IfMatch },
  reply: {
    statuses: [200],
    description: 'It is gone.',
    schema: Type.Object(
      {
        segment_id: Type.String({ description: 'Id of the segment.' }),
        deleted: Type.Boolean({ description: 'Always true.' }),
      },
      { description: 'A deleted segment.' },
    ),
    example: { segment_id: SEGMENT_EXAMPLE.segment_id, deleted: true },
  },
  action: { kind: 'handle', handle: ({ params, headers }, context) => remove(params.id, headers, context) },
});

export const segmentRoutes = [listSegments, createSegment, getSegment, putSegment, deleteSegment];

async function create(body: SegmentBody, context: RequestContext): Promise<Answer> {
  const key = body.key ?? keyFromName(body.name ?? '');
  const faults = [...keyFaults(body, key), ...conditionFaults(body.conditions)];
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const id = `seg_${context.services.ids.uuidv7(at)}`;
  const document = { id, key, ...contentOf(body, key), createdAt: at, updatedAt: at, version: 1 };
  const full = () => noRoom(segmentsOf(context).length);
  return shown(await createKeyed<'segment'>({ address: addressOf(id, context), document, taken, full }, context), 201);
}

async function remove(id: string, headers: IfMatch, context: RequestContext): Promise<Answer> {
  const deletion = { address: addressOf(id, context), headers, missing, inUse: () => inUse(id, context) };
  const deleted = await deleteDefinition(deletion, context);
  if (deleted.kind === 'failure') return deleted;
  return answer(JSON.stringify({ segment_id: id, deleted: true }), { replayed: deleted.replayed });
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
  const users = [flags.length === 0 ? [] : 'Rules of flags', campaigns.length === 0 ? [] : 'Campaigns'].flat();
  const named = Object.values(details).flat();
  return failure('CONFLICT', `${users.join(' and ')} use the segment: ${named.join(', ')}.`, details);
}

function shown(written: Written<'segment'> | Failure, status: 200 | 201): Answer {
  if (written.kind === 'failure') return written;
  const { document } = written.entry;
  return answer(segmentJson(document), { status, replayed: written.replayed, etag: document.version });
}

function addressOf(id: string, { key }: RequestContext): DocumentAddress<'segment'> {
  return { game: key.game, environment: key.environment, kind: 'segment', key: id };
}

function segmentsOf({ key, services }: RequestContext): ConfigEntry<'segment'>[] {
  return services.config.list('segment', key.game, key.environment);
}

function contentOf(
  { name, description, conditions, enabled }: SegmentBody | SegmentChange,
  key: string,
): SegmentContent {
  return { name: name ?? key, description: description ?? '', conditions, enabled: enabled ?? true };
}

function keyFaults(body: SegmentBody, key: string): FieldFault[] {
  if (body.key === undefined && body.name === undefined) return [{ path: '/name', message: 'is required' }];
  return key === '' ? [{ path: '/key', message: 'is required: none can be made of the name' }] : [];
}

function conditionFaults(conditions: JsonObject): FieldFault[] {
  if (Buffer.byteLength(JSON.stringify(conditions)) > LIMITS.documentBytes) {
    return [{ path: '/conditions', message: `must be at most ${LIMITS.documentBytes} bytes as JSON` }];
  }
  const compiled = compileCondition(conditions);
  if (compiled.kind === 'compiled') return [];
  return compiled.faults.map(({ path, message }) => ({ path: `/conditions${path}`, message }));
}

const missing = (): Failure => failure('NOT_FOUND', 'The segment does not exist.');
const taken = (): Failure => failure('CONFLICT', 'There is a segment with that key.', { field: 'key' });

function noRoom(count: number): Failure | undefined {
  if (count < LIMITS.segmentsPerEnvironment) return undefined;
  return failure('CONFLICT', `There are ${LIMITS.segmentsPerEnvironment} segments already; delete one first.`);
}
