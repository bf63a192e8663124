import { setTimeout as sleep } from 'node:timers/promises';
import type { Arrivals } from './arrivals.ts';
import type { Observer } from './own-helper.ts';

/** How long the last arrivals are waited for before they count as missing. */
const TIMEOUT_MS = 30_000;
const LOOK_MS = 100;
/** Long enough for what comes twice to show. */
const SETTLE_MS = 500;

/** Waits until an observer has noted so many arrivals, or the time is over. @returns all it noted, which it then forgets */
export async function awaitArrivals(observer: Observer, wanted: number, signal: AbortSignal): Promise<Arrivals> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while ((await observer.count()) < wanted && performance.now() < untilMs) await sleep(LOOK_MS, undefined, { signal });
  await sleep(SETTLE_MS, undefined, { signal });
  return observer.take();
}
