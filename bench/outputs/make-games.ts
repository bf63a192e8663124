import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { withConfigStore } from '../../src/cli/connect.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/ids.ts';
import { createApiKey } from '../../streams/config/api-keys.ts';
import { createGame, gameAddress } from '../../streams/config/games.ts';
import { BenchError } from '../bench-error.ts';
import type { LocalService } from '../service/local-service.ts';

const LOOK_MS = 20;
const TIMEOUT_MS = 10_000;

/**
 * Makes games as the operator's command does. @returns a server key for each, without a rate limit; every one is known to the
 * service when this resolves
 */
export async function makeGames(service: LocalService, count: number, signal: AbortSignal): Promise<string[]> {
  const keys: string[] = [];
  const config = readConfig({ DATA_DIR: service.dataDir });
  await withConfigStore(config, { clock: systemClock })(async (store) => {
    for (let index = 0; index < count; index++) {
      const game = `bench-${index}`;
      const settings = createGame(game, game, systemClock, systemIds);
      const request = { game, environment: 'live', kind: 'server', tier: 'enterprise', scopes: [] } as const;
      const { text, address, document } = createApiKey(request, systemClock, systemIds);
      for (const write of [await store.put(gameAddress(game), settings, 0), await store.put(address, document, 0)]) {
        if (write.kind !== 'written') throw new BenchError(`the game ${game} could not be made: ${write.kind}`);
      }
      keys.push(text);
    }
  });
  for (const key of keys) await known(service, key, signal);
  return keys;
}

async function known({ baseUrl }: LocalService, key: string, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < untilMs) {
    const response = await fetch(`${baseUrl}/v1/segments/segments`, { headers: { 'X-API-Key': key }, signal });
    await response.arrayBuffer();
    if (response.ok) return;
    await sleep(LOOK_MS, undefined, { signal });
  }
  throw new BenchError(`a key was not known to the service within ${TIMEOUT_MS / 1000} s`);
}
