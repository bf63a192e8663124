import { BenchError } from '../bench-error.ts';
import type { Service } from './service.ts';

/** How long one call of the preparation may take. */
const TIMEOUT_MS = 30_000;

/**
 * One request with the service's key. Throws for any answer but a success, with what it said: a bench that cannot
 * prepare what it measures has nothing to measure.
 */
export async function call(
  service: Service,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: string,
): Promise<string> {
  const { status, text } = await exchange(service, method, path, body);
  if (status >= 300) throw new BenchError(`${method} ${path} was answered ${status}: ${text.slice(0, SHOWN)}`);
  return text;
}

/** Characters of an unexpected answer that are shown. */
const SHOWN = 500;

async function exchange(
  { baseUrl, key }: Service,
  method: string,
  path: string,
  body: string | undefined,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new BenchError(`${baseUrl} did not answer: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
