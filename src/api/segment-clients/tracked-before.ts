import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Tracking } from './ingest-plan.ts';

/**
 * The events that their anonymous player has tracked already. The question to its owner is the release of a quarantined
 * event that does not exist: that changes nothing, and the reply is `duplicate` if an event with the id was accepted.
 */
export async function trackedBefore(
  events: readonly Tracking[],
  { services, origin, key }: RequestContext,
): Promise<ReadonlySet<Tracking> | Failure> {
  const known = new Set<Tracking>();
  const asked = events.filter(({ earlier }) => earlier !== undefined);
  if (asked.length === 0) return known;
  const groups = [...Map.groupBy(asked, ({ earlier = '' }) => services.backend.partitionOf(earlier)).values()];
  const replies = await Promise.all(
    groups.map((group) => {
      const items = group.map(({ item, earlier = '' }, index) => question(item, earlier, index, key.kind));
      return services.backend.send(origin, items[0]?.playerId ?? '', { kind: 'TrackEvents', items });
    }),
  );
  for (const [place, reply] of replies.entries()) {
    if (reply.kind === 'failure') return reply;
    if (reply.kind !== 'tracked') throw new Error(`events were answered with ${reply.kind}`);
    for (const { index, status } of reply.results) {
      const event = groups[place]?.[index];
      if (status !== 'duplicate' || event === undefined) continue;
      known.add(event);
      if (event.type !== undefined) services.metrics.segmentMessages.inc({ type: event.type, outcome: status });
    }
  }
  return known;
}

function question(item: TrackItem, playerId: string, index: number, by: CallerKind): TrackItem {
  const { quarantine: _, ...event } = item;
  return { ...event, index, playerId, properties: '{}', release: { ...NEVER_QUARANTINED, by } };
}

/** Numbers of quarantined events count from 1 for each player. */
const NEVER_QUARANTINED = { number: Number.MAX_SAFE_INTEGER, quarantinedAt: 0 };
