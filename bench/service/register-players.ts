import { call } from './call.ts';
import type { Service } from './service.ts';

const AT_ONCE = 64;
const COUNTRIES = ['SE', 'DE', 'US', 'BR', 'JP', 'KR', 'PL'];

/**
 * Registers `count` players, always the same ones, so that a second run against a deployment adds none.
 * @returns their ids
 */
export async function registerPlayers(service: Service, count: number, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  async function registerSome(): Promise<void> {
    while (next < count) {
      signal.throwIfAborted();
      const index = next++;
      const text = await call(service, 'POST', '/v1/players/players', JSON.stringify(playerOf(index)));
      const answer: { data: { id: string } } = JSON.parse(text);
      ids[index] = answer.data.id;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, registerSome));
  return ids;
}

/** What the bench's player of that number is registered with. */
export function playerOf(index: number) {
  return {
    external_id: `bench-${index}`,
    device_id: `device-${index}`,
    attributes: {
      level: index % 60,
      country: COUNTRIES[index % COUNTRIES.length],
      language: 'en',
      is_vip: index % 50 === 0,
    },
  };
}
