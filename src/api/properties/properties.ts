import { Type } from 'typebox';
import { propertyIdOf } from '../../../actors/computed/property-spec.ts';
import { propertyFaults, specOf } from '../../../actors/properties/property-document.ts';
import type { PropertyDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { COMPUTED_LIMITS } from '../../../actors/properties/limits.ts';
import { answer } from '../route/answer.ts';
import { computedFaults, readersOfComputed } from '../definitions/computed-quota.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import { changeDefinition, createDefinition, type Written } from '../definitions/definition-writes.ts';
import { IfMatch } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, readBy, writtenBy } from '../route/route.ts';
import {
  Property,
  PROPERTY_BODY_EXAMPLE,
  PROPERTY_EXAMPLE,
  PropertyBody,
  PropertyChange,
  PropertyWithProgress,
  propertyJson,
} from './property-resource.ts';

/* The routes that read and write computed properties. */

const missing = (): Failure => failure('NOT_FOUND', 'The computed property does not exist.');
const taken = (): Failure =>
  failure('CONFLICT', 'Another computed property has this key; choose another key.', { field: 'key' });

const PATH = '/v1/properties/properties';
const KEY = 'Key of the property.';
const properties = definitionRoutes({
  kind: 'property',
  tag: 'Computed properties',
  path: PATH,
  many: 'properties',
  id: { parameter: 'key', field: 'key', description: KEY },
  schema: Property,
  example: PROPERTY_EXAMPLE,
  toJson: (document) => propertyJson(document),
  missing,
  most: COMPUTED_LIMITS.computedProperties,
});

const createProperty = defineRoute({
  ...properties.shared,
  // A new one serves no player until a flag or campaign uses it, and that waits.
  ...writtenBy('editor', 'none'),
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create a computed property',
  description: 'Events that arrive after the response are counted at once.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: PropertyBody },
  reply: { statuses: [201], description: 'The property.', schema: Property, example: PROPERTY_EXAMPLE },
  example: PROPERTY_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ body }, context) => create(body, context),
    toAnswer: (written) => properties.shown(written, 201),
  },
});

const getProperty = defineRoute({
  ...properties.shared,
  ...readBy('viewer'),
  versioned: true,
  method: 'GET',
  path: properties.itemPath,
  summary: 'Get a computed property',
  description: 'Includes the progress of counting the events from before its definition.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: KEY }) }) },
  reply: {
    description: 'The property.',
    schema: PropertyWithProgress,
    example: { ...PROPERTY_EXAMPLE, past: { status: 'counted', partitions_counted: 2, partitions_total: 2 } },
  },
  action: {
    kind: 'service',
    call({ params }, context) {
      const entry = properties.find(params.key, context);
      if (entry === undefined) return missing();
      const { document, revision, key } = entry;
      const { game, environment } = context.key;
      const question = {
        game,
        environment,
        segmentId: '',
        revision,
        properties: [propertyIdOf(specOf(document), key)],
      };
      return context.services.segmentProgress(question).then(
        (progress) => answer(propertyJson(document, progress), { etag: document.version }),
        () => failure('SERVICE_UNAVAILABLE', 'The progress is temporarily unavailable; retry later.'),
      );
    },
  },
});

const putProperty = defineRoute({
  ...properties.shared,
  ...writtenBy('editor', { id: 'property.replace', of: 'property' }),
  versioned: true,
  method: 'PUT',
  path: properties.itemPath,
  summary: 'Replace a computed property',
  description: 'Fields that you leave out get their defaults. If what it computes changes, it is computed anew.',
  idempotent: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: KEY }) }), headers: IfMatch, body: PropertyChange },
  reply: { description: 'The updated property.', schema: Property, example: PROPERTY_EXAMPLE },
  example: PROPERTY_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) =>
      changeDefinition<'property'>(
        {
          address: properties.addressOf(params.key, context),
          basis: { ...headers, version: body.version },
          missing: missing(),
          change(held) {
            const content = contentOf(body, held.key);
            const faults = faultsOf(held.key, content, context);
            if (body.key !== undefined && body.key !== held.key) {
              faults.unshift({ path: '/key', message: 'cannot be changed; leave it out or send the current key' });
            }
            if (faults.length > 0) return invalid(faults);
            return { kind: 'changed', document: { ...held, ...content } };
          },
        },
        context,
      ),
    toAnswer: (written) => properties.shown(written, 200),
  },
});

export const propertyRoutes = [
  properties.listRoute({ summary: 'List the computed properties', description: 'Ordered by key.' }),
  createProperty,
  getProperty,
  putProperty,
  properties.deleteRoute(
    {
      summary: 'Delete a computed property',
      ...writtenBy('editor', { id: 'property.delete', of: 'property' }),
      description:
        'Returns 409 while conditions read it; `details` lists their segments, flags and campaigns. The values of ' +
        'players are removed in the background.',
    },
    inUse,
  ),
];

async function create(body: PropertyBody, context: WriteContext): Promise<Written<'property'> | Failure> {
  const { key } = body;
  const content = contentOf(body, key);
  const faults = faultsOf(key, content, context);
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const address = properties.addressOf(key, context);
  const document = { key, ...content, createdAt: at, updatedAt: at, version: 1 };
  const holder = () => context.services.config.get(address);
  const overQuota = () => properties.overQuota(context);
  return createDefinition<'property'>({ address, document, holder, taken, overQuota }, context);
}

function faultsOf(key: string, content: ReturnType<typeof contentOf>, context: RequestContext): FieldFault[] {
  const faults = propertyFaults(content);
  if (faults.length > 0) return faults;
  return computedFaults({ kind: 'property', key, named: [{ key, spec: specOf(content) }] }, '', context);
}

function contentOf(
  {
    name,
    description = '',
    event,
    where = null,
    aggregate,
    value = null,
    within_days: withinDays = null,
  }: PropertyChange,
  key: string,
): Omit<PropertyDocument, 'key' | 'createdAt' | 'updatedAt' | 'version' | 'writes'> {
  return { name: name ?? key, description, event, where, aggregate, value, withinDays };
}

function inUse(key: string, context: RequestContext): Failure | undefined {
  const readers = readersOfComputed(key, context);
  const named = Object.values(readers).flat();
  if (named.length === 0) return undefined;
  const message = `Conditions read the property: ${named.join(', ')}. Remove it from them first.`;
  return failure('CONFLICT', message, readers);
}
