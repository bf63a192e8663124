import { type AnswerOf, type BodyOf, call, type Scope } from '../frame/api.ts';

type Body = BodyOf<'POST /v1/analytics/queries'>;

/** Concurrent queries of a browser tab. The service allows four for each game and process, also for other callers. */
const MOST_CONCURRENT = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Sends a query to the service. Queries of one screen wait for each other, so that none is refused. */
export async function ask(
  scope: Scope,
  body: Body,
  signal: AbortSignal,
): Promise<AnswerOf<'POST /v1/analytics/queries'>> {
  if (running >= MOST_CONCURRENT) await new Promise<void>((resolve) => void waiting.push(resolve));
  running += 1;
  try {
    signal.throwIfAborted();
    return await call(scope, 'POST /v1/analytics/queries', { body, signal });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
