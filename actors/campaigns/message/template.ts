/** What a text has in place of a value: `{{field|fallback}}`. */
export interface Placeholder {
  field: string;
  /** What stands there if the player has no value. Absent: nothing. */
  fallback?: string;
}

/** A text in parts. A value that takes the place of a placeholder is never read as a template again. */
export type Template = readonly (string | Placeholder)[];

const [OPEN, CLOSE] = ['{{', '}}'];

/** The parts of a text, or why it is no template. */
export function templateOf(text: string): { parts: Template } | { fault: string } {
  const parts: (string | Placeholder)[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf(OPEN, from);
    if (open === -1) break;
    const close = text.indexOf(CLOSE, open);
    if (close === -1) return { fault: `has ${quoted(text.slice(open))} without ${CLOSE}` };
    const inside = text.slice(open + OPEN.length, close);
    if (inside.includes(OPEN)) return { fault: `has ${quoted(text.slice(open))}: a placeholder is in another one` };
    if (open > from) parts.push(text.slice(from, open));
    const placeholder = placeholderOf(inside);
    if (placeholder.field === '') return { fault: 'has a placeholder without a field; write {{<field>|<default>}}' };
    parts.push(placeholder);
    from = close + CLOSE.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return { parts };
}

function placeholderOf(inside: string): Placeholder {
  const bar = inside.indexOf('|');
  if (bar === -1) return { field: inside.trim() };
  return { field: inside.slice(0, bar).trim(), fallback: inside.slice(bar + 1).trim() };
}

/** The placeholders of a text; none if it is no template. */
export function placeholdersOf(text: string): Placeholder[] {
  const read = templateOf(text);
  return 'fault' in read ? [] : read.parts.filter((part) => typeof part !== 'string');
}

const SHOWN_LENGTH = 40;
const quoted = (text: string): string => `“${text.slice(0, SHOWN_LENGTH).toWellFormed()}”`;
