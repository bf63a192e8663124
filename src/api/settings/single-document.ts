import { Type } from 'typebox';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { DocumentAddress, Documents } from '../../../core/vocabulary/documents/documents.ts';
import { changed } from '../definitions/definition-writes.ts';
import { type Basis, basisIn, hasBasis, staleFor } from '../input/if-match.ts';
import { API_LIMITS } from '../limits.ts';
import type { WriteContext } from '../route/request-context.ts';

/* Settings that are one document: a PUT replaces it on its version, a DELETE removes it. */

type SingleKind = 'exchange_rates' | 'stores';

/** What each write sets by itself. */
interface Made {
  updatedAt: number;
  version: number;
}

/**
 * Replaces the document, or makes it. Fails with PRECONDITION_REQUIRED if there is one and the request names no
 * version.
 * @param documentOf the new document, or why it is refused
 */
export function replaceDocument<K extends SingleKind>(
  address: DocumentAddress<K>,
  input: Parameters<typeof basisIn>[0],
  context: WriteContext,
  documentOf: (held: Documents[K] | undefined, made: Made) => Documents[K] | Failure,
): Promise<{ kind: 'stored'; document: Documents[K] } | Failure> {
  return onCurrent(address, basisIn(input), context, async (held) => {
    if (held !== undefined && !hasBasis(input)) return failure('PRECONDITION_REQUIRED');
    const { version, revision } = held ?? context.services.config.ended(address);
    const document = documentOf(held?.document, { updatedAt: context.origin.receivedAt, version: version + 1 });
    if ('code' in document) return document;
    const written = await context.writes.put(address, document, revision);
    return written.kind === 'written' ? { kind: 'stored', document } : written.kind;
  });
}

/** @param missing the answer if there is no document */
export function deleteDocument<K extends SingleKind>(
  address: DocumentAddress<K>,
  basis: Basis,
  context: WriteContext,
  missing: Failure,
): Promise<{ kind: 'deleted' } | Failure> {
  return onCurrent(address, basis, context, async (held) => {
    if (held === undefined) return missing;
    return (await context.writes.delete(address, held.revision)) ? { kind: 'deleted' } : 'conflict';
  });
}

/** @param what as in "The rates are deleted." */
export function deletionReply(what: string) {
  return {
    description: `${what} are deleted.`,
    schema: Type.Object(
      { deleted: Type.Boolean({ description: 'Always true.' }) },
      { description: `The answer once ${what.charAt(0).toLowerCase()}${what.slice(1)} are deleted.` },
    ),
    example: { deleted: true },
  };
}

interface Held<K extends SingleKind> {
  document: Documents[K];
  revision: number;
  version: number;
}

/** Changes the document on its current version, again if another request changes it meanwhile. */
async function onCurrent<K extends SingleKind, T extends { kind: string }>(
  address: DocumentAddress<K>,
  basis: Basis,
  context: WriteContext,
  change: (held: Held<K> | undefined) => Promise<T | Failure | 'conflict' | 'unavailable'>,
): Promise<T | Failure> {
  const { config } = context.services;
  for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
    const entry = config.get(address);
    const version = entry?.document.version ?? 0;
    const refusal = staleFor(basis, version);
    if (refusal !== undefined) return refusal;
    const outcome = await change(
      entry === undefined ? undefined : { document: entry.document, revision: entry.revision, version },
    );
    if (typeof outcome !== 'string') return outcome;
    const revision = entry?.revision ?? config.ended(address).revision;
    if (outcome === 'unavailable' || !(await changed(config, address, revision))) break;
  }
  return failure('SERVICE_UNAVAILABLE');
}
