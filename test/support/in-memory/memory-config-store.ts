import {
  createDocumentTable,
  type ConfigChange,
  type ConfigEntry,
  type ConfigStore,
  type Ended,
  versionAfter,
} from '../../../streams/config/config-store.ts';
import type { DocumentAddress, Documents } from '../../../core/vocabulary/documents/documents.ts';
import { environmentsOf } from '../../../core/vocabulary/documents/scope.ts';
import { effectiveRevision } from '../../../core/vocabulary/labels.ts';
import { decidesFlags, type DocumentKind } from '../../../core/vocabulary/documents/document-kinds.ts';

/** A config store without a log, for tests of code that reads and writes definitions. */
export interface MemoryConfigStore extends ConfigStore {
  /** While true every write answers `unavailable`. */
  down: boolean;
}

export function createMemoryConfigStore(): MemoryConfigStore {
  const documents = createDocumentTable();
  const listeners = new Set<(change: ConfigChange) => void>();
  const targetingRevisions = new Map<string, number>();
  const ended = new Map<string, Ended>();
  let revision = 0;

  const nameOf = ({ game, environment, kind, key }: DocumentAddress): string => `${game}.${environment}.${kind}.${key}`;
  const tell = (change: ConfigChange): void => {
    const { address, entry } = change;
    const changed = entry === undefined ? revision : effectiveRevision(entry);
    for (const environment of decidesFlags(address.kind, entry?.document) ? environmentsOf(address.environment) : []) {
      const scope = `${address.game}.${environment}`;
      targetingRevisions.set(scope, Math.max(changed, targetingRevisions.get(scope) ?? 0));
    }
    for (const listener of listeners) listener(change);
  };

  const store: MemoryConfigStore = {
    down: false,
    get revision() {
      return revision;
    },
    targetingRevision: (game, environment) => targetingRevisions.get(`${game}.${environment}`) ?? 0,
    get<K extends DocumentKind>(address: DocumentAddress<K>): ConfigEntry<K> | undefined {
      return documents.get(address.kind, nameOf(address));
    },
    ended: (address) => ended.get(nameOf(address)) ?? { version: 0, revision: 0 },
    list: (kind, game, environment) => documents.list(kind, game, environment),
    async put<K extends DocumentKind>(address: DocumentAddress<K>, document: Documents[K], expected?: number) {
      if (store.down) return { kind: 'unavailable' };
      const held = store.get(address);
      if (
        expected !== undefined &&
        expected !== (held?.revision ?? 0) &&
        (held !== undefined || expected !== store.ended(address).revision)
      ) {
        return { kind: 'conflict' };
      }
      ended.delete(nameOf(address));
      revision += 1;
      const entry: ConfigEntry<K> = { ...address, document, revision };
      documents.set(nameOf(address), entry);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- address and entry are of one kind K; the compiler can't see that the pair is one of the union's members
      tell({ address, entry, before: held } as unknown as ConfigChange);
      return { kind: 'written', entry };
    },
    async delete(address) {
      if (store.down) return false;
      revision += 1;
      const before = store.get(address);
      ended.set(nameOf(address), {
        version: before === undefined ? store.ended(address).version : versionAfter(before.document),
        revision,
      });
      const held = documents.delete(address.kind, nameOf(address));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      tell({ address, entry: undefined, before } as unknown as ConfigChange);
      return held;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    seen: async (wanted) => wanted <= revision,
    outdatedSecrets: () => [],
    stop: () => listeners.clear(),
  };
  return store;
}
