/** The fields of one CSV record (RFC 4180, commas), or why it is none. Takes time linear in the text. */
export function csvFields(text: string): string[] | { fault: string } {
  const fields: string[] = [];
  let from = 0;
  for (;;) {
    const isQuoted = text.charCodeAt(from) === QUOTE;
    const end = isQuoted ? quotedEnd(text, from) : plainEnd(text, from);
    if (end < 0) return { fault: 'has a quoted field without an end' };
    const field = isQuoted ? text.slice(from + 1, end - 1).replaceAll('""', '"') : text.slice(from, end);
    if (!isQuoted && field.includes('"'))
      return { fault: `has a quote inside of field ${fields.length + 1}; quote it` };
    fields.push(field);
    if (end >= text.length) return fields;
    if (text.charCodeAt(end) !== COMMA) return { fault: `has text after the quoted field ${fields.length}` };
    from = end + 1;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;

function plainEnd(text: string, from: number): number {
  const comma = text.indexOf(',', from);
  return comma < 0 ? text.length : comma;
}

/** The position after the closing quote; -1: there is none. */
function quotedEnd(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at < 0 ? -1 : at + 1;
}
