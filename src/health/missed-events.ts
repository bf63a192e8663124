import type { Analytics } from '../../clickhouse-schema/queries/analytics.ts';
import type { LostEvents } from '../../streams/live-feed.ts';
import { EVENT_QUERY_LIMITS } from '../../clickhouse-schema/queries/events/limits.ts';

/** Counts a reader's events that are in ClickHouse but no longer in FACTS; `undefined` if ClickHouse cannot answer. */
export async function countMissedEvents(
  analytics: Analytics,
  { request, created, from, beforeSequence }: LostEvents,
): Promise<number | undefined> {
  // The clocks of broker and gateways differ by less than the margin.
  const receivedFromMs = Date.parse(created) - EVENT_QUERY_LIMITS.resultsMarginMs;
  const result = await analytics.missedEvents({ ...request, receivedFromMs, from, beforeSequence });
  return result.kind === 'answered' ? result.value : undefined;
}
