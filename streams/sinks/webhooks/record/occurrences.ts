import { webhookMembers } from '../../../../core/vocabulary/facts/event-json.ts';
import { NEW_CONTEXT } from '../../../../core/vocabulary/facts/event-context.ts';
import type { SegmentEntered, SegmentExited, Fact } from '../../../../core/vocabulary/facts/facts.ts';
import type { GuestReleased, PlayerAbsorbed } from '../../../../core/vocabulary/merge/merge-facts.ts';
import type { FlagExposed, GuardrailTripped } from '../../../../core/vocabulary/facts/flag-facts.ts';
import { messageJson, type RenderedMessage } from '../../../../core/vocabulary/message.ts';
import type { InterventionTriggered } from '../../../../core/vocabulary/facts/campaign-facts.ts';
import type { PlayerView } from '../../../../core/vocabulary/state/player.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';
import type { WebhookKind } from '../../../../core/vocabulary/documents/webhook-kinds.ts';
import { churnData } from './churn-data.ts';
import { ofFact, type AnyOccurrence, type SampleBase } from './fact-occurrence.ts';
import { playerData } from './player-data.ts';

/*
 * Maps webhook kinds to facts, with each payload's `data` and a sample for test deliveries. A kind of the catalogue
 * (core/vocabulary/documents/webhook-kinds.ts) without an entry does not compile.
 */

/** A fact in the terms of the webhook contract. */
export interface Occurrence {
  type: WebhookKind;
  /** Time of occurrence, epoch milliseconds: an event's own timestamp, else the receive time. */
  timestamp: number;
  /** The payload's `data`. Called only when a webhook matches. */
  data: () => JsonText;
}

/** Kinds with a fixed name; a tracked event has the kind `event.<its name>`. */
type NamedKind = Exclude<WebhookKind, `event.${string}`>;

