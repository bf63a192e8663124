import type { Platform } from '../platform.ts';

/*
 * The time of events: the device's clock, made steady and moved to the service's.
 *
 * Invariants
 * 1. Within a run the time never follows the device's clock backwards.
 * 2. A device's clock ahead of the steady one slept or was set forward. It is followed; if it was set, the next answer
 *    of the service corrects it.
 */

export interface DeviceClock {
  /** The device's time, ms since 1970, steady but not corrected. */
  rawMs(): number;
  /** The time of an event now: the service's as soon as it is known. */
  now(): { atMs: number; corrected: boolean };
  /** What to add to `rawMs` to get the service's time; undefined until the service answered. */
  offsetMs(): number | undefined;
  /** Sets the offset from a time of the service and the raw time at which it was taken. */
  correct(serverMs: number, rawMs: number): void;
  /** Sets the offset only if the service's time, known to the second, differs by more than its imprecision. */
  compare(serverMs: number, rawMs: number): void;
}

/** A forward step beyond this is followed: timers and requests never take it, sleep does. */
const STEP_MS = 2000;
/** The header `Date` counts whole seconds, and a request has its way to go. */
const IMPRECISION_MS = 5000;

export function createDeviceClock({ wallMs, steadyMs }: Pick<Platform, 'wallMs' | 'steadyMs'>): DeviceClock {
  let anchorWallMs = wallMs();
  let anchorSteadyMs = steadyMs();
  let offset: number | undefined;

  function rawMs(): number {
    const nowMs = steadyMs();
    const expectedMs = anchorWallMs + (nowMs - anchorSteadyMs);
    const deviceMs = wallMs();
    if (deviceMs - expectedMs <= STEP_MS) return Math.round(expectedMs);
    anchorWallMs = deviceMs;
    anchorSteadyMs = nowMs;
    return Math.round(deviceMs);
  }

  return {
    rawMs,
    now: () => ({ atMs: rawMs() + (offset ?? 0), corrected: offset !== undefined }),
    offsetMs: () => offset,
    correct(serverMs, atMs) {
      offset = Math.round(serverMs - atMs);
    },
    compare(serverMs, atMs) {
      if (offset === undefined || Math.abs(serverMs - atMs - offset) > IMPRECISION_MS) {
        offset = Math.round(serverMs - atMs);
      }
    },
  };
}
