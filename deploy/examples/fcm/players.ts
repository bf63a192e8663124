/** What the receiver reads and writes of players: the attribute `push_token`, which the game sets. */
export interface Players {
  /** undefined: the player has none, or is gone. */
  pushToken(playerId: string): Promise<string | undefined>;
  forgetToken(playerId: string): Promise<void>;
}

const TIMEOUT_MS = 8_000;

/** @param key a server key that may read and write players */
export function createPlayers(url: string, key: string): Players {
  const call = (playerId: string, more: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/v1/players/players/${playerId}`, {
      ...more,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  return {
    async pushToken(playerId) {
      const response = await call(playerId);
      if (response.status === 404) return undefined;
      if (!response.ok) throw new Error(`the player was answered with ${response.status}`);
      const { data }: { data: { attributes: { push_token?: unknown } } } = JSON.parse(await response.text());
      const { push_token: token } = data.attributes;
      return typeof token === 'string' && token !== '' ? token : undefined;
    },
    async forgetToken(playerId) {
      const body = JSON.stringify({ attributes: { push_token: null } });
      const response = await call(playerId, { method: 'PATCH', body });
      if (!response.ok && response.status !== 404) throw new Error(`the player was answered with ${response.status}`);
    },
  };
}
