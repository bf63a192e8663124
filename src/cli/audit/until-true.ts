import { setTimeout as delay } from 'node:timers/promises';

const AGAIN_MS = 500;

/** Asks again until the answer is true, at most for `waitMs`. @returns the last answer */
export async function untilTrue(isTrue: () => Promise<boolean>, waitMs: number): Promise<boolean> {
  const untilMs = performance.now() + waitMs;
  while (!(await isTrue())) {
    if (performance.now() >= untilMs) return false;
    await delay(AGAIN_MS);
  }
  return true;
}
