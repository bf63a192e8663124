import type { ConfigEntry, ConfigStore } from '../../../../streams/config/config-store.ts';
import type { Cancel, Clock } from '../../../../core/kernel/clock.ts';
import { endOf, hashApiKey, isValid } from '../../../../streams/config/api-keys.ts';
import { USE_LIMITS } from '../../../../streams/limits.ts';
import type { UseTimes } from '../../../../streams/use-times.ts';
import { grantedScopes } from '../../../../streams/config/key-scopes.ts';
import { TIERS } from '../../../../core/vocabulary/documents/documents.ts';
import { gameAddress } from '../../../../streams/config/games.ts';
import { KEY_LIMITS } from './limits.ts';
import { isVisibleAscii } from '../../http/read/header-values.ts';
import type { ApiKey } from '../../../access/api-key.ts';

/** The API keys of all games, found by their text. */
export interface KeyRing {
  /** The key with this text, unless it is unknown, revoked or expired. Notes that it was used. */
  find(text: string): ApiKey | undefined;
  /** The key with this id, unless it is unknown, revoked or expired. */
  findById(id: string): ApiKey | undefined;
  /** The ids of all valid keys. */
  ids(): ReadonlySet<string>;
  /** Whether there is a key with this id, valid or not. */
  knows(id: string): boolean;
  /** Calls back after any change of keys or games, and when a key expires, so that open streams can check their key. */
  onChange(listener: () => void): void;
  stop(): void;
}

const KEY_PREFIXES: ReadonlySet<string> = new Set(['pk_live_', 'pk_test_', 'sk_live_', 'sk_test_']);

/** Whether a text has the form of a key. Other texts are not hashed. */
function isKeyText(text: string): boolean {
  const { length } = text;
  return length > 8 && length <= KEY_LIMITS.apiKeyLength && KEY_PREFIXES.has(text.slice(0, 8)) && isVisibleAscii(text);
}

/** A key whose text was sent. */
interface UsedKey {
  readonly key: ApiKey;
  readonly endsAt: number;
  notedAt: number;
}

/**
 * Keys are indexed by their stored hash. The texts of used keys are cached, so a request costs one map look-up and two
 * comparisons with the time. Any change of keys or games clears the cache.
 */
export function createKeyRing(config: ConfigStore, clock: Clock, use: Pick<UseTimes, 'note'>): KeyRing {
  const byHash = new Map<string, ConfigEntry<'key'>>();
  const byText = new Map<string, UsedKey>();
  const hashById = new Map<string, string>();
  const listeners: (() => void)[] = [];
  const add = (entry: ConfigEntry<'key'>): void => {
    byHash.set(entry.key, entry);
    hashById.set(entry.document.id, entry.key);
  };
  for (const entry of config.list('key')) add(entry);
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  let stopTimer: Cancel = () => {};

  /** Streams have no further request at which an expiry would be seen. */
  function awaitExpiry(): void {
    stopTimer();
    const nowMs = clock.wallMs();
    let next = Number.POSITIVE_INFINITY;
    for (const { document } of byHash.values())
      if (isValid(document, nowMs)) next = Math.min(next, endOf(document) ?? next);
    if (next === Number.POSITIVE_INFINITY) return;
    stopTimer = clock.timer(Math.min(next - nowMs, KEY_LIMITS.expiryTimerMs), () => {
      notify();
      awaitExpiry();
    });
  }
  awaitExpiry();

  const stop = config.onChange((change) => {
    if (change.address.kind !== 'key' && change.address.kind !== 'game') return;
    if (change.address.kind === 'key') {
      const entry = config.get({ ...change.address, kind: 'key' });
      if (entry === undefined) byHash.delete(change.address.key);
      else add(entry);
      awaitExpiry();
    }
    byText.clear();
    notify();
  });

  function resolve(text: string): UsedKey | undefined {
    if (!isKeyText(text)) return undefined;
    const entry = byHash.get(hashApiKey(text));
    const key = keyOf(entry);
    if (entry === undefined || key === undefined) return undefined;
    if (!text.startsWith(`${key.kind === 'client' ? 'pk' : 'sk'}_${key.environment}_`)) return undefined;
    return { key, endsAt: endOf(entry.document) ?? Number.POSITIVE_INFINITY, notedAt: Number.NEGATIVE_INFINITY };
  }

  function keep(text: string, held: UsedKey): void {
    if (byText.size >= KEY_LIMITS.apiKeyCache) byText.clear();
    byText.set(text, held);
  }

  function keyOf(entry: ConfigEntry<'key'> | undefined): ApiKey | undefined {
    if (entry === undefined || !isValid(entry.document, clock.wallMs())) return undefined;
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
      const held = known ?? resolve(text);
      if (held === undefined) return undefined;
      const nowMs = clock.wallMs();
      if (nowMs >= held.endsAt) return undefined;
      if (known === undefined) keep(text, held);
      if (nowMs - held.notedAt >= USE_LIMITS.keyNotedMs) {
        held.notedAt = nowMs;
        use.note(held.key, [held.key.id]);
      }
      return held.key;
    },
    findById: (id) => keyOf(byHash.get(hashById.get(id) ?? '')),
    ids: () =>
      new Set(
        [...byHash.values()]
          .filter(({ document }) => isValid(document, clock.wallMs()))
          .map(({ document }) => document.id),
      ),
    knows: (id) => byHash.has(hashById.get(id) ?? ''),
    onChange: (listener) => void listeners.push(listener),
    stop() {
      stopTimer();
      stop();
    },
  };
}
