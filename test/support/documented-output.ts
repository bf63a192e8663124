import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';

/**
 * Compares a command's output with what a page shows. The page may leave out fields, which are then not compared, and
 * `…` stands for any value, or inside a string for any characters.
 */

/** The JSON objects in a text, in order; ignores anything between them. */
export function jsonDocuments(text: string): unknown[] {
  const documents: unknown[] = [];
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at)) {
    const end = objectEnd(text, at);
    const document = end === undefined ? undefined : parsed(text.slice(at, end));
    if (document === undefined || end === undefined) {
      at += 1;
    } else {
      documents.push(document);
      at = end;
    }
  }
  return documents;
}

/** The index after the object that begins at `from`. */
function objectEnd(text: string, from: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether the output contains the page's documents, in that order. An error in the output that the page does not show
 * is a fault.
 * @returns undefined, or what is missing or unexpected
 */
export function jsonFault(shown: readonly unknown[], printed: readonly unknown[]): string | undefined {
  let next = 0;
  for (const document of printed) {
    const wanted = shown[next];
    if (next < shown.length && holds(wanted, document)) next += 1;
    else if (isPlainObject(document) && document['success'] === false) {
      return `an error that the page does not show: ${JSON.stringify(document)}`;
    }
  }
  if (next === shown.length) return undefined;
  return `not printed: ${JSON.stringify(shown[next])}`;
}

/** Whether a value has everything that the page shows of it. */
function holds(shown: unknown, actual: unknown): boolean {
  if (typeof shown === 'string') {
    return shown === '…' || (typeof actual === 'string' && wildcard(shown).test(actual));
  }
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return false;
    const isOpen = shown.at(-1) === '…';
    const items: unknown[] = isOpen ? shown.slice(0, -1) : shown;
    return (isOpen || items.length === actual.length) && items.every((item, place) => holds(item, actual[place]));
  }
  if (isPlainObject(shown)) {
    return (
      isPlainObject(actual) &&
      Object.entries(shown).every(([name, value]) => Object.hasOwn(actual, name) && holds(value, actual[name]))
    );
  }
  return shown === actual;
}

/** Whether the output contains the page's lines, in that order; a run of spaces counts as one. */
export function textFault(shown: string, printed: string): string | undefined {
  const lines = printed.split('\n').map(collapsed);
  let from = 0;
  for (const line of shown.split('\n').map(collapsed)) {
    if (line === '') continue;
    const pattern = wildcard(line);
    const place = lines.findIndex((each, index) => index >= from && pattern.test(each));
    if (place === -1) return `not printed: ${line}`;
    from = place + 1;
  }
  return undefined;
}

function collapsed(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}

function wildcard(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
