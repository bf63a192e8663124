/* Writes a JSON Schema as a TypeScript type. What a type cannot say (patterns, bounds) is left out. */

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Writes the type of an object with fields: the type itself, or what stands for it. */
export type WriteObject = (type: string, schema: JsonSchema) => string;

/**
 * @param definitions what `#/$defs/…` and `#/components/schemas/…` refer to, by the whole pointer
 * @param writeObject by default the type itself
 */
export function schemaType(
  schema: unknown,
  definitions: Readonly<Record<string, unknown>> = {},
  writeObject: WriteObject = (type) => type,
): string {
  return typeOf(schema, { definitions, writeObject }, 0);
}

interface Options {
  definitions: Readonly<Record<string, unknown>>;
  writeObject: WriteObject;
}

/** Schemas may not be circular, but a guard costs nothing and turns an endless loop into `unknown`. */
const DEEPEST = 64;

function typeOf(schema: unknown, options: Options, depth: number): string {
  if (!isSchema(schema) || depth > DEEPEST) return 'unknown';
  const { definitions, writeObject } = options;
  const inner = (part: unknown) => typeOf(part, options, depth + 1);
  const { $ref, type } = schema;
  if (typeof $ref === 'string') return inner(definitions[$ref]);
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return union(choices.map(inner));
  if (Array.isArray(type)) return union(type.map((each) => inner({ ...schema, type: each })));
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array': {
      const item = inner(schema['items']);
      return item.includes(' ') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    default:
      return type === 'object' || 'properties' in schema ? objectType(schema, inner, writeObject) : 'unknown';
  }
}

function objectType(schema: JsonSchema, inner: (part: unknown) => string, writeObject: WriteObject): string {
  const { properties, additionalProperties, required } = schema;
  const named = isSchema(properties) ? Object.entries(properties) : [];
  if (named.length === 0) {
    return `Readonly<Record<string, ${isSchema(additionalProperties) ? inner(additionalProperties) : 'unknown'}>>`;
  }
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  const fields = named.map(([name, field]) => {
    const optional = needed.has(name) ? '' : '?';
    return `${comment(field)}readonly ${propertyName(name)}${optional}: ${inner(field)};`;
  });
  return writeObject(`{ ${fields.join(' ')} }`, schema);
}

/** Of a description its first sentence, so that the types stay readable. */
function comment(schema: unknown): string {
  if (!isSchema(schema) || typeof schema['description'] !== 'string') return '';
  const text = docComment(schema['description'].split(/(?<=[.;]) /)[0]?.replace(/;$/, '.') ?? '');
  return `\n${text}\n`;
}

const LONGEST_COMMENT = 90;

/** A documentation comment in lines of at most 90 characters. A text that would end the comment early is defused. */
export function docComment(text: string): string {
  const lines = [''];
  for (const word of text.replaceAll('*/', '* /').split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= LONGEST_COMMENT) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.length === 1 ? `/** ${lines[0]} */` : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */`;
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'unknown';
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
