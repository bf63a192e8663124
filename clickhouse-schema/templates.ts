import { SchemaError } from './schema-record.ts';

/** What `{{name argument}}` in a SQL file stands for, by its name. */
export type Macros = Readonly<Record<string, (argument: string) => string>>;

/** @throws SchemaError if the text names no known macro */
export function expanded(sql: string, macros: Macros): string {
  const [start = '', ...parts] = sql.split('{{');
  return start + parts.map((part) => expandedPart(part, macros)).join('');
}

function expandedPart(part: string, macros: Macros): string {
  // A parameter of a view may stand at the end: `{{day TIME {game: String}}}`.
  const at = part.indexOf('}}');
  const end = part.startsWith('}}}', at) ? at + 1 : at;
  const [name = '', ...words] = part.slice(0, Math.max(0, end)).split(' ');
  const macro = Object.hasOwn(macros, name) ? macros[name] : undefined;
  if (macro === undefined) throw new SchemaError(`A SQL file has {{${part.slice(0, 60)}, which names no macro.`);
  return macro(words.join(' ')) + part.slice(end + 2);
}
