import { describe, expect, it } from 'vitest';
import type { ChurnRiskChanged, Fact, SegmentEntered } from '../../../../core/vocabulary/facts/facts.ts';
import type { FlagExposed } from '../../../../core/vocabulary/facts/flag-facts.ts';
import { SAMPLES } from '../../../../test/fixtures/codec/samples.ts';
import { occurrenceOf } from './occurrences.ts';

const AT = Date.UTC(2026, 0, 15, 10, 30);
const ENTERED: SegmentEntered = {
  kind: 'SegmentEntered',
  game: 'demo',
  environment: 'live',
  entityId: '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
  at: AT,
  segmentId: 'seg_1',
  segmentKey: 'whales "big"',
  externalId: 'ext-1',
};
const EXPOSED: FlagExposed = {
  kind: 'FlagExposed',
  game: 'demo',
  environment: 'live',
  entityId: ENTERED.entityId,
  at: AT,
  flagKey: 'shop.layout',
  flagVersion: 3,
  period: 1,
  attribution: 'served',
  variantKey: 'wide',
  value: '{"columns":4,"__proto__":{"x":1}}',
  reason: 'percentage_rollout',
  externalId: 'ext-1',
};

/** The kind, time and data that a webhook receives for a fact. */
function reported(fact: Fact): [string | undefined, number | undefined, unknown] {
  const occurrence = occurrenceOf(fact);
  return [occurrence?.type, occurrence?.timestamp, JSON.parse(occurrence?.data() ?? 'null')];
}

describe('webhook payloads of segments and flags', () => {
  it('an entry is player.segment_entered, an exit player.segment_exited: segment_id and segment_key', () => {
    const data = {
      player_id: ENTERED.entityId,
      external_id: 'ext-1',
      segment_id: 'seg_1',
      segment_key: 'whales "big"',
    };
    expect(reported(ENTERED)).toEqual(['player.segment_entered', AT, data]);
    expect(reported({ ...ENTERED, kind: 'SegmentExited' })).toEqual(['player.segment_exited', AT, data]);
  });

  it('an exposure is flag.evaluated: the evaluation, its value as JSON', () => {
    const [type, timestamp, data] = reported(EXPOSED);
    expect([type, timestamp]).toEqual(['flag.evaluated', AT]);
    expect(data).toEqual({
      player_id: ENTERED.entityId,
      external_id: 'ext-1',
      flag_key: 'shop.layout',
      value: JSON.parse('{"columns":4,"__proto__":{"x":1}}'),
      variant_key: 'wide',
      reason: 'percentage_rollout',
      flag_version: 3,
    });
    expect(occurrenceOf(EXPOSED)?.data()).toContain('"__proto__":{"x":1}');
  });

  it('an exposure through a segment has the segment’s id; a boolean has no variant', () => {
    const fact: FlagExposed = {
      ...EXPOSED,
      variantKey: null,
      value: 'true',
      reason: 'segment_match',
      segmentId: 'seg_1',
    };
    expect(reported(fact)[2]).toMatchObject({
      value: true,
      variant_key: null,
      reason: 'segment_match',
      segment_id: 'seg_1',
    });
  });

  it('a high churn risk is churn.risk_high: the risk and external_id; its end is not reported', () => {
    const churned: ChurnRiskChanged = {
      kind: 'ChurnRiskChanged',
      game: 'demo',
      environment: 'live',
      entityId: ENTERED.entityId,
      at: AT,
      high: true,
      risk: {
        score: 7_600,
        level: 'high',
        factors: [
          { factor: 'session_decline', description: 'Fewer.', contribution: 3_500 },
          { factor: 'playtime_decline', description: 'Shorter.', contribution: 2_500 },
          { factor: 'inactivity', description: 'Last active 6 days ago.', contribution: 1_600 },
        ],
        confidence: 90,
        predictedAt: AT,
      },
      externalId: 'ext-1',
    };
    const data = {
      player_id: ENTERED.entityId,
      external_id: 'ext-1',
      risk_score: 0.76,
      risk_level: 'high',
      factors: [
        { factor: 'session_decline', description: 'Fewer.', contribution: 0.35 },
        { factor: 'playtime_decline', description: 'Shorter.', contribution: 0.25 },
        { factor: 'inactivity', description: 'Last active 6 days ago.', contribution: 0.16 },
      ],
      prediction_date: '2026-01-15T10:30:00.000Z',
      confidence: 0.9,
    };
    expect(reported(churned)).toEqual(['churn.risk_high', AT, data]);
    expect(occurrenceOf({ ...churned, high: false })).toBeUndefined();
  });

  it('timers, overrides, stored results and quarantined events are not reported', () => {
    const base = { game: 'demo', environment: 'live', entityId: ENTERED.entityId, at: AT } as const;
    expect(occurrenceOf({ ...base, kind: 'SegmentsScheduled', dueAt: 5 })).toBeUndefined();
    expect(occurrenceOf({ ...base, kind: 'LifecycleScheduled', dueAt: 5 })).toBeUndefined();
    expect(
      occurrenceOf({ ...base, kind: 'FlagOverridden', externalId: 'ext-1', flagKey: 'x', value: 'true' }),
    ).toBeUndefined();
    expect(occurrenceOf(SAMPLES.facts.EventQuarantined)).toBeUndefined();
  });
});

describe('webhook payloads of campaigns', () => {
  it('an intervention is campaign.triggered, with its whole message; its later facts are not reported', () => {
    const about = {
      game: 'demo',
      environment: 'live',
      entityId: ENTERED.entityId,
      at: AT,
      campaignId: 'cmp_1',
      campaignKey: 'comeback',
      campaignVersion: 1,
      externalId: 'ext-1',
    } as const;
    const given = { ...about, interventionId: 'int_1', expiresAt: AT + 1, cause: 'churn:high' };
    const buttons = [{ id: 'take', label: 'Take', action: 'dismiss' }];
    const texts = { title: 'Hi', body: 'x', cta: '', image: null, buttons };
    const message = { ...texts, deepLink: 'game://a', data: '{"__proto__":{"coins":5}}', locale: 'de' };
    const data = {
      player_id: ENTERED.entityId,
      external_id: 'ext-1',
      campaign_id: 'cmp_1',
      campaign_key: 'comeback',
      campaign_version: 1,
      intervention_id: 'int_1',
      cause: 'churn:high',
      variant: null,
      locale: null,
      held_until: null,
      expires_at: '2026-01-15T10:30:00.001Z',
      content: null,
    };
    expect(reported({ ...given, kind: 'InterventionTriggered' })).toEqual(['campaign.triggered', AT, data]);
    const held = { variant: 'b', heldUntil: AT + 60_000, message };
    expect(reported({ ...given, kind: 'InterventionTriggered', ...held })).toEqual([
      'campaign.triggered',
      AT,
      {
        ...data,
        variant: 'b',
        locale: 'de',
        held_until: '2026-01-15T10:31:00.000Z',
        content: { ...texts, deep_link: 'game://a', data: JSON.parse('{"__proto__":{"coins":5}}') },
      },
    ]);
    const suppressed = { ...about, kind: 'InterventionSuppressed', reason: 'holdout', cause: 'churn:high' } as const;
    const offered = { ...about, kind: 'InterventionOffered', interventionId: 'int_1', sessionId: 's' } as const;
    expect([occurrenceOf(suppressed), occurrenceOf(offered)]).toEqual([undefined, undefined]);
  });
});
