import { runHelper } from '../helpers/run-helper.ts';
import type { EventLoadResult, EventLoadSpec } from './event-load-main.ts';

const SCRIPT = new URL('./event-load-main.ts', import.meta.url);

/** Tracks numbered events from a process of its own. Throws when that fails or the signal comes. */
export async function runEventLoad(spec: EventLoadSpec, signal: AbortSignal): Promise<EventLoadResult> {
  const result: EventLoadResult = JSON.parse(await runHelper(SCRIPT, spec, signal));
  return result;
}
