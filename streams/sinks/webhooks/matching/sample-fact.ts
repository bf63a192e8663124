import type { Fact } from '../../../../actors/vocabulary/facts.ts';
import type { WebhookKind } from '../../../config/webhook-kinds.ts';
import type { PlayerView } from '../../../../actors/vocabulary/player.ts';

/** A player nobody registered. */
const PLAYER_ID = '00000000-0000-4000-8000-000000000000';
const EXTERNAL_ID = 'sample-player';
const SAMPLE_EVENT = 'sample_event';

/**
 * A fact that never happened, of the first kind a webhook asks for, so that a test delivery has the shape of real ones.
 * @param events patterns as in the webhook's definition
 * @param at epoch milliseconds
 */
export function sampleFact(events: readonly string[], game: string, environment: 'live' | 'test', at: number): Fact {
  const kind = firstKind(events[0] ?? '*');
  const base = { game, environment, entityId: PLAYER_ID, at, externalId: EXTERNAL_ID };
  const [, eventName] = /^event\.(.*)$/s.exec(kind) ?? [];
  if (eventName !== undefined) return eventOf(base, eventName);
  return (SAMPLES.get(kind) ?? ((some) => eventOf(some, SAMPLE_EVENT)))(base);
}

type Base = Pick<Extract<Fact, { kind: 'EventTracked' }>, 'game' | 'environment' | 'entityId' | 'at' | 'externalId'>;

/** A wildcard stands for a kind under it, a bare name for its event. */
function firstKind(pattern: string): string {
  if (pattern === '*' || pattern === 'event.*') return `event.${SAMPLE_EVENT}`;
  if (pattern === 'player.*') return 'player.created';
  return pattern.startsWith('event.') || SAMPLES.has(pattern) ? pattern : `event.${pattern}`;
}

function eventOf(base: Base, eventName: string): Fact {
  return {
    ...base,
    kind: 'EventTracked',
    eventId: 'sample',
    remember: false,
    eventName,
    properties: '{"sample":true}',
    sessionId: null,
    timestamp: base.at,
    lifecycleStage: 'new',
    isPayer: false,
    country: '',
  };
}

function playerOf({ entityId: id, externalId, at }: Base): PlayerView {
  return {
    id,
    externalId,
    deviceId: null,
    email: null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    firstSeenAt: at,
    lastSeenAt: at,
    attributes: '{"sample":true}',
  };
}

const SEGMENT = { segmentId: 'seg_00000000-0000-7000-8000-000000000000', segmentKey: 'sample_segment' };

/** Every kind of the catalogue but events. */
const SAMPLES: ReadonlyMap<string, (base: Base) => Fact> = new Map(
  Object.entries({
    'player.created': (base) => ({ ...base, kind: 'PlayerRegistered', player: playerOf(base) }),
    'player.updated': (base) => ({ ...base, kind: 'PlayerUpdated', player: playerOf(base), changed: ['attributes'] }),
    'player.lifecycle_changed': (base) => ({
      ...base,
      kind: 'LifecycleChanged',
      from: 'new',
      to: 'active',
      changedAt: base.at,
    }),
    'player.segment_entered': (base) => ({ ...base, ...SEGMENT, kind: 'SegmentEntered' }),
    'player.segment_exited': (base) => ({ ...base, ...SEGMENT, kind: 'SegmentExited' }),
    'flag.evaluated': (base) => ({
      ...base,
      kind: 'FlagExposed',
      flagKey: 'sample_flag',
      flagVersion: 1,
      variantKey: null,
      value: 'true',
      reason: 'default',
    }),
    'campaign.triggered': (base) => ({
      ...base,
      kind: 'InterventionTriggered',
      campaignId: 'cmp_00000000-0000-7000-8000-000000000000',
      campaignKey: 'sample_campaign',
      campaignVersion: 1,
      interventionId: 'int_00000000-0000-7000-8000-000000000000',
      expiresAt: base.at,
      cause: 'event:sample_event',
    }),
    'churn.risk_high': (base) => ({
      ...base,
      kind: 'ChurnRiskChanged',
      high: true,
      risk: {
        score: 7_500,
        level: 'high',
        factors: [
          { factor: 'inactivity', description: 'No activity for 14 days.', contribution: 4_000 },
          { factor: 'session_decline', description: 'Sample.', contribution: 2_500 },
          { factor: 'playtime_decline', description: 'Sample.', contribution: 1_000 },
        ],
        confidence: 90,
        predictedAt: base.at,
      },
    }),
  } satisfies Record<Exclude<WebhookKind, `event.${string}`>, (base: Base) => Fact>),
);
