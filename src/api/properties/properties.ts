import { Type } from 'typebox';
import { propertyIdOf } from '../../../actors/computed/property-spec.ts';
import { propertyFaults, specOf } from '../../../actors/properties/property-document.ts';
import { effectiveRevision } from '../../../core/vocabulary/labels.ts';
import type { PropertyDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { COMPUTED_LIMITS } from '../../../actors/properties/limits.ts';
import { answer } from '../route/answer.ts';
import { computedFaults, readersOfComputed } from '../definitions/computed-quota.ts';
import { keyFaults } from '../definitions/definition-fields.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import { remaking } from '../definitions/history/remaking.ts';
import type { RequestContext } from '../route/request-context.ts';
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

const properties = definitionRoutes({
  kind: 'property',
  tag: 'Computed properties',
  path: '/v1/properties/properties',
  one: 'computed property',
  many: 'properties',
  id: { parameter: 'key', field: 'key', description: 'Key of the property.' },
  idOf: ({ key }) => key,
  schema: Property,
  example: PROPERTY_EXAMPLE,
  toJson: (document) => propertyJson(document),
  most: COMPUTED_LIMITS.computedProperties,
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
  input: { params: Type.Object({ key: Type.String({ description: 'Key of the property.' }) }) },
  reply: {
    description: 'The property.',
    schema: PropertyWithProgress,
    example: { ...PROPERTY_EXAMPLE, past: { status: 'counted', partitions_counted: 2, partitions_total: 2 } },
  },
  action: {
    kind: 'service',
    call({ params }, context) {
      const entry = properties.find(params.key, context);
      if (entry === undefined) return properties.missing();
      const { document, key } = entry;
      const { game, environment } = context.key;
      const question = {
        game,
        environment,
        segmentId: '',
        revision: effectiveRevision(entry),
        properties: [propertyIdOf(specOf(document), key)],
      };
      return context.services.segmentProgress(question).then(
        (progress) => answer(propertyJson(document, progress), { etag: document.version }),
        () => failure('SERVICE_UNAVAILABLE', 'The progress is temporarily unavailable; retry later.'),
      );
    },
  },
});

const replacing = {
  body: PropertyChange,
  change: (body: PropertyChange, context: RequestContext) => (held: PropertyDocument) => {
    const content = propertyContent(body, held.key);
    const faults = [...keyFaults(body.key, held.key), ...faultsOf(held.key, content, context)];
    return faults.length > 0 ? invalid(faults) : { ...held, ...content };
  },
};

const creating = {
  body: PropertyBody,
  make(body: PropertyBody, context: RequestContext): PropertyDocument | Failure {
    const { key } = body;
    const content = propertyContent(body, key);
    const faults = faultsOf(key, content, context);
    return faults.length > 0 ? invalid(faults) : { key, ...content, ...firstVersion(context) };
  },
};

export const propertyRoutes = [
  properties.listRoute({ summary: 'List the computed properties', description: 'Ordered by key.' }),
  properties.createRoute({
    // A new one serves no player until a flag or campaign uses it, and that waits.
    ...writtenBy('editor', 'none'),
    description: 'Events that arrive after the response are counted at once.',
    ...creating,
    example: PROPERTY_BODY_EXAMPLE,
  }),
  getProperty,
  properties.changeRoute({
    ...writtenBy('editor', { id: 'property.replace', of: 'property' }),
    method: 'PUT',
    description: 'Fields that you leave out get their defaults. If what it computes changes, it is computed anew.',
    ...replacing,
    example: PROPERTY_BODY_EXAMPLE,
  }),
  properties.deleteRoute(
    {
      ...writtenBy('editor', { id: 'property.delete', of: 'property' }),
      description:
        'Returns 409 while conditions read it; `details` lists their segments, flags and campaigns. The values of ' +
        'players are removed in the background.',
    },
    inUse,
  ),
  ...properties.historyRoutes(),
  ...properties.restoreRoutes({
    ...writtenBy('editor', { id: 'property.restore', of: 'property' }),
    by: replacing,
    again: remaking(creating),
  }),
];

function faultsOf(key: string, content: ReturnType<typeof propertyContent>, context: RequestContext): FieldFault[] {
  const faults = propertyFaults(content);
  if (faults.length > 0) return faults;
  return computedFaults({ kind: 'property', key, named: [{ key, spec: specOf(content) }] }, '', context);
}

/** The parts of a definition that its body sets. */
export function propertyContent(
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
