import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import type { Cancel, Clock } from '../../core/kernel/clock.ts';
import { CONFIG_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { SecretBox } from '../../core/kernel/secrets/secret-box.ts';
import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import type { BucketEntry, BucketOutcome, Log, Stop } from '../log/log.ts';
import type { ConfigEnvironment, DocumentAddress, Documents } from '../../core/vocabulary/documents/documents.ts';
import { environmentsOf } from '../../core/vocabulary/documents/scope.ts';
import { effectiveRevision } from '../../core/vocabulary/labels.ts';
import { decidesFlags, isDocumentKind, type DocumentKind } from '../../core/vocabulary/documents/document-kinds.ts';
import { openDocument, sealDocument } from './sealed-documents.ts';

/** A document with its revision. */
export interface ConfigEntry<K extends DocumentKind = DocumentKind> extends DocumentAddress<K> {
  revision: number;
  document: Documents[K];
}

/** A change; `entry` is undefined if the document was deleted, `before` if there was none. */
export type ConfigChange = {
  [K in DocumentKind]: {
    address: DocumentAddress<K>;
    entry: ConfigEntry<K> | undefined;
    before: ConfigEntry<K> | undefined;
  };
}[DocumentKind];

export interface Ended {
  version: number;
  revision: number;
}

const NEVER: Ended = { version: 0, revision: 0 };

/** The version of a deletion: the one after the deleted document's. */
export function versionAfter(document: object | undefined): number {
  return document !== undefined && 'version' in document && typeof document.version === 'number'
    ? document.version + 1
    : 0;
}

export type ConfigWrite<K extends DocumentKind> =
  | { kind: 'written'; entry: ConfigEntry<K> }
  | { kind: 'conflict' }
  | { kind: 'unavailable' };

/**
 * The documents of the whole deployment, held in memory and updated by watching the bucket CONFIG. A write resolves
 * once this process has seen its own change, so every later request on this node uses it.
 */
export interface ConfigStore {
  /** The highest CONFIG revision seen. */
  readonly revision: number;
  /**
   * The revision of the last change of a flag, experiment or segment of a game and environment that concerns players,
   * deletions included, or of the settings of a game with a holdout; 0 without any.
   * It is the same on every node that has seen the change, whenever that node started.
   */
  targetingRevision(game: string, environment: ConfigEnvironment): number;
  get<K extends DocumentKind>(address: DocumentAddress<K>): ConfigEntry<K> | undefined;
  /**
   * The end of a document that was deleted: its version, after that of the deleted document, and the revision on which
   * `put` can base the next one, so that no other comes between. Zeros: there is one, or there never was.
   */
  ended(address: DocumentAddress): Ended;
  /** All documents of a kind; only those of `game` and `environment` if given. */
  list<K extends DocumentKind>(kind: K, game?: string, environment?: DocumentAddress['environment']): ConfigEntry<K>[];
  /**
   * With `revision`: writes only if the document still has it. 0: only if there is no document, or one encrypted with a
   * key that this process lacks, so that a deployment that lost its key (SECRETS_KEY_REPLACES) can store new secrets.
   */
  put<K extends DocumentKind>(
    address: DocumentAddress<K>,
    document: Documents[K],
    revision?: number,
  ): Promise<ConfigWrite<K>>;
  /** Resolves to whether it was deleted. False: the log is unavailable, or the revision did not match. */
  delete(address: DocumentAddress, revision?: number): Promise<boolean>;
  /** Calls `listener` for every change after the start, in order, once the store holds it. */
  onChange(listener: (change: ConfigChange) => void): Stop;
  /** Resolves to true once `revision` has been seen, to false after `timeoutMs`. Already seen: true at once. */
  seen(revision: number, timeoutMs: number): Promise<boolean>;
  /** Documents whose secrets are not stored as `put` stores them now. */
  outdatedSecrets(): DocumentAddress[];
  stop(): void;
}

/** Documents by kind and path. */
export function createDocumentTable() {
  const byKind = new Map<DocumentKind, Map<string, ConfigEntry>>();
  return {
    get<K extends DocumentKind>(kind: K, path: string): ConfigEntry<K> | undefined {
      const entry = byKind.get(kind)?.get(path);
      return entry !== undefined && isOf(kind, entry) ? entry : undefined;
    },
    list<K extends DocumentKind>(kind: K, game?: string, environment?: ConfigEnvironment): ConfigEntry<K>[] {
      const found: ConfigEntry<K>[] = [];
      for (const entry of byKind.get(kind)?.values() ?? []) {
        if (game !== undefined && entry.game !== game) continue;
        if (environment !== undefined && entry.environment !== environment) continue;
        if (isOf(kind, entry)) found.push(entry);
      }
      return found;
    },
    set(path: string, entry: ConfigEntry): void {
      const table = byKind.get(entry.kind) ?? new Map<string, ConfigEntry>();
      byKind.set(entry.kind, table.set(path, entry));
    },
    delete: (kind: DocumentKind, path: string): boolean => byKind.get(kind)?.delete(path) === true,
  };
}

const isOf = <K extends DocumentKind>(kind: K, entry: ConfigEntry): entry is ConfigEntry<K> => entry.kind === kind;

/**
 * Opens the store. Resolves once it holds every document that exists, and follows changes from then on. A document that
 * cannot be read (another version wrote it, or its secrets are encrypted with another key) is logged and ignored; the
 * store keeps the version before it.
 * @param box encrypts and decrypts the secrets of documents; without it they are stored in plain text
 */
export async function openConfigStore(log: Log, clock: Clock, logger: Logger, box?: SecretBox): Promise<ConfigStore> {
  const bucket = log.bucket('CONFIG');
  const documents = createDocumentTable();
  const listeners = new Set<(change: ConfigChange) => void>();
  const outdated = new Map<string, DocumentAddress>();
  /** Revisions of documents whose secrets this process cannot decrypt. */
  const locked = new Map<string, number>();
  /** A hundred bytes for each key that was deleted and not made again. The bucket keeps them as well. */
  const ended = new Map<string, Ended>();
  const waiting = new Set<{ revision: number; give: (seen: boolean) => void }>();
  /** By game and environment. */
  const targetingRevisions = new Map<string, number>();
  let revision = 0;
  let current = false;

  function onEntry(entry: BucketEntry): void {
    const address = parsePath(entry.key);
    if (address === undefined) logger.warn({ key: entry.key }, 'a config document of an unknown kind is ignored');
    else fold(address, entry);
    revision = Math.max(revision, entry.revision);
    for (const waiter of waiting) if (waiter.revision <= revision) waiter.give(true);
  }

  function fold<K extends DocumentKind>(address: DocumentAddress<K>, entry: BucketEntry): void {
    const { key, value, left, revision } = entry;
    const held = documents.get(address.kind, key);
    // After a reconnect the watch may repeat entries.
    if (held !== undefined && held.revision >= revision) return;
    outdated.delete(key);
    locked.delete(key);
    ended.delete(key);
    if (value === undefined) {
      ended.set(key, { version: versionIn(left), revision });
      noteTargeting(address, revision);
      if (documents.delete(address.kind, key)) notify({ address, entry: undefined, before: held });
      return;
    }
    const parsed = parseDocument(box, address.kind, key, value);
    if (parsed.kind !== 'opened') {
      noteTargeting(address, revision);
      if (parsed.kind === 'locked') locked.set(key, revision);
      const why = parsed.kind === 'locked' ? 'its secrets were sealed with a key that this process lacks' : 'bad form';
      logger.error({ key, revision, why }, 'a config document cannot be read and is ignored');
      return;
    }
    if (!parsed.current) outdated.set(key, address);
    const stored: ConfigEntry<K> = { ...address, revision, document: parsed.document };
    documents.set(key, stored);
    noteTargeting(address, effectiveRevision(stored), stored.document);
    notify({ address, entry: stored, before: held });
  }

  function noteTargeting({ game, environment, kind }: DocumentAddress, revision: number, document?: object): void {
    if (!decidesFlags(kind, document)) return;
    for (const each of environmentsOf(environment)) {
      const scope = `${game}.${each}`;
      targetingRevisions.set(scope, Math.max(revision, targetingRevisions.get(scope) ?? 0));
    }
  }

  function notify(change: Told): void {
    if (!current || !isChange(change)) return;
    for (const listener of listeners) listener(change);
  }

  function seen(wanted: number, timeoutMs: number): Promise<boolean> {
    if (wanted <= revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const waiter = {
        revision: wanted,
        give(answer: boolean) {
          cancel();
          waiting.delete(waiter);
          resolve(answer);
        },
      };
      waiting.add(waiter);
      cancel = clock.timer(timeoutMs, () => waiter.give(false));
    });
  }

  /** Resolves to whether a write is stored and this process has seen it, which a 2xx promises. */
  async function inEffect(outcome: BucketOutcome): Promise<number | 'conflict' | 'unavailable'> {
    if (outcome.kind === 'conflict') return 'conflict';
    if (outcome.kind === 'unknown' || !(await seen(outcome.revision, CONFIG_LIMITS.configWaitMs))) return 'unavailable';
    return outcome.revision;
  }

  let stopWatch: Stop = () => {};
  await new Promise<void>((resolve) => {
    stopWatch = bucket.watch({ onEntry, onCurrent: resolve });
  });
  current = true;

  return {
    get revision() {
      return revision;
    },
    targetingRevision: (game, environment) => targetingRevisions.get(`${game}.${environment}`) ?? 0,
    get: (address) => documents.get(address.kind, pathOf(address)),
    ended: (address) => ended.get(pathOf(address)) ?? NEVER,
    list: (kind, game, environment) => documents.list(kind, game, environment),
    async put(address, document, expected) {
      const path = pathOf(address);
      const stored = encodeJson(sealDocument(box, address.kind, path, document));
      const replaced = expected === 0 ? (locked.get(path) ?? 0) : expected;
      const written = await inEffect(await bucket.put(path, stored, replaced));
      if (typeof written !== 'number') return { kind: written };
      return { kind: 'written', entry: { ...address, revision: written, document } };
    },
    async delete(address, expected) {
      const path = pathOf(address);
      const held = documents.get(address.kind, path)?.document;
      const version = held === undefined ? (ended.get(path)?.version ?? 0) : versionAfter(held);
      const left = encodeJson({ version });
      return typeof (await inEffect(await bucket.delete(path, expected, left))) === 'number';
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    seen,
    outdatedSecrets: () => [...outdated.values()],
    stop() {
      stopWatch();
      listeners.clear();
      for (const waiter of waiting) waiter.give(false);
    },
  };
}

const ENVIRONMENTS: readonly ConfigEnvironment[] = ['live', 'test', '_'];

/**
 * The bucket's key of a document. The broker uses it as a subject, in which dots separate tokens and no token may be
 * empty. A document's key may hold dots (`..` is a valid key of a flag), so they are written as `=d`, and `=` as `=e`.
 */
function pathOf({ game, environment, kind, key }: DocumentAddress): string {
  const word = key.replaceAll(/[.=]/g, (character) => (character === '.' ? '=d' : '=e'));
  return `${game}.${environment}.${kind}.${word}`;
}

function parsePath(path: string): DocumentAddress | undefined {
  const [game, environmentText, kind, word] = path.split('.');
  const environment = ENVIRONMENTS.find((known) => known === environmentText);
  if (game === undefined || environment === undefined || kind === undefined || word === undefined) return undefined;
  if (!isDocumentKind(kind)) return undefined;
  return { game, environment, kind, key: word.replaceAll(/=[de]/g, (pair) => (pair === '=d' ? '.' : '=')) };
}

/** The version that a deletion left. Tools of the broker leave none. */
function versionIn(left: Uint8Array | undefined): number {
  const value = left === undefined || left.length === 0 ? undefined : decodeJson(left);
  return isPlainObject(value) && typeof value['version'] === 'number' ? value['version'] : 0;
}

type ParsedDocument<K extends DocumentKind> =
  | { kind: 'opened'; document: Documents[K]; current: boolean }
  | { kind: 'locked' }
  | { kind: 'unreadable' };

function parseDocument<K extends DocumentKind>(
  box: SecretBox | undefined,
  kind: K,
  path: string,
  value: Uint8Array,
): ParsedDocument<K> {
  try {
    const opened = openDocument(box, kind, path, decodeJson(value));
    if (opened.kind === 'locked') return opened;
    const { document, current } = opened;
    return isDocument(kind, document) ? { kind: 'opened', document, current } : { kind: 'unreadable' };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** Only this program writes documents, after validation; so this only checks that the value is an object. */
function isDocument<K extends DocumentKind>(_kind: K, value: unknown): value is Documents[K] {
  return isPlainObject(value);
}

interface Told {
  address: DocumentAddress;
  entry: ConfigEntry | undefined;
  before: ConfigEntry | undefined;
}

function isChange(change: Told): change is ConfigChange {
  const { address, entry, before } = change;
  return [entry, before].every((one) => one === undefined || one.kind === address.kind);
}
