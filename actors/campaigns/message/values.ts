import { isNamedAlways, namedField } from '../../conditions/fields.ts';
import type { Field } from '../../conditions/fields.ts';
import type { DefinitionLookup, Subject } from '../../decision/targeting.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import { MESSAGE_LIMITS } from './limits.ts';
import type { Placeholder, Template } from './template.ts';

/* Players' values in texts. The fields are those of conditions. A value is text: cut, in one line, never read again. */

/** Why a placeholder cannot be filled in; undefined: it can. */
export function placeholderFault({ field, fallback }: Placeholder): string | undefined {
  const found = namedField(field, undefined);
  if ('fault' in found) return `has {{${field}}}, which ${found.fault}`;
  if (fallback !== undefined || isNamedAlways(field)) return undefined;
  return `has {{${field}}} without a default; write {{${field}|<what players without it see>}}`;
}

/** Reads a text of a player. */
export type Render = (subject: Subject) => string;

/** @param encode how a value stands in the text: as it is, or encoded as a part of a link */
export function compileTemplate(
  parts: Template,
  lookup: DefinitionLookup | undefined,
  encode: (text: string) => string = (text) => text,
): Render {
  const [only = ''] = parts;
  if (parts.length <= 1 && typeof only === 'string') return () => only;
  const pieces = parts.map((part): Render => {
    if (typeof part === 'string') return () => part;
    const { field, fallback = '' } = part;
    const found: Field<Subject> | { fault: string } = namedField(field, lookup);
    const missing = encode(fallback);
    if ('fault' in found) return () => missing;
    return (subject) => {
      const text = textOf(found.read(subject));
      return text === undefined ? missing : encode(text);
    };
  });
  return (subject) => pieces.map((piece) => piece(subject)).join('');
}

/** A value as text; undefined: it is none that a text could have. */
function textOf(value: Json): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toFixed(4)));
  if (typeof value !== 'string') return undefined;
  const most = MESSAGE_LIMITS.valueLength;
  const line = value
    .slice(0, most + 1)
    .replace(UNSEEN, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length <= most ? line.toWellFormed() : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** Breaks of lines, and characters that turn the direction of what follows. */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;
