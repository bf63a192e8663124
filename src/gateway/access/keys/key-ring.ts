import type { ConfigEntry, ConfigStore } from '../../../../streams/config/config-store.ts';
import { hashApiKey } from '../../../../streams/config/api-keys.ts';
import { grantedScopes } from '../../../../core/vocabulary/documents/key-scopes.ts';
import { TIERS } from '../../../../core/vocabulary/documents/documents.ts';
import { gameAddress } from '../../../../streams/config/games.ts';
import { KEY_LIMITS } from './limits.ts';
import { isVisibleAscii } from '../../http/read/header-values.ts';
import type { ApiKey } from '../../../access/api-key.ts';

/** The API keys of all games, found by their text. */
export interface KeyRing {
  /** The key with this text, unless it is unknown or revoked. */
  find(text: string): ApiKey | undefined;
  /** The key with this id, unless it is unknown or revoked. */
  findById(id: string): ApiKey | undefined;
  /** The ids of all keys that are not revoked. */
  ids(): ReadonlySet<string>;
  /** Calls back after any change of keys or games, so that open streams can check their key. */
  onChange(listener: () => void): void;
  stop(): void;
}

const KEY_PREFIXES: ReadonlySet<string> = new Set(['pk_live_', 'pk_test_', 'sk_live_', 'sk_test_']);

/** Whether a text has the form of a key. Other texts are not hashed. */
function isKeyText(text: string): boolean {
  const { length } = text;
  return length > 8 && length <= KEY_LIMITS.apiKeyLength && KEY_PREFIXES.has(text.slice(0, 8)) && isVisibleAscii(text);
}

/**
 * Keys are indexed by their stored hash. The texts of used keys are cached, so a request costs one map look-up. Any
 * change of keys or games clears the cache.
 */
export function createKeyRing(config: ConfigStore): KeyRing {
  const byHash = new Map<string, ConfigEntry<'key'>>();
  const byText = new Map<string, ApiKey>();
  const hashById = new Map<string, string>();
  const listeners: (() => void)[] = [];
  const add = (entry: ConfigEntry<'key'>): void => {
    byHash.set(entry.key, entry);
    hashById.set(entry.document.id, entry.key);
  };
  for (const entry of config.list('key')) add(entry);

  const stop = config.onChange((change) => {
    if (change.address.kind !== 'key' && change.address.kind !== 'game') return;
    if (change.address.kind === 'key') {
      const entry = config.get({ ...change.address, kind: 'key' });
      if (entry === undefined) byHash.delete(change.address.key);
      else add(entry);
    }
    byText.clear();
    for (const listener of listeners) listener();
  });

  function resolve(text: string): ApiKey | undefined {
    if (!isKeyText(text)) return undefined;
    const key = keyOf(byHash.get(hashApiKey(text)));
    if (key === undefined) return undefined;
    return text.startsWith(`${key.kind === 'client' ? 'pk' : 'sk'}_${key.environment}_`) ? key : undefined;
  }

  function keyOf(entry: ConfigEntry<'key'> | undefined): ApiKey | undefined {
    if (entry === undefined || entry.document.revokedAt !== null) return undefined;
    const { id, kind, tier, scopes } = entry.document;
    const game = config.get(gameAddress(entry.game));
    if (game === undefined || entry.environment === '_') return undefined;
    return {
      id,
      kind,
      tier,
      game: entry.game,
      environment: entry.environment,
      limitPerMinute: TIERS[tier],
      scopes: grantedScopes(scopes),
      requiresPlayerToken: kind === 'client' && game.document.requirePlayerToken === true,
      tenant: game.document.tenant,
      namespace: game.document.namespace,
    };
  }

  return {
    find(text) {
      const known = byText.get(text);
      if (known !== undefined) return known;
      const key = resolve(text);
      if (key === undefined) return undefined;
      if (byText.size >= KEY_LIMITS.apiKeyCache) byText.clear();
      byText.set(text, key);
      return key;
    },
    findById: (id) => keyOf(byHash.get(hashById.get(id) ?? '')),
    ids: () =>
      new Set(
        [...byHash.values()].filter(({ document }) => document.revokedAt === null).map(({ document }) => document.id),
      ),
    onChange: (listener) => void listeners.push(listener),
    stop,
  };
}
