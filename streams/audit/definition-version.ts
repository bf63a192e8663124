import { hasHistory, type DocumentKind } from '../../core/vocabulary/documents/document-kinds.ts';
import type { DefinitionVersion } from '../../core/vocabulary/records/audit-entry.ts';
import type { Shown } from './bounded-texts.ts';
import { AUDIT_ENTRY_LIMITS } from './limits.ts';

/** Fields of a document that no version needs: bookkeeping, and what a restored version takes from the current one. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'writes',
  'periods',
  'createdRevision',
  'namespace',
  'effective',
  'shippedBy',
]);

/**
 * The version of a definition that a write makes or deletes; `undefined`: documents of the kind have no history.
 * @param shownOf hides secrets and ids of players
 */
export function definitionVersion(
  kind: DocumentKind,
  before: object | undefined,
  after: object | undefined,
  shownOf: (document: object, leftOut: ReadonlySet<string>) => Shown,
): DefinitionVersion | undefined {
  if (!hasHistory(kind)) return undefined;
  if (after === undefined) return { version: numberIn(before) + 1, document: '' };
  const document = JSON.stringify(withoutAddress(shownOf(after, LEFT_OUT)));
  const isWhole = Buffer.byteLength(document) <= AUDIT_ENTRY_LIMITS.definitionBytes;
  return { version: numberIn(after), document: isWhole ? document : '' };
}

/** The version of a document. That of a game is absent before its first change. */
function numberIn(document: object | undefined): number {
  return document !== undefined && 'version' in document && typeof document.version === 'number' ? document.version : 1;
}

/** Readers of the history do not see the e-mail address of the person who made an annotation. */
function withoutAddress({ madeBy, ...document }: Shown): Shown {
  if (typeof madeBy !== 'object' || madeBy === null) return document;
  return { ...document, madeBy: { ...madeBy, email: '' } };
}
