import { BenchError } from '../bench.ts';
import type { Service } from '../service/service.ts';
import { times } from '../figures/statistics.ts';

/* Requests that prepare what is measured. */

/** How long one request may take. */
const TIMEOUT_MS = 30_000;
/** Characters of an unexpected answer that are shown. */
const SHOWN = 500;

/** One request with the service's key. Throws for any answer but a success, with the answer. */
export async function call(
  { baseUrl, key }: Pick<Service, 'baseUrl' | 'key'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: string,
): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(baseUrl + path, {
      method,
      headers: {
        'X-API-Key': key,
        ...(method === 'PUT' ? { 'If-Match': '*' } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new BenchError(`${baseUrl} did not answer: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (response.status < 300) return text;
  throw new BenchError(`${method} ${path} was answered ${response.status}: ${text.slice(0, SHOWN)}`);
}

/** Creates what the body describes. @returns the answer as JSON text */
export function create(service: Pick<Service, 'baseUrl' | 'key'>, path: string, body: object): Promise<string> {
  return call(service, 'POST', path, JSON.stringify(body));
}

/** Creates a webhook for tracked events that pass its filters. */
export async function createWebhook(
  service: Pick<Service, 'baseUrl' | 'key'>,
  url: string,
  filters: object,
): Promise<void> {
  await create(service, '/v1/integrations/webhooks', {
    name: 'bench',
    url,
    events: ['event.*'],
    enabled: true,
    filters,
  });
}

const AT_ONCE = 64;
const COUNTRIES = ['SE', 'DE', 'US', 'BR', 'JP', 'KR', 'PL'];

/** Works on all items, at most so many at a time. Throws on the signal. */
export async function eachOf<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  const left = items.values();
  async function workOnSome(): Promise<void> {
    for (const item of left) {
      signal.throwIfAborted();
      await work(item);
    }
  }
  await Promise.all(times(atOnce, workOnSome));
}

/** Registers `count` players, always the same ones: a second run against a deployment adds none. @returns their ids */
export async function registerPlayers(service: Service, count: number, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  const numbers = times(count, (index) => index);
  await eachOf(numbers, signal, async (index) => {
    const answer: { data: { id: string } } = JSON.parse(await create(service, '/v1/players/players', playerOf(index)));
    ids[index] = answer.data.id;
  });
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
