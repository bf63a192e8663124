import { SchemaError } from './schema-record.ts';

/** What `{{name argument}}` in a SQL file stands for, by its name. */
export type Macros = Readonly<Record<string, (argument: string) => string>>;

/** @throws SchemaError if the text names no known macro */
export function expanded(sql: string, macros: Macros): string {
  return sql.replaceAll(/\{\{([^{}]*)\}\}/g, (written, inside: string) => {
    const [name = '', ...words] = inside.split(' ');
    const macro = Object.hasOwn(macros, name) ? macros[name] : undefined;
    if (macro === undefined) throw new SchemaError(`A SQL file has ${written}, and no macro has this name.`);
    return macro(words.join(' '));
  });
}
