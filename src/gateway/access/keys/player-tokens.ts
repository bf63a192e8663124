import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import { goodSecrets, playerTokensAddress } from '../../../../streams/config/player-tokens.ts';
import { playerIdOf } from '../../../api/players/player-id.ts';
import type { OnlyPlayer } from '../../../api/route/request-context.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { KEY_LIMITS } from './limits.ts';
import { readPlayerToken } from './read-player-token.ts';
import type { ApiKey } from '../../../access/api-key.ts';

/** Determines the player that a request with a client key may act for. */
export interface PlayerTokens {
  /**
   * The player in a token; `undefined`: any player, because no token was sent and none is required.
   * @param text the value of X-Player-Token; '' if none was sent
   */
  check(key: ApiKey, text: string): OnlyPlayer | Failure | undefined;
  /** The player in a token, whether the game requires tokens or not. */
  proven(key: ApiKey, text: string): OnlyPlayer | Failure;
  /**
   * Whether this token is not cached and its sender sent many bad ones within the current minute.
   * @param sender called only if bad tokens were sent in this minute
   */
  isSuspect(text: string, sender: () => string): boolean;
  /** Counts a bad token of a sender. */
  noteBad(sender: string): void;
  stop(): void;
}

interface CachedToken {
  namespace: string;
  environment: string;
  player: OnlyPlayer;
  validFromMs: number;
  validUntilMs: number;
}

/**
 * Valid tokens are cached by their text, so a request costs one map look-up instead of a signature. Any change of a
 * game or its secrets clears the cache. Server keys act for every player, so their tokens are ignored.
 */
export function createPlayerTokens(config: ConfigStore, clock: Pick<Clock, 'wallMs'>): PlayerTokens {
  const known = new Map<string, CachedToken>();
  /** Bad tokens by sender, in the minute `badMinute` (minutes since 1970). */
  const bad = new Map<string, number>();
  let badMinute = 0;
  const stop = config.onChange(({ address }) => {
    if (address.kind === 'game' || address.kind === 'player_tokens') known.clear();
  });

  function read(key: ApiKey, text: string, nowMs: number): CachedToken | Failure {
    const held = config.get(playerTokensAddress(key.game))?.document;
    if (held === undefined) return refused('cannot be checked: this game has no secret for player tokens');
    const token = readPlayerToken(text, goodSecrets(held, nowMs));
    if (token.kind === 'bad') return refused(token.reason);
    const { externalId, validFromMs, validUntilMs, secret } = token;
    const secretUntilMs = secret === held.secret ? Number.POSITIVE_INFINITY : (held.previous?.until ?? 0);
    const player = { externalId, playerId: playerIdOf(key, externalId) };
    const { namespace, environment } = key;
    return { namespace, environment, player, validFromMs, validUntilMs: Math.min(validUntilMs, secretUntilMs) };
  }

  function proven(key: ApiKey, text: string): OnlyPlayer | Failure {
    const nowMs = clock.wallMs();
    const held = known.get(text);
    const isSame = held?.namespace === key.namespace && held.environment === key.environment;
    const token = held !== undefined && isSame ? held : read(key, text, nowMs);
    if ('code' in token) return token;
    if (nowMs >= token.validUntilMs) return refused('has expired; get a new one from your game server');
    if (nowMs < token.validFromMs) return refused('is not valid yet');
    if (token !== held) {
      if (known.size >= KEY_LIMITS.playerTokenCache) known.clear();
      known.set(text, token);
    }
    return token.player;
  }

  return {
    check(key, text) {
      if (key.kind === 'server') return undefined;
      if (text === '') return key.requiresPlayerToken ? MISSING : undefined;
      return proven(key, text);
    },
    proven,
    isSuspect(text, sender) {
      if (bad.size === 0 || text === '' || known.has(text)) return false;
      if (badMinute !== minuteOf(clock)) bad.clear();
      return (bad.get(sender()) ?? 0) >= KEY_LIMITS.badPlayerTokens;
    },
    noteBad(sender) {
      const minute = minuteOf(clock);
      if (badMinute !== minute || bad.size >= KEY_LIMITS.badPlayerTokenSenders) bad.clear();
      badMinute = minute;
      bad.set(sender, (bad.get(sender) ?? 0) + 1);
    },
    stop,
  };
}

const minuteOf = (clock: Pick<Clock, 'wallMs'>): number => Math.floor(clock.wallMs() / 60_000);

const MISSING = failure(
  'FORBIDDEN',
  'This game needs a player token with client keys (pk_): send it as X-Player-Token.',
);

function refused(reason: string): Failure {
  return failure('FORBIDDEN', `X-Player-Token ${reason}.`);
}
