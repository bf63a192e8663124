import { noteIgnoredName } from '../api/ignored-fields.ts';
import { isPlainObject } from '../api/plain-object.ts';

/**
 * Reads a query string by the schemas of its parameters: arrays collect repeats, numbers and booleans are turned into
 * such where the text is one, everything else stays text. What does not fit is left for validation to refuse.
 * @param properties the parameters' schemas by name
 * @param ignored gets the names of parameters nobody knows
 */
export function readQuery(
  text: string,
  properties: Readonly<Record<string, unknown>>,
  ignored: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (text === '') return values;
  for (const [name, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(properties, name)) {
      noteIgnoredName(name, ignored);
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
