import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../../src/settings/config.ts';
import { withConfigStore } from '../../../../src/cli/connect.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { systemIds } from '../../../../core/kernel/ids.ts';
import { createApiKey } from '../../../../streams/config/api-keys.ts';
import { createGame, gameAddress } from '../../../../streams/config/games.ts';
import { BenchError } from '../../bench.ts';
import type { LocalService } from '../service.ts';

const CHECK_MS = 20;
const TIMEOUT_MS = 10_000;

/**
 * Creates games as the operator's command does. Resolves when the service accepts their keys.
 * @returns a server key without a rate limit for each
 */
export async function createGames(service: LocalService, count: number, signal: AbortSignal): Promise<string[]> {
  const keys: string[] = [];
  const config = readConfig({ DATA_DIR: service.dataDir });
  await withConfigStore(config, { clock: systemClock })(async (store) => {
    for (let index = 0; index < count; index++) {
      const game = `bench-${index}`;
      const settings = createGame(game, game, systemClock, systemIds);
      const request = { game, environment: 'live', kind: 'server', tier: 'enterprise', scopes: [] } as const;
      const { text, address, document } = createApiKey(request, systemClock, systemIds);
      for (const write of [await store.put(gameAddress(game), settings, 0), await store.put(address, document, 0)]) {
        if (write.kind !== 'written') throw new BenchError(`the game ${game} could not be created: ${write.kind}`);
      }
      keys.push(text);
    }
  });
  for (const key of keys) await awaitKey(service, key, signal);
  return keys;
}

async function awaitKey({ baseUrl }: LocalService, key: string, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < untilMs) {
    const response = await fetch(`${baseUrl}/v1/segments/segments`, { headers: { 'X-API-Key': key }, signal });
    await response.arrayBuffer();
    if (response.ok) return;
    await sleep(CHECK_MS, undefined, { signal });
  }
  throw new BenchError(`the service did not accept a key within ${TIMEOUT_MS / 1000} s`);
}
