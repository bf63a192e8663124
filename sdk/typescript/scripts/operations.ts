import { docComment, quoted, schemaType } from '../src/schema/schema-type.ts';
import { createSharedTypes } from './shared-types.ts';

/* Writes the operations of an OpenAPI document as one TypeScript interface, after the types that they share. */

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Record<string, unknown>;
}

interface Operation {
  summary: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: { properties?: { data?: unknown } } }> }>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

/** Headers that the clients set by themselves. */
const COMMON: ReadonlySet<string> = new Set(['Idempotency-Key', 'X-Player-Token']);

/** The text of `src/generated/operations.ts`, before it is formatted. */
export function operationsText({ paths, components }: OpenApiDocument): string {
  const definitions = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [`#/components/schemas/${name}`, schema]),
  );
  const shared = createSharedTypes(['Operations', 'ErrorBody']);
  const typeOf = (schema: unknown): string => schemaType(schema, definitions, (type, from) => shared.add(type, from));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(`${method.toUpperCase()} ${path}`, operation)),
  );
  const { text, declarations } = shared.resolve(operations.join('\n'));
  return `/* Written by scripts/generate-operations.ts from the routes of the service. Do not edit. */

${declarations}

/**
 * Every endpoint by method and path: its parameters, its body, and what it answers. Left out are the headers that
 * many endpoints share: Idempotency-Key and X-Player-Token.
 */
export interface Operations {
${text}
}

/** The body of a failed request. */
export type ErrorBody = ${schemaType(components.schemas['Error'], definitions)};
`;

  function operationText(name: string, { summary, parameters, requestBody, responses }: Operation): string {
    const fields = ['path', 'query', 'header'].map((place) => {
      const of = parameters.filter((parameter) => parameter.in === place && !COMMON.has(parameter.name));
      return `readonly ${place}: ${of.length === 0 ? 'undefined' : typeOf(parametersSchema(of))};`;
    });
    const body = requestBody?.content['application/json'];
    fields.push(`readonly body: ${body === undefined ? 'undefined' : typeOf(body.schema)};`);
    fields.push(`readonly answer: ${answerType(responses)};`);
    return `${docComment(`${summary}.`)}\n${quoted(name)}: { ${fields.join(' ')} };`;
  }

  /** The `data` of the envelope, or the whole body where there is no envelope. */
  function answerType(responses: Operation['responses']): string {
    const shapes = Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) => Object.entries(content))
      .map(([type, { schema }]) => {
        if (!type.includes('json')) return 'string';
        return typeOf(schema.properties?.data ?? schema);
      });
    return [...new Set(shapes)].join(' | ') || 'undefined';
  }
}

function parametersSchema(parameters: readonly Parameter[]) {
  return {
    type: 'object',
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        { ...(description === undefined ? {} : { description }), ...schema },
      ]),
    ),
  };
}
