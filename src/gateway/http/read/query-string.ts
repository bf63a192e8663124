import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';

/**
 * Parses a query string by the schemas of its parameters: repeats of an array parameter are collected, valid numbers
 * and booleans are converted, everything else stays text. Validation refuses values of a wrong type later.
 * @param properties the parameters' schemas by name
 * @param onUnknown gets the name of each parameter without a schema
 */
export function readQuery(
  text: string,
  properties: Readonly<Record<string, unknown>>,
  onUnknown: (name: string) => void,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (text === '') return values;
  for (const [name, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(properties, name)) {
      onUnknown(name);
      continue;
    }
    const schema = properties[name];
    const type = isPlainObject(schema) ? schema['type'] : undefined;
    const earlier = values[name];
    if (type === 'array') {
      if (Array.isArray(earlier)) earlier.push(value);
      else values[name] = [value];
    } else {
      // A repeated single parameter becomes an array, which its schema refuses.
      values[name] = earlier === undefined ? typed(value, type) : [earlier, value];
    }
  }
  return values;
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function typed(text: string, type: unknown): unknown {
  if ((type === 'number' || type === 'integer') && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
