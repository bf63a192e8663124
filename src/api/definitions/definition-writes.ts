import type { DefinitionKind, DocumentKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import { hash } from 'node:crypto';
import { ledgerIdOf } from '../../../core/vocabulary/commands/commands.ts';
import type { ConfigEntry, ConfigStore, Ended } from '../../../streams/config/config-store.ts';
import type { ConfigEnvironment, DocumentAddress, Documents } from '../../../core/vocabulary/documents/documents.ts';
import { withEffective } from '../../../core/vocabulary/labels.ts';
import type { WriteMark } from '../../../core/vocabulary/documents/write-mark.ts';
import { failure, isFailure, type Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import { IDEMPOTENCY_LIMITS } from '../../../actors/idempotency/limits.ts';
import { lostReads } from './references.ts';
import { staleFor, type Basis, type IfMatch } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';

/*
 * Writes definitions (segments, flags, campaigns, webhooks, event schemas): compare-and-set on the document, and at
 * most once per Idempotency-Key.
 *
 * Invariants
 * 1. A version is written once: two concurrent changes make two versions, or one of them returns 412.
 * 2. A change and the mark of its Idempotency-Key are one document, so a repeat finds the mark exactly if the first
 * request
 *    took effect. The ledger of the API key only detects that the key was used for another request.
 * 3. A refused write leaves no trace, not even in the ledger.
 * 4. No two documents of one address have the same version: one that is made again goes on after the deletion's.
 */

/** The definition after a write, or after the earlier write that this request repeats. */
export interface Written<K extends DefinitionKind> {
  kind: 'written';
  entry: ConfigEntry<K>;
  replayed: boolean;
}

export interface Creation<K extends DefinitionKind> {
  address: DocumentAddress<K>;
  document: Documents[K];
  /** Other definitions with the same key, if the address is not the key itself. */
  rivals: () => ConfigEntry<K>[];
  /** The failure if there is a definition with its key. */
  taken: (holder: ConfigEntry<K>) => Failure;
  /** The failure if the quota is used up, by the definitions that a context lists. */
  overQuota: (context: RequestContext) => Failure | undefined;
}

/**
 * Stores a new definition unless its key is taken. Concurrent requests may create the same key at two addresses, or
 * more definitions than the quota allows: the earlier ones stay, because all nodes see the same order. Only a process
 * that ends between its write and its look leaves one too many.
 */
export async function createDefinition<K extends DefinitionKind>(
  { address, document, rivals, taken, overQuota }: Creation<K>,
  context: WriteContext,
): Promise<Written<K> | Failure> {
  const { config } = context.services;
  for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
    const held = config.get(address) ?? rivals()[0];
    if (held !== undefined) return repeated(held, context) ?? taken(held);
    const refusal = overQuota(context) ?? (await claim(context));
    if (refusal !== undefined) return refusal;
    const ended = config.ended(address);
    const first = firstAfter(ended, marked(document, context));
    const write = await context.writes.put(address, first, ended.revision);
    if (write.kind === 'written') return unlessExcluded(write.entry);
    if (write.kind === 'unavailable' || !(await changed(config, address, ended.revision))) break;
  }
  return failure('SERVICE_UNAVAILABLE');

  async function unlessExcluded(entry: ConfigEntry<K>): Promise<Written<K> | Failure> {
    const rival = rivals().find((other) => other.revision < entry.revision || other.document.version > 1);
    const excluded = rival === undefined ? outOfPlace(entry) : (repeated(rival, context) ?? taken(rival));
    if (excluded === undefined) return { kind: 'written', entry, replayed: false };
    return (await context.writes.delete(address, entry.revision)) ? excluded : failure('SERVICE_UNAVAILABLE');
  }

  function outOfPlace(entry: ConfigEntry<K>): Failure | undefined {
    return overQuota(beforeOf(entry, context)) ?? lostReads(address.kind, entry.document, undefined, context);
  }
}

/** The context without a definition that was just made, and those of its kind that were made after it. */
function beforeOf<K extends DefinitionKind>(made: ConfigEntry<K>, context: RequestContext): RequestContext {
  const { config } = context.services;
  const isLater = ({ kind, key, revision, document }: ConfigEntry): boolean =>
    kind === made.kind && (key === made.key || (revision > made.revision && isNew(document)));
  const list = <O extends DocumentKind>(...sought: [O, string?, ConfigEnvironment?]): ConfigEntry<O>[] =>
    config.list(...sought).filter((other) => !isLater(other));
  return { ...context, services: { ...context.services, config: { ...config, list } } };
}

/** Whether nobody changed a document since it was made. */
function isNew(document: object): boolean {
  return 'createdAt' in document && 'updatedAt' in document && document.createdAt === document.updatedAt;
}

/** The first version of a definition, also of one that was deleted before. */
function firstAfter<K extends DefinitionKind>({ version: last }: Ended, document: Documents[K]): Documents[K] {
  const version = last + 1;
  const { managedBy } = document;
  return { ...document, version, ...(managedBy === undefined ? {} : { managedBy: { ...managedBy, version } }) };
}

export interface Deletion<K extends DefinitionKind> {
  address: DocumentAddress<K>;
  headers: IfMatch;
  missing: () => Failure;
  /** The failure if other definitions need this one; asked again behind the deletion (`lostReads`). */
  inUse: () => Failure | undefined;
}

/** Deletes a definition permanently. */
export async function deleteDefinition<K extends DefinitionKind>(
  { address, headers, missing, inUse }: Deletion<K>,
  context: WriteContext,
): Promise<{ kind: 'deleted'; replayed: boolean } | Failure> {
  const { config } = context.services;
  for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
    const held = config.get(address);
    // It existed when this request arrived, and another request deleted it meanwhile.
    if (held === undefined && attempt > 0) return { kind: 'deleted', replayed: false };
    const refusal = held === undefined ? undefined : (inUse() ?? staleFor(headers, held.document.version));
    if (refusal !== undefined) return refusal;
    // A deleted definition has no document for a mark; only the ledger records the first request.
    if (held === undefined && context.idempotency === undefined) return missing();
    const claimed = await claimKey(context);
    if (claimed.kind === 'failure') return claimed;
    if (held === undefined) return claimed.replayed ? { kind: 'deleted', replayed: true } : missing();
    if (await context.writes.delete(address, held.revision)) {
      const used = inUse();
      if (used === undefined) return { kind: 'deleted', replayed: false };
      const ended = config.ended(address);
      const putBack = await context.writes.put(address, firstAfter(ended, held.document), ended.revision);
      return putBack.kind === 'written' ? used : failure('SERVICE_UNAVAILABLE');
    }
    if (!(await changed(config, address, held.revision))) break;
  }
  return failure('SERVICE_UNAVAILABLE');
}

