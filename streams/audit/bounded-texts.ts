import { AUDIT_ENTRY_LIMITS } from './limits.ts';

/** A document as the audit shows it. */
export type Shown = Record<string, unknown>;

/** Names what a document is about, so it stays in a shortened one. */
const NAMES: ReadonlySet<string> = new Set(['id', 'key', 'name', 'eventName', 'email', 'version']);

/**
 * The JSON of a document before and after a change, each within `auditDocumentBytes`. Of larger documents only
 * the fields that differ are kept, and of a large field only its size.
 */
export function boundedTexts(
  before: Shown | undefined,
  after: Shown | undefined,
  mostBytes: number = AUDIT_ENTRY_LIMITS.auditDocumentBytes,
): { before: string; after: string } {
  const whole = { before: textOf(before), after: textOf(after) };
  if (fits(whole, mostBytes)) return whole;
  const differs = (name: string): boolean =>
    NAMES.has(name) || JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]);
  const few = (document: Shown | undefined, of: (value: unknown) => unknown): Shown | undefined =>
    document && Object.fromEntries(keptOf(document, differs).map(([name, value]) => [name, of(value)]));
  const differing = textsOf(before, after, (document) => few(document, (value) => value));
  if (fits(differing, mostBytes)) return differing;
  const fields = Math.max(1, Object.keys({ ...before, ...after }).filter(differs).length);
  const mostOfField = Math.floor(mostBytes / (2 * fields));
  const shortened = textsOf(before, after, (document) => few(document, (value) => sized(value, mostOfField)));
  return fits(shortened, mostBytes) ? shortened : textsOf(before, after, (document) => document && sizeOf(document));
}

const keptOf = (document: Shown, differs: (name: string) => boolean): [string, unknown][] =>
  Object.entries(document).filter(([name]) => differs(name));

const textOf = (document: unknown): string => (document === undefined ? '' : JSON.stringify(document));

const textsOf = (before: Shown | undefined, after: Shown | undefined, of: (document?: Shown) => unknown) => ({
  before: textOf(of(before)),
  after: textOf(of(after)),
});

function fits({ before, after }: { before: string; after: string }, mostBytes: number): boolean {
  return Buffer.byteLength(before) <= mostBytes && Buffer.byteLength(after) <= mostBytes;
}

const sized = (value: unknown, mostBytes: number): unknown =>
  Buffer.byteLength(JSON.stringify(value) ?? '') > mostBytes ? sizeOf(value) : value;

const sizeOf = (value: unknown) => ({ $left_out_bytes: Buffer.byteLength(JSON.stringify(value) ?? '') });
