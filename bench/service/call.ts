import type { Service } from './service.ts';

/** How long one call of the preparation may take. */
const TIMEOUT_MS = 30_000;

/**
 * One request with the service's key. Throws for any answer but a success, with what it said: a bench that cannot
 * prepare what it measures has nothing to measure.
 */
export async function call(service: Service, method: 'GET' | 'POST', path: string, body?: string): Promise<string> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'X-API-Key': service.key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}