export interface Edit<K extends DefinitionKind> {
  address: DocumentAddress<K>;
  basis: Basis;
  /** The failure if the definition does not exist. */
  missing: Failure;
  /** The changed document, without version and times. Called again if the document changed concurrently. */
  change: (held: Documents[K], entry: ConfigEntry<K>) => Documents[K] | Failure;
  /**
   * Checks the written document against definitions that were written at the same time. All nodes see the same order of
   * writes, so of two that exclude each other the later one finds the earlier. With a failure, the document is put
   * back.
   */
  conflict?: (written: Documents[K]) => Failure | undefined;
}

/** Changes a definition. Every change creates a new version. */
export async function changeDefinition<K extends DefinitionKind>(
  { address, basis, missing, change, conflict }: Edit<K>,
  context: WriteContext,
): Promise<Written<K> | Failure> {
  const { config } = context.services;
  for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
    const held = config.get(address);
    if (held === undefined) return missing;
    const earlier = repeated(held, context);
    if (earlier !== undefined) return earlier;
    const next = change(held.document, held);
    if (isFailure(next)) return next;
    const refusal = staleFor(basis, held.document.version) ?? (await claim(context));
    if (refusal !== undefined) return refusal;
    const document = withEffective(held, nextVersion(next, context));
    const write = await context.writes.put(address, document, held.revision);
    if (write.kind === 'written') {
      const { entry } = write;
      const refused = conflict?.(entry.document) ?? lostReads(address.kind, entry.document, held.document, context);
      if (refused === undefined) return { kind: 'written', entry, replayed: false };
      const putBack = { ...held.document, version: entry.document.version + 1 };
      await context.writes.put(address, withEffective(entry, putBack), entry.revision);
      return refused;
    }
    if (write.kind === 'unavailable' || !(await changed(config, address, held.revision))) break;
  }
  return failure('SERVICE_UNAVAILABLE');
}

