import type { ConfigChange, ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import type { DocumentAddress, DocumentKind, Documents } from '../../../core/vocabulary/documents/documents.ts';

/** A config store without a log, for tests of code that reads and writes definitions. */
export interface MemoryConfigStore extends ConfigStore {
  /** While true every write answers `unavailable`. */
  down: boolean;
}

type Entries = { [K in DocumentKind]: Map<string, ConfigEntry<K>> };

export function createMemoryConfigStore(): MemoryConfigStore {
  const entries: Entries = {
    game: new Map(),
    key: new Map(),
    webhook: new Map(),
    segment: new Map(),
    flag: new Map(),
    campaign: new Map(),
    event_schema: new Map(),
    property: new Map(),
    saved_query: new Map(),
    player_tokens: new Map(),
    deployment: new Map(),
    user: new Map(),
    proposal: new Map(),
  };
  const listeners = new Set<(change: ConfigChange) => void>();
  const targetingRevisions = new Map<string, number>();
  let revision = 0;

  const nameOf = ({ game, environment, kind, key }: DocumentAddress): string => `${game}.${environment}.${kind}.${key}`;
  const tell = (change: ConfigChange): void => {
    const { game, environment, kind } = change.address;
    if (kind === 'flag' || kind === 'segment') targetingRevisions.set(`${game}.${environment}`, revision);
    for (const listener of listeners) listener(change);
  };

  const store: MemoryConfigStore = {
    down: false,
    get revision() {
      return revision;
    },
    targetingRevision: (game, environment) => targetingRevisions.get(`${game}.${environment}`) ?? 0,
    get<K extends DocumentKind>(address: DocumentAddress<K>): ConfigEntry<K> | undefined {
      return entries[address.kind].get(nameOf(address));
    },
    list<K extends DocumentKind>(kind: K, game?: string, environment?: DocumentAddress['environment']) {
      return [...entries[kind].values()].filter(
        (entry) =>
          (game === undefined || entry.game === game) &&
          (environment === undefined || entry.environment === environment),
      );
    },
    async put<K extends DocumentKind>(address: DocumentAddress<K>, document: Documents[K], expected?: number) {
      if (store.down) return { kind: 'unavailable' };
      const held = store.get(address);
      if (expected !== undefined && expected !== (held?.revision ?? 0)) return { kind: 'conflict' };
      revision += 1;
      const entry: ConfigEntry<K> = { ...address, document, revision };
      entries[address.kind].set(nameOf(address), entry);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- address and entry are of one kind K; the compiler can't see that the pair is one of the union's members
      tell({ address, entry } as unknown as ConfigChange);
      return { kind: 'written', entry };
    },
    async delete(address) {
      if (store.down) return false;
      revision += 1;
      const held = entries[address.kind].delete(nameOf(address));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      tell({ address, entry: undefined } as unknown as ConfigChange);
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
