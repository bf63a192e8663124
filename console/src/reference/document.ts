/* The parts of the service's own openapi.json that the reference shows. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: readonly Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: unknown }>>;
}

export interface ApiResponse {
  description: string;
  content?: Readonly<Record<string, Content>>;
}

interface DocumentedOperation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, ApiResponse>>;
  security?: readonly Readonly<Record<string, unknown>>[];
}

export interface ApiDocument {
  info: { title: string; version: string; summary: string; description: string };
  tags: readonly { name: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    securitySchemes: Readonly<Record<string, { name?: string; in?: string; description?: string }>>;
  };
}

export interface Operation extends DocumentedOperation {
  method: string;
  path: string;
}

/** The document of the service that served this page. */
export async function loadDocument(): Promise<ApiDocument> {
  const response = await fetch('/openapi.json', { credentials: 'omit' });
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`);
  const document: ApiDocument = await response.json();
  return document;
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Operations with all words of a text: first those whose summary has the text, then its words, then by other parts. */
export function matching(operations: readonly Operation[], text: string): Operation[] {
  const words = text
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '');
  const ranked = operations.flatMap((operation) => {
    const { method, path, summary, description, tags } = operation;
    const head = `${method} ${path} ${summary} ${tags.join(' ')}`.toLowerCase();
    const all = `${head} ${description.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) return [];
    const has = (part: string): boolean => words.every((word) => part.includes(word));
    const rankOf = (title: string): number =>
      title.includes(words.join(' ')) ? 0 : has(title) ? 1 : has(head) ? 2 : 3;
    return [{ operation, rank: rankOf(summary.toLowerCase()) }];
  });
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ operation }) => operation);
}

/** The schema that a reference names. */
export function resolved(schema: Schema, { components }: ApiDocument): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? schema);
}

/** Whether people call an operation with the session of the console, and no key helps. */
export function isForPeople({ security }: Operation): boolean {
  return security?.some((scheme) => 'session' in scheme) === true;
}

export function needsKey({ security }: Operation): boolean {
  return security === undefined || security.length > 0;
}