/** The earlier outcome if this request repeats the write of a version; CONFLICT if it has another body. */
export function repeated<K extends DefinitionKind>(
  entry: ConfigEntry<K>,
  context: RequestContext,
): Written<K> | Failure | undefined {
  const mark = markOf(context);
  const earlier = mark === undefined ? undefined : fresh(entry.document, context).find(({ id }) => id === mark.id);
  if (earlier === undefined) return undefined;
  return earlier.bodyHash === mark?.bodyHash ? { kind: 'written', entry, replayed: true } : failure('CONFLICT');
}

/** Claims the Idempotency-Key in the ledger. CONFLICT if it was used with another body or for another request. */
export async function claimKey({
  key,
  idempotency,
  origin,
  services,
}: RequestContext): Promise<{ kind: 'claimed'; replayed: boolean } | Failure> {
  if (idempotency === undefined) return { kind: 'claimed', replayed: false };
  const ledgerId = ledgerIdOf(key.id);
  const reply = await services.backend.send(origin, ledgerId, { kind: 'ClaimIdempotencyKey', ledgerId, idempotency });
  if (reply.kind === 'failure') return reply;
  return { kind: 'claimed', replayed: reply.kind === 'claimed' && reply.replayed === true };
}

async function claim(context: RequestContext): Promise<Failure | undefined> {
  const claimed = await claimKey(context);
  return claimed.kind === 'failure' ? claimed : undefined;
}

/**
 * Waits, for a bounded time, until this node has received the concurrent change that made a write fail.
 * @param revision revision that the write was based on; without a document that of its end
 */
export async function changed(
  config: Pick<ConfigStore, 'get' | 'ended' | 'seen' | 'revision'>,
  address: DocumentAddress,
  revision: number,
): Promise<boolean> {
  while ((config.get(address)?.revision ?? config.ended(address).revision) === revision) {
    if (!(await config.seen(config.revision + 1, CONFIG_LIMITS.configWaitMs))) return false;
  }
  return true;
}

/** The mark of the request's Idempotency-Key. It stores a digest, since the key is private to its caller. */
function markOf({ key, idempotency, origin, writeMark }: RequestContext): WriteMark | undefined {
  if (writeMark !== undefined) return { ...writeMark, at: origin.receivedAt };
  if (idempotency === undefined) return undefined;
  const id = hash('sha256', `${key.id}\n${idempotency.key}`, 'hex').slice(0, 32);
  return { id, bodyHash: idempotency.bodyHash, at: origin.receivedAt };
}

function nextVersion<K extends DefinitionKind>(document: Documents[K], context: RequestContext): Documents[K] {
  return marked({ ...document, version: document.version + 1, updatedAt: context.origin.receivedAt }, context);
}

/** A definition with the mark of the request that makes it. */
export function marked<K extends DefinitionKind>(document: Documents[K], context: RequestContext): Documents[K] {
  const mark = markOf(context);
  const kept = fresh(document, context);
  return {
    ...document,
    writes: (mark === undefined ? kept : [...kept, mark]).slice(-IDEMPOTENCY_LIMITS.idempotencyKeys),
  };
}

function fresh({ writes = [] }: Documents[DefinitionKind], { origin }: RequestContext): WriteMark[] {
  return writes.filter((mark) => mark.at + IDEMPOTENCY_LIMITS.idempotencyTtlMs > origin.receivedAt);
}
