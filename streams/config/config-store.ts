import type { DocumentAddress, DocumentKind, Documents } from './documents.ts';
import type { Stop } from '../log.ts';

/** A document with the revision it was read at. */
export interface ConfigEntry<K extends DocumentKind = DocumentKind> extends DocumentAddress<K> {
  revision: number;
  document: Documents[K];
}

/** What changed; `entry` is undefined when the document was deleted. */
export type ConfigChange = {
  [K in DocumentKind]: { address: DocumentAddress<K>; entry: ConfigEntry<K> | undefined };
}[DocumentKind];

export type ConfigWrite<K extends DocumentKind> =
  | { kind: 'written'; entry: ConfigEntry<K> }
  | { kind: 'conflict' }
  | { kind: 'unavailable' };

/**
 * Definitions of the whole deployment, held in memory and kept fresh by watching the CONFIG bucket. A write resolves
 * once this process has seen its own change, so that every later request on this node is decided under it.
 */
export interface ConfigStore {
  /** The highest CONFIG revision seen. */
  readonly revision: number;
  get<K extends DocumentKind>(address: DocumentAddress<K>): ConfigEntry<K> | undefined;
  /** All documents of a kind, of one game and environment when given. */
  list<K extends DocumentKind>(kind: K, game?: string, environment?: DocumentAddress['environment']): ConfigEntry<K>[];
  /** With `revision`: only if the document still has it (0: only if there is none). */
  put<K extends DocumentKind>(
    address: DocumentAddress<K>,
    document: Documents[K],
    revision?: number,
  ): Promise<ConfigWrite<K>>;
  /** Resolves to whether it was deleted (false: the log could not be reached, or the revision did not match). */
  delete(address: DocumentAddress, revision?: number): Promise<boolean>;
  /** Called for every change after start, in order, once the store itself holds it. */
  onChange(listener: (change: ConfigChange) => void): Stop;
  /** Resolves to true once `revision` has been seen, to false after `timeoutMs`. Already seen: true at once. */
  seen(revision: number, timeoutMs: number): Promise<boolean>;
  stop(): void;
}
