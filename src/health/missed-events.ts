import type { Analytics } from '../../clickhouse-schema/queries/analytics.ts';
import type { LostEvents } from '../../streams/live-feed.ts';
import { LIMITS } from '../../core/kernel/limits.ts';

/** Counts a reader's events that are in ClickHouse but no longer in FACTS; `undefined` if ClickHouse cannot answer. */
export async function countMissedEvents(
  analytics: Analytics,
  { request, created, from, beforeSequence }: LostEvents,
): Promise<number | undefined> {
  // The clocks of broker and gateways differ by less than the margin.
  const receivedFromMs = Date.parse(created) - LIMITS.resultsMarginMs;
  const result = await analytics.missedEvents({ ...request, receivedFromMs, from, beforeSequence });
  return result.kind === 'answered' ? result.value : undefined;
}