const NAMED: Readonly<Record<NamedKind, AnyOccurrence>> = {
  'player.created': ofFact('PlayerRegistered', {
    timestamp: ({ at }) => at,
    data: ({ player }) => playerData(player, []),
    sample: (base) => ({ ...base, kind: 'PlayerRegistered', player: samplePlayer(base) }),
  }),
  'player.updated': ofFact('PlayerUpdated', {
    timestamp: ({ at }) => at,
    data: ({ player, changed }) => playerData(player, changed),
    sample: (base) => ({ ...base, kind: 'PlayerUpdated', player: samplePlayer(base), changed: ['attributes'] }),
  }),
  'player.lifecycle_changed': ofFact('LifecycleChanged', {
    timestamp: ({ changedAt }) => changedAt,
    data: (fact) =>
      JSON.stringify({
        player_id: fact.entityId,
        external_id: fact.externalId,
        from: fact.from,
        to: fact.to,
        changed_at: new Date(fact.changedAt).toISOString(),
      }),
    sample: (base) => ({ ...base, kind: 'LifecycleChanged', from: 'new', to: 'active', changedAt: base.at }),
  }),
  // Memberships that follow from imported history are not reported.
  'player.segment_entered': ofFact('SegmentEntered', {
    isReported: ({ imported }) => imported !== true,
    timestamp: ({ at }) => at,
    data: segmentData,
    sample: (base) => ({ ...base, ...SAMPLE_SEGMENT, kind: 'SegmentEntered' }),
  }),
  'player.segment_exited': ofFact('SegmentExited', {
    isReported: ({ imported }) => imported !== true,
    timestamp: ({ at }) => at,
    data: segmentData,
    sample: (base) => ({ ...base, ...SAMPLE_SEGMENT, kind: 'SegmentExited' }),
  }),
  'player.merged': ofFact('PlayerAbsorbed', {
    timestamp: ({ mergedAt }) => mergedAt,
    data: (fact) => JSON.stringify({ ...mergeData(fact), merged_at: new Date(fact.mergedAt).toISOString() }),
    sample: (base) => ({
      ...base,
      ...SAMPLE_MERGE,
      kind: 'PlayerAbsorbed',
      mergedAt: base.at,
      guest: new Uint8Array(),
    }),
  }),
  'player.unmerged': ofFact('GuestReleased', {
    // Without a guest, the account had not absorbed it: the merge was cancelled.
    isReported: ({ guest }) => guest.length > 0,
    timestamp: ({ at }) => at,
    data: (fact) => JSON.stringify(mergeData(fact)),
    sample: (base) => ({ ...base, ...SAMPLE_MERGE, kind: 'GuestReleased', guest: new Uint8Array(1) }),
  }),
  // Reported per exposure, not per evaluation: once per player, flag, period and variant.
  'flag.evaluated': ofFact('FlagExposed', {
    timestamp: ({ at }) => at,
    data: evaluationData,
    sample: (base) => ({
      ...base,
      kind: 'FlagExposed',
      flagKey: 'sample_flag',
      flagVersion: 1,
      period: 1,
      attribution: 'served',
      variantKey: null,
      value: 'true',
      reason: 'default',
    }),
  }),
  'experiment.guardrail': ofFact('GuardrailTripped', {
    timestamp: ({ at }) => at,
    data: guardrailData,
    sample: (base) => ({
      ...base,
      entityId: 'ledger:sample',
      kind: 'GuardrailTripped',
      experiment: 'sample_experiment',
      flagKey: 'sample_flag',
      version: 2,
      state: 'stopped',
      phase: 1,
      variant: 'true',
      metric: '{"aggregate":"revenue"}',
      worse: 'lower',
      margin: 0,
      action: 'roll_back',
      lift: -0.05,
      low: -0.07,
      high: -0.03,
    }),
  }),
  'campaign.triggered': ofFact('InterventionTriggered', {
    timestamp: ({ at }) => at,
    data: triggeredData,
    sample: (base) => ({
      ...base,
      kind: 'InterventionTriggered',
      campaignId: 'cmp_00000000-0000-7000-8000-000000000000',
      campaignKey: 'sample_campaign',
      campaignVersion: 1,
      interventionId: 'int_00000000-0000-7000-8000-000000000000',
      expiresAt: base.at,
      cause: 'event:sample_event',
      variant: 'a',
      message: SAMPLE_MESSAGE,
    }),
  }),
  // The end of a high risk is not reported.
  'churn.risk_high': ofFact('ChurnRiskChanged', {
    isReported: ({ high }) => high,
    timestamp: ({ at }) => at,
    data: churnData,
    sample: (base) => ({
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
  }),
};

const TRACKED = ofFact('EventTracked', {
  timestamp: ({ timestamp }) => timestamp,
  data: ({ entityId: playerId, externalId, eventName, properties }) =>
    `{${webhookMembers({ playerId, externalId, eventName, properties })}}`,
  sample: (base) => sampleEvent(base, SAMPLE_EVENT),
});

const BY_FACT: ReadonlyMap<Fact['kind'], readonly [NamedKind, AnyOccurrence]> = new Map(
  Object.keys(NAMED)
    .filter(isNamed)
    .map((type) => [NAMED[type].fact, [type, NAMED[type]]]),
);

/** The report of this fact; `undefined`: webhooks do not report it. */
export function occurrenceOf(fact: Fact): Occurrence | undefined {
  if (fact.kind === 'EventTracked') return withType(`event.${fact.eventName}`, TRACKED.read(fact));
  const named = BY_FACT.get(fact.kind);
  return named === undefined ? undefined : withType(named[0], named[1].read(fact));
}

function withType(type: WebhookKind, read: ReturnType<AnyOccurrence['read']>): Occurrence | undefined {
  return read === undefined ? undefined : { type, ...read };
}

/** Whether a text is a kind of the catalogue other than an event. */
export function isNamed(kind: string): kind is NamedKind {
  return Object.hasOwn(NAMED, kind);
}

/** A sample fact of the kind. */
export function sampleOf(kind: NamedKind, base: SampleBase): Fact {
  return NAMED[kind].sample(base);
}

export const SAMPLE_EVENT = 'sample_event';

/** A sample event of the name. */
export function sampleEvent(base: SampleBase, eventName: string) {
  return {
    ...base,
    kind: 'EventTracked',
    eventId: 'sample',
    remember: false,
    eventName,
    properties: '{"sample":true}',
    sessionId: null,
    timestamp: base.at,
    ...NEW_CONTEXT,
  } as const;
}

const SAMPLE_SEGMENT = { segmentId: 'seg_00000000-0000-7000-8000-000000000000', segmentKey: 'sample_segment' };

const SAMPLE_MERGE = {
  mergeId: 'mrg_00000000-0000-7000-8000-000000000000',
  guestId: '00000000-0000-5000-8000-000000000000',
  guestExternalId: 'sample_guest',
};

function mergeData({ entityId, externalId, guestId, guestExternalId, mergeId }: PlayerAbsorbed | GuestReleased) {
  return {
    player_id: entityId,
    external_id: externalId,
    guest_id: guestId,
    guest_external_id: guestExternalId,
    merge_id: mergeId,
  };
}

function samplePlayer({ entityId: id, externalId, at }: SampleBase): PlayerView {
  return {
    id,
    externalId,
    deviceId: null,
    email: null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    isTestPlayer: false,
    firstSeenAt: at,
    lastSeenAt: at,
    attributes: '{"sample":true}',
  };
}

function segmentData(fact: SegmentEntered | SegmentExited): JsonText {
  return JSON.stringify({
    player_id: fact.entityId,
    external_id: fact.externalId,
    segment_id: fact.segmentId,
    segment_key: fact.segmentKey,
  });
}

/** The API's flag evaluation, and the version of the flag. `value` is spliced in, as it is JSON text already. */
function evaluationData(fact: FlagExposed): JsonText {
  const { entityId, externalId, flagKey, flagVersion, value, variantKey, reason, segmentId } = fact;
  const before = JSON.stringify({ player_id: entityId, external_id: externalId, flag_key: flagKey });
  // JSON.stringify omits an undefined segment_id.
  const after = JSON.stringify({ variant_key: variantKey, reason, segment_id: segmentId, flag_version: flagVersion });
  return `${before.slice(0, -1)},"value":${value},${after.slice(1)}`;
}

/** `content` is spliced in; null if it was too large to be kept. */
function triggeredData(fact: InterventionTriggered): JsonText {
  const { message, heldUntil } = fact;
  const about = JSON.stringify({
    player_id: fact.entityId,
    external_id: fact.externalId,
    campaign_id: fact.campaignId,
    campaign_key: fact.campaignKey,
    campaign_version: fact.campaignVersion,
    intervention_id: fact.interventionId,
    cause: fact.cause,
    variant: fact.variant ?? null,
    locale: message?.locale ?? null,
    held_until: heldUntil === undefined ? null : new Date(heldUntil).toISOString(),
    expires_at: new Date(fact.expiresAt).toISOString(),
  });
  return `${about.slice(0, -1)},"content":${message === undefined ? 'null' : messageJson(message)}}`;
}

const SAMPLE_MESSAGE: RenderedMessage = {
  title: 'Stuck?',
  body: 'Here is a hint.',
  cta: '',
  image: null,
  deepLink: 'game://hints',
  data: '{"reward":"life"}',
  buttons: [{ id: 'take', label: 'Take it', action: 'game://hints' }],
  locale: 'de',
};

/** `metric` is spliced in, as it is JSON text already. */
function guardrailData(fact: GuardrailTripped): JsonText {
  const { experiment, flagKey, version, state, phase, variant, worse, margin, action, lift, low, high } = fact;
  const of = { experiment_key: experiment, flag_key: flagKey, version, state, phase, variant_key: variant };
  const before = JSON.stringify(of);
  return `${before.slice(0, -1)},"metric":${fact.metric},${JSON.stringify({ worse, margin, action, lift, low, high }).slice(1)}`;
}
