import { type AnswerOf, type BodyOf, call, type Scope } from '../api.ts';

type Body = BodyOf<'POST /v1/analytics/queries'>;

/** Queries at once: a game has four in a process, and others ask too. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Asks the query API; several questions of one screen take turns, so that none is refused. */
export async function ask(
  scope: Scope,
  body: Body,
  signal: AbortSignal,
): Promise<AnswerOf<'POST /v1/analytics/queries'>> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => void waiting.push(resolve));
  running += 1;
  try {
    signal.throwIfAborted();
    return await call(scope, 'POST /v1/analytics/queries', { body, signal });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
