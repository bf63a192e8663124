import { type Arbitrary, assert, boolean, constantFrom, integer, nat, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import { eventTracked } from '../../core/vocabulary/facts/event-tracked.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { memberOf, playerIdOf } from '../flags/evaluate/testing-flag.ts';
import { aPlayer } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { ask } from './campaign-steps.ts';
import { explainCampaign } from './explain-campaign.ts';
import { offerInterventions } from './offer.ts';
import { aCampaign, aSession, campaignSetOf, NOON, waiting } from './testing-campaign.ts';
import { triggerCampaigns } from './trigger-campaigns.ts';

function explained(
  some: Parameters<typeof aCampaign>[0] = {},
  of: Parameters<typeof aPlayer>[0] = {},
  properties?: Record<string, number>,
) {
  const [campaign] = campaignSetOf(aCampaign(some)).all;
  if (campaign === undefined) throw new Error('there is no campaign');
  return explainCampaign(ask(campaign, { player: aPlayer(of), nowMs: NOON, properties }, PLAYER_LIMITS));
}
const tally = {
  campaignId: aCampaign().id,
  day: 20_000,
  today: 1,
  lastAt: NOON - 1_000,
  suppressedAt: 0,
  suppressed: 0,
};

describe('explaining a campaign for a player', () => {
  it('says that the message is given if no check fails', () => {
    const { outcome, decidedBy, checks } = explained();
    expect([outcome, decidedBy, checks.every(({ passes }) => passes)]).toEqual(['given', undefined, true]);
  });

  it('names the first check that fails, and goes on with the others', () => {
    const found = explained(
      { caps: { total: 2, perDay: 1 }, cooldownSeconds: 60, quietHours: { from: '11:00', to: '13:00' } },
      { campaignTallies: [{ ...tally, total: 1, shown: 1 }] },
    );
    expect([found.outcome, found.decidedBy]).toEqual(['suppressed', 'cap_per_day']);
    expect(found.checks.filter(({ passes }) => passes === false)).toEqual([
      { check: 'cap_per_day', passes: false, value: 1, most: 1, until: 20_001 * DAY_MS },
      // The quiet hours hold the last one back until 13:00.
      { check: 'cooldown', passes: false, until: NOON + 3_660_000 },
    ]);
    // Quiet hours hold the message back.
    expect(found.checks.at(-1)).toEqual({ check: 'quiet_hours', passes: true, until: NOON + 3_600_000 });
  });

  it('says that the campaign does not concern a player outside of its audience or time', () => {
    expect(explained({ audience: 'seg_x' })).toMatchObject({ outcome: 'not_concerned', decidedBy: 'audience' });
    expect(explained({ enabled: false, endAt: 1 })).toMatchObject({ outcome: 'not_concerned', decidedBy: 'enabled' });
    expect(explained({ startAt: NOON + 1 })).toMatchObject({ outcome: 'not_concerned', decidedBy: 'started' });
    expect(explained({ holdoutPercentage: 100 })).toMatchObject({ outcome: 'suppressed', decidedBy: 'holdout' });
  });

  it('tells whether the conditions hold only with the properties of an event', () => {
    const trigger = { kind: 'event', event: 'level_failed', conditions: { 'properties.level': { $gte: 10 } } } as const;
    const check = (properties?: Record<string, number>) =>
      explained({ trigger }, {}, properties).checks.find(({ check: name }) => name === 'conditions')?.passes;
    expect([check(), check({ level: 9 }), check({ level: 10 })]).toEqual([undefined, false, true]);
  });

  it('says without an event that the conditions fail if they fail for every event', () => {
    const conditions = { is_payer: true, 'properties.level': { $gte: 10 } };
    const trigger = { kind: 'event', event: 'level_failed', conditions } as const;
    expect(explained({ trigger }, { isPayer: false })).toMatchObject({ decidedBy: 'conditions' });
    expect(explained({ trigger }, { isPayer: true })).toMatchObject({ outcome: 'given' });
  });
});

describe('decision and explanation agree for any campaign and player', () => {
  const cap = option(integer({ min: 1, max: 3 }), { nil: null });
  const time = (...some: number[]) => constantFrom(null, null, null, ...some);
  const level: JsonObject = { 'properties.level': { $gte: 10 } };
  const document = record({
    enabled: constantFrom(true, true, true, false),
    startAt: time(NOON, NOON + 1),
    endAt: time(NOON, NOON + 1),
    audience: constantFrom(null, 'seg_a'),
    trigger: constantFrom<JsonObject | undefined>(
      undefined,
      level,
      { is_payer: true },
      { ...level, is_payer: true },
      { $or: [level, { is_payer: true }] },
      { $not: level },
    ).map((conditions) => ({ kind: 'event', event: 'level_failed', ...(conditions && { conditions }) }) as const),
    caps: record({ total: cap, perDay: cap }),
    cooldownSeconds: constantFrom(0, 2, 60),
    holdoutPercentage: constantFrom(0, 0.5, 50, 99.99, 100),
    quietHours: constantFrom(null, { from: '11:00', to: '13:00' }, { from: '13:00', to: '14:00' }),
  });
  const count = integer({ min: 0, max: 25 });
  const waits = integer({ min: 0, max: PLAYER_LIMITS.interventionsPerPlayer });
  const who = record({ turn: nat(999), isPayer: boolean(), isMember: boolean(), given: count, others: count, waits });

  type Who = typeof who extends Arbitrary<infer Value> ? Value : never;

  /** The player with its tallies, and with interventions of the campaign that wait for the session. */
  function playerOf({ turn, isPayer, isMember, given: own, others, waits: waitingCount }: Who) {
    return aPlayer({
      id: playerIdOf(turn),
      isPayer,
      segments: isMember ? [memberOf('seg_a')] : [],
      interventions: Array.from({ length: waitingCount }, (_, n) =>
        waiting(n, { campaignId: aCampaign().id, createdAt: NOON - DAY_MS / 2, expiresAt: NOON + DAY_MS }),
      ),
      sessions: [aSession('ses_1', NOON - 1)],
      campaignTallies: [
        { ...tally, total: own, shown: own, today: own },
        { ...tally, campaignId: 'cmp_other', total: others, shown: others, today: others },
      ],
    });
  }

  it('when the trigger occurs', () => {
    assert(
      property(document, who, integer({ min: 9, max: 10 }), (some, about, reached) => {
        const player = playerOf(about);
        const set = campaignSetOf(aCampaign(some));
        const owner = given([player]);
        const context = { game: player.game, environment: player.environment, at: NOON };
        owner.draft.emit(eventOf(player, context, JSON.stringify({ level: reached })));
        const [campaign] = set.all;
        if (campaign === undefined) throw new Error('there is no campaign');
        const subject = { player: owner.player(player.id), nowMs: NOON };
        const explanation = explainCampaign(
          ask(campaign, { ...subject, properties: { level: reached } }, PLAYER_LIMITS),
        );
        const before = explainCampaign(ask(campaign, subject, PLAYER_LIMITS));

        triggerCampaigns(owner.draft, 0, set, context);
        const [, outcome, ...more] = owner.facts;
        expect(more).toEqual([]);
        expect(explanation.outcome).toBe(OUTCOMES.get(outcome?.kind) ?? outcome);
        expect(explanation.decidedBy).toBe(explanation.checks.find(({ passes }) => passes === false)?.check);
        if (outcome?.kind === 'InterventionSuppressed') expect(explanation.decidedBy).toBe(outcome.reason);
        // Without the event everything else is as with it, and the conditions are open or as they are.
        const conditions = before.checks.find(({ check }) => check === 'conditions')?.passes;
        expect(before.checks).toEqual(
          explanation.checks.map((one) =>
            one.check === 'conditions' ? { ...one, passes: conditions === undefined ? undefined : one.passes } : one,
          ),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('at delivery', () => {
    assert(
      property(document, who, (some, about) => {
        const player = playerOf({ ...about, waits: 1 });
        const set = campaignSetOf(aCampaign(some));
        const [campaign] = set.all;
        if (campaign === undefined) throw new Error('there is no campaign');
        const { checks } = explainCampaign(ask(campaign, { player, nowMs: NOON }, PLAYER_LIMITS));
        const failed = new Set(checks.filter(({ passes }) => passes === false).map(({ check }) => check));
        const isQuiet = checks.some(({ check, until }) => check === 'quiet_hours' && until !== undefined);
        const isHeldBack = isQuiet || failed.has('enabled') || failed.has('started') || failed.has('not_ended');
        const isIneligible = failed.has('audience') || failed.has('conditions');
        const reason = isIneligible ? 'not_eligible' : failed.has('holdout') ? 'holdout' : undefined;

        const { draft } = given([player]);
        const offered = offerInterventions(draft, player, 'ses_1', set, NOON);
        expect(offered).toHaveLength(isHeldBack || reason !== undefined ? 0 : 1);
        expect(draft.facts.map((fact) => ('reason' in fact ? fact.reason : fact.kind))).toEqual(
          isHeldBack ? [] : [reason ?? 'InterventionOffered'],
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

const OUTCOMES = new Map<string | undefined, string>([
  ['InterventionTriggered', 'given'],
  ['InterventionSuppressed', 'suppressed'],
  [undefined, 'not_concerned'],
]);

function eventOf(player: PlayerState, context: Scope & { at: number }, properties: string): DomainFact {
  const item = {
    index: 0,
    playerId: player.id,
    eventId: 'e-1',
    remember: false,
    eventName: 'level_failed',
    properties,
    sessionId: null,
    timestamp: NOON,
  };
  return eventTracked(item, player, context, undefined, undefined, undefined);
}
