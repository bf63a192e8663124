import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until `condition` returns a truthy value and returns it; on a timeout throws an error that contains `what`.
 *
 * @param timeoutMs the patience on a machine with much other work; what is waited for takes a fraction of it
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = 40_000,
): Promise<NonNullable<T>> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadlineMs) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
    await delay(10);
  }
}
