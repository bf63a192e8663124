import { Badge, Code, Group, Text } from '@mantine/core';
import { reference as texts } from '../texts/reference.ts';
import { type ApiDocument, resolved, type Schema } from './document.ts';
import { Prose } from './prose.tsx';

/** Fields within fields are shown up to this depth; schemas of this service end earlier. */
const DEEPEST = 8;
/** Fields up to this depth are open. */
const OPEN = 1;

interface SchemaViewProps {
  schema: Schema;
  document: ApiDocument;
  depth?: number;
}

/** The fields of a schema, each with its type, its bounds and what it means. */
export function SchemaView({ schema: given, document, depth = 0 }: SchemaViewProps) {
  const schema = resolved(given, document);
  const { properties, required = [], items, anyOf, additionalProperties } = schema;
  if (depth > DEEPEST) return null;
  const nested = { document, depth: depth + 1 };
  return (
    <div className="schema">
      {Object.entries(properties ?? {}).map(([name, property]) => (
        <Field key={name} name={name} required={required.includes(name)} schema={property} {...nested} />
      ))}
      {typeof additionalProperties === 'object' ? (
        <Field name={`<${texts.anyName}>`} required={false} schema={additionalProperties} {...nested} />
      ) : null}
      {items === undefined ? null : <Field name={texts.items} required={false} schema={items} {...nested} />}
      {(anyOf ?? []).map((choice, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- choices have no identity but their place
        <Field key={place} name={texts.anyOf} required={false} schema={choice} {...nested} />
      ))}
    </div>
  );
}

function Field({
  name,
  required,
  schema: given,
  document,
  depth,
}: {
  name: string;
  required: boolean;
  schema: Schema;
  document: ApiDocument;
  depth: number;
}) {
  const schema = resolved(given, document);
  const hasMore =
    schema.properties !== undefined ||
    schema.anyOf !== undefined ||
    isNested(schema.items, document) ||
    typeof schema.additionalProperties === 'object';
  const head = (
    <Group component="span" gap={6} wrap="wrap" display="inline-flex">
      <Code fw={600}>{name}</Code>
      <Text span size="xs" c="dimmed">
        {typeText(schema, document)}
      </Text>
      {required ? (
        <Badge size="xs" variant="outline" color="orange" tt="none">
          {texts.required}
        </Badge>
      ) : null}
    </Group>
  );
  const about = (
    <>
      {schema.description === undefined ? null : <Prose text={schema.description} />}
      <Text size="xs" c="dimmed" className="break-anywhere">
        {boundsText(schema)}
      </Text>
    </>
  );
  if (!hasMore) {
    return (
      <div className="schema-field">
        {head}
        {about}
      </div>
    );
  }
  return (
    <details className="schema-field" open={depth <= OPEN}>
      <summary>{head}</summary>
      {about}
      <SchemaView schema={schema} document={document} depth={depth} />
    </details>
  );
}

function isNested(schema: Schema | undefined, document: ApiDocument): boolean {
  if (schema === undefined) return false;
  const { properties, items, anyOf, description } = resolved(schema, document);
  return properties !== undefined || items !== undefined || anyOf !== undefined || description !== undefined;
}

/** The type in words, as `array of string`. */
export function typeText(given: Schema, document: ApiDocument): string {
  const schema = resolved(given, document);
  const { type, format, items } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const named = Array.isArray(type) ? type.join(' | ') : (type ?? (schema.anyOf === undefined ? 'any' : texts.anyOf));
  const of = items === undefined ? '' : ` of ${typeText(items, document)}`;
  return `${String(named)}${of}${format === undefined ? '' : ` (${format})`}`;
}

/** The bounds of a value, as `1 to 64 characters`. */
export function boundsText(schema: Schema): string {
  const parts = [
    rangeText(schema.minimum ?? schema.exclusiveMinimum, schema.maximum, ''),
    rangeText(schema.minLength, schema.maxLength, 'characters'),
    rangeText(schema.minItems, schema.maxItems, 'items'),
    rangeText(schema.minProperties, schema.maxProperties, 'fields'),
    schema.pattern === undefined ? '' : schema.pattern,
    schema.default === undefined ? '' : `${texts.default} ${JSON.stringify(schema.default)}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  const words = least === undefined ? `≤ ${most}` : most === undefined ? `≥ ${least}` : `${least} to ${most}`;
  return `${words} ${unit}`.trim();
}
