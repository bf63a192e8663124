import type { ComputedValue } from '../../../core/vocabulary/documents/computed.ts';
import { NO_OLDER_EVENTS, type OlderEvents, type OpenSession } from '../../../core/vocabulary/state/player.ts';
import type { EntityState, LedgerState } from '../../../core/vocabulary/state/state.ts';

/** Objects, numbers and map slots of one entity, measured as about a kilobyte beside its texts. */
const ENTITY_BYTES = 1_000;
const KEY_BYTES = 400;
const RECENT_EVENT_BYTES = 280;
/** A block of older events beside its bytes. */
const BLOCK_BYTES = 250;
const COUNTER_BYTES = 200;
const MEMBERSHIP_BYTES = 150;
const FLAG_BYTES = 150;
const SERVED_BYTES = 400;
const SHARED_BYTES = 16;
const SESSION_BYTES = 400;
const DAY_BYTES = 16;
const RECORDED_BYTES = 120;
const CAMPAIGN_BYTES = 300;
const RANGE_BYTES = 40;
const COMPUTED_BYTES = 120;
const BUCKET_ITEM_BYTES = 9;
const PROPERTY_BYTES = 150;
const GUEST_BYTES = 400;
const MERGE_BYTES = 60;

/** Rough bytes of an entity in memory. */
export function stateBytes(state: EntityState): number {
  const keys = state.keys.reduce((sum, { reply }) => sum + KEY_BYTES + reply.length, 0);
  if (state.kind === 'ledger') {
    return ENTITY_BYTES + keys + (state.imports?.length ?? 0) * RECORDED_BYTES + propertiesBytes(state);
  }
  if (state.kind === 'merged') {
    const { guest, absorbed, refused } = state;
    return ENTITY_BYTES + keys + guest.length + (absorbed.length + refused.length) * MERGE_BYTES;
  }
  if (state.kind !== 'player') return ENTITY_BYTES + keys;
  const overrides = state.overrides.reduce((sum, { value }) => sum + FLAG_BYTES + value.length, 0);
  return (
    ENTITY_BYTES +
    keys +
    state.attributes.length +
    state.recentEvents.length * RECENT_EVENT_BYTES +
    olderEventsBytes(state.olderEvents) +
    state.counters.length * COUNTER_BYTES +
    (state.segments.length + (state.lists?.length ?? 0)) * MEMBERSHIP_BYTES +
    state.exposures.length * FLAG_BYTES +
    state.servedFlags.reduce((sum, { changes }) => sum + (changes === 0 ? SHARED_BYTES : SERVED_BYTES), 0) +
    overrides +
    state.sessions.reduce((sum, session) => sum + sessionBytes(session), 0) +
    state.activity.sessions.length * DAY_BYTES +
    (state.recordedSessions.length + state.recordedPurchases.length) * RECORDED_BYTES +
    (state.recordedRefunds?.length ?? 0) * RECORDED_BYTES +
    (state.interventions.length + state.campaignTallies.length) * CAMPAIGN_BYTES +
    state.quarantine.released.length * RANGE_BYTES +
    computedBytes(state.computed) +
    (state.absorbed?.length ?? 0) * GUEST_BYTES +
    (state.refused?.length ?? 0) * MERGE_BYTES
  );
}

function computedBytes(values: readonly ComputedValue[] = []): number {
  let bytes = 0;
  for (const { id, buckets } of values) {
    bytes += COMPUTED_BYTES + id.length + buckets.length * BUCKET_ITEM_BYTES;
    for (const item of buckets) if (typeof item === 'string') bytes += item.length;
  }
  return bytes;
}

function propertiesBytes({ properties }: LedgerState): number {
  return properties?.list.reduce((sum, { spec }) => sum + PROPERTY_BYTES + spec.length, 0) ?? 0;
}

function olderEventsBytes({ client, server }: OlderEvents = NO_OLDER_EVENTS): number {
  return [...client, ...server].reduce((sum, block) => sum + BLOCK_BYTES + block.length, 0);
}

function sessionBytes({ flagKeys, flags, achievements, platform, appVersion, build }: OpenSession): number {
  const texts = [...(flagKeys ?? []), ...achievements, platform ?? '', appVersion ?? '', build ?? ''];
  return texts.reduce((sum, text) => sum + text.length, SESSION_BYTES + flags.length * FLAG_BYTES);
}
