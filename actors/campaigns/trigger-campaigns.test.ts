import { describe, expect, it } from 'vitest';
import type { CampaignDocument } from '../../core/vocabulary/documents/documents.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import type { Command, TrackItem } from '../../core/vocabulary/commands/commands.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { triggerSchedules } from './trigger-campaigns.ts';
import { MESSAGE_LIMITS } from './message/limits.ts';
import { aCampaign, campaignId, campaignsOf, NOON } from './testing-campaign.ts';
import type { InterventionSuppressed, InterventionTriggered } from '../../core/vocabulary/facts/campaign-facts.ts';
import type { Definitions } from '../decision/definitions.ts';

const HOUR_MS = 3_600_000;
const ID = aPlayer().id;

/** One player with some campaigns: the facts of each command, in one draft. */
function life(definitions: Definitions, some: Partial<PlayerState> = {}) {
  const player = aPlayer({ lifecycleStage: 'active', lastSeenAt: NOON, ...some });
  const { draft, when, whenTime, player: playerOf } = given([player], definitions);
  const run = (body: Command['body'], at: number): readonly DomainFact[] =>
    when(aCommand(body, { receivedAt: at, deadlineAt: at + 5_000 })).facts;
  return {
    draft,
    run,
    /** Runs the timers that are due by `now`. */
    due: (now: number) => whenTime(ID, now),
    /** Events of the player, in one command. */
    track(at: number, ...events: (string | Partial<TrackItem>)[]): readonly DomainFact[] {
      const items = events.map((event, index): TrackItem => ({
        index,
        playerId: ID,
        eventId: `e-${at}-${index}`,
        remember: false,
        eventName: 'level_failed',
        properties: '{}',
        sessionId: null,
        timestamp: at,
        ...(typeof event === 'string' ? { eventName: event } : event),
      }));
      return run({ kind: 'TrackEvents', items }, at);
    },
    player(): PlayerState {
      return playerOf(ID);
    },
  };
}

const triggered = (facts: readonly DomainFact[]) =>
  facts.filter((fact): fact is InterventionTriggered => fact.kind === 'InterventionTriggered');
const reasons = (facts: readonly DomainFact[]) =>
  facts
    .filter((fact): fact is InterventionSuppressed => fact.kind === 'InterventionSuppressed')
    .map(({ reason }) => reason);
const one = (some: Partial<CampaignDocument> = {}) => campaignsOf([aCampaign(some)]);

describe('a trigger', () => {
  it('gives the player a pending intervention, with its campaign and cause', () => {
    const player = life(one({ version: 3 }));
    const [fact] = triggered(player.track(NOON, 'level_failed'));
    expect(fact).toEqual({
      kind: 'InterventionTriggered',
      entityId: ID,
      game: 'demo',
      environment: 'live',
      at: NOON,
      interventionId: expect.stringMatching(
        /^int_[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      campaignId: aCampaign().id,
      campaignKey: 'comeback',
      campaignVersion: 3,
      externalId: 'ext-1',
      expiresAt: NOON + 7 * DAY_MS,
      cause: 'event:level_failed',
      message: expect.objectContaining({ title: 'Stuck?', body: 'Here is a hint.', locale: null }),
    });
    expect(player.player().interventions).toMatchObject([
      { interventionId: fact?.interventionId, offers: 0, shownAt: 0 },
    ]);
  });

  it('says which variant the player was drawn for, and until when quiet hours hold it back', () => {
    const content = { title: 'B', body: 'for {{external_id}}', cta: '' };
    const variants = [
      { key: 'a', weight: 0 },
      { key: 'b', weight: 1, content },
    ];
    const quietHours = { from: '11:00', to: '13:00' };
    const player = life(one({ variants, quietHours }));
    const [fact] = triggered(player.track(NOON, 'level_failed'));
    expect(fact).toMatchObject({
      variant: 'b',
      heldUntil: NOON + 3_600_000,
      message: { title: 'B', body: 'for ext-1' },
    });
    expect(player.player().interventions).toMatchObject([{ variant: 'b' }]);
  });

  it('leaves messages out of the facts that would be too large together', () => {
    const content = { title: 'x', body: 'b'.repeat(MESSAGE_LIMITS.charsPerCommand / 2 - 2), cta: '' };
    const facts = triggered(life(one({ content })).track(NOON, 'level_failed', 'level_failed', 'level_failed'));
    expect(facts.map(({ message }) => message?.title)).toEqual(['x', 'x', undefined]);
  });

  it('reacts to events of its name only', () => {
    expect(triggered(life(one()).track(NOON, 'level_up'))).toEqual([]);
  });

  it('triggers every campaign on the event, each time with a new id', () => {
    const player = life(campaignsOf([aCampaign({ id: campaignId(1) }), aCampaign({ id: campaignId(2) })]));
    const facts = triggered(player.track(NOON, 'level_failed', 'level_failed'));
    expect(facts).toHaveLength(4);
    expect(new Set(facts.map(({ interventionId }) => interventionId)).size).toBe(4);
  });

  it('evaluates its conditions on the event and the player', () => {
    const conditions = { 'properties.level': { $gte: 10 }, 'attributes.__proto__.vip': true };
    const definitions = one({ trigger: { kind: 'event', event: 'level_failed', conditions } });
    const vip = { attributes: '{"__proto__":{"vip":true}}' };
    const given = (properties: string, some: Partial<PlayerState>) =>
      triggered(life(definitions, some).track(NOON, { properties })).length;
    expect(given('{"level":10}', vip)).toBe(1);
    expect(given('{"level":9}', vip)).toBe(0);
    expect(given('{}', vip)).toBe(0);
    expect(given('{"level":10}', {})).toBe(0);
  });

  it('applies between its start and its end only, and leaves no trace outside', () => {
    const definitions = one({ startAt: NOON, endAt: NOON + HOUR_MS });
    const facts = (at: number) => {
      const all = life(definitions, { lastSeenAt: NOON - DAY_MS }).track(at, 'level_failed');
      return [triggered(all).length, reasons(all).length];
    };
    expect(facts(NOON - 1)).toEqual([0, 0]);
    expect(facts(NOON)).toEqual([1, 0]);
    expect(facts(NOON + HOUR_MS - 1)).toEqual([1, 0]);
    expect(facts(NOON + HOUR_MS)).toEqual([0, 0]);
  });

  it('may be a segment that an event makes a player enter or leave, which may also be its audience', () => {
    const spenders = compileCondition({ 'events.level_failed.count_1d': { $eq: 2 } });
    if (spenders.kind === 'invalid') throw new Error('does not compile');
    const segments = createSegmentSet([
      {
        segment: { id: 'seg_1', key: 'stuck', condition: spenders.condition },
        conditions: { 'events.level_failed.count_1d': { $eq: 2 } },
      },
    ]);
    const player = life(
      campaignsOf(
        [
          aCampaign({ id: campaignId(1), trigger: { kind: 'segment_entered', segmentId: 'seg_1' } }),
          aCampaign({ id: campaignId(2), trigger: { kind: 'segment_exited', segmentId: 'seg_1' } }),
          aCampaign({ id: campaignId(3), audience: 'seg_1' }),
        ],
        segments,
      ),
    );
    const causes = (at: number) => triggered(player.track(at, 'level_failed')).map(({ cause }) => cause);
    expect(causes(NOON)).toEqual([]);
    expect(causes(NOON + 1).toSorted()).toEqual(['event:level_failed', 'segment_entered:seg_1']);
    expect(causes(NOON + 2)).toEqual(['segment_exited:seg_1']);
  });
});

describe('a trigger by time', () => {
  it('may be a lifecycle stage, at the time of its change, however late the timer runs', () => {
    const definitions = one({ trigger: { kind: 'lifecycle', stage: 'at_risk' } });
    const player = life(definitions, { firstSeenAt: NOON, lifecycleDueAt: NOON + 7 * DAY_MS });
    expect(triggered(player.due(NOON + 7 * DAY_MS - 1))).toEqual([]);
    expect(triggered(player.due(NOON + 20 * DAY_MS))).toMatchObject([
      { at: NOON + 7 * DAY_MS, expiresAt: NOON + 14 * DAY_MS, cause: 'lifecycle:at_risk' },
    ]);
    expect(triggered(player.due(NOON + 60 * DAY_MS))).toEqual([]);
  });

  it('may be a churn risk that becomes high, but not one that falls', () => {
    const [day, weeks] = [Math.floor(NOON / DAY_MS), [3, 3, 3, 3, 3, 3, 3]];
    const activity = { day, sessions: weeks.concat(weeks), playtimeSeconds: weeks.concat(weeks) };
    const player = life(one({ trigger: { kind: 'churn', level: 'high' } }), {
      firstSeenAt: NOON - 30 * DAY_MS,
      lifecycleDueAt: NOON + DAY_MS,
      activity,
    });
    const facts = player.due(NOON + 40 * DAY_MS);
    const risks = facts.filter(({ kind }) => kind === 'ChurnRiskChanged');
    expect(risks).toMatchObject([{ high: true }]);
    expect(triggered(facts)).toMatchObject([{ at: risks[0]?.at, cause: 'churn:high' }]);
    const back = player.track(NOON + 41 * DAY_MS, 'level_failed');
    expect(triggered(back)).toEqual([]);
  });
});

describe('a scheduled time', () => {
  const definitions = one({ trigger: { kind: 'schedule', at: NOON } });
  const scope = { game: 'demo', environment: 'live' } as const;
  const set = definitions.campaigns(scope.game, scope.environment);

  it('triggers once per player, even if a clock was ahead and is set back', () => {
    const player = life(definitions, { firstSeenAt: NOON - DAY_MS, lastSeenAt: NOON - DAY_MS });
    const look = (at: number) => {
      const since = player.draft.facts.length;
      triggerSchedules(player.draft, ID, set, { after: NOON - HOUR_MS, until: NOON + 5_000 }, { ...scope, at });
      return triggered(player.draft.facts.slice(since)).map((fact) => fact.at);
    };
    expect(look(NOON - 4_000)).toEqual([NOON]);
    expect(look(NOON - 3_000)).toEqual([]);
    expect(look(NOON + 6_000)).toEqual([]);
  });
});

describe('a reason for suppression', () => {
  it('is the total cap of a campaign', () => {
    const player = life(one({ caps: { total: 2, perDay: null } }));
    const facts = player.track(NOON, 'level_failed', 'level_failed', 'level_failed');
    expect([triggered(facts).length, reasons(facts)]).toEqual([2, ['cap_total']]);
    const shown = player.player().interventions.map(({ interventionId }) => ({
      eventName: 'intervention_shown',
      properties: JSON.stringify({ intervention_id: interventionId }),
    }));
    player.track(NOON + 1, ...shown.slice(0, 1));
    // The other one expires unseen, and may be replaced by one.
    const later = player.track(NOON + 400 * DAY_MS, 'level_failed', 'level_failed');
    expect([triggered(later).length, reasons(later)]).toEqual([1, ['cap_total']]);
  });

  it('is the daily cap of a campaign, by UTC day', () => {
    const player = life(one({ caps: { total: null, perDay: 1 } }));
    const facts = player.track(NOON, 'level_failed', 'level_failed');
    expect([triggered(facts).length, reasons(facts)]).toEqual([1, ['cap_per_day']]);
    expect(triggered(player.track(NOON + DAY_MS / 2 - 1, 'level_failed'))).toEqual([]);
    expect(triggered(player.track(NOON + DAY_MS / 2, 'level_failed'))).toHaveLength(1);
  });

  it('is the daily cap also for what quiet hours held back until that day', () => {
    const quietHours = { from: '22:00', to: '08:00' };
    const player = life(one({ caps: { total: null, perDay: 1 }, quietHours }));
    // 23:00, 07:00 and 10:00 of the next day: the first is delivered at 08:00.
    expect(triggered(player.track(NOON + 11 * HOUR_MS, 'level_failed'))).toHaveLength(1);
    expect(reasons(player.track(NOON + 19 * HOUR_MS, 'level_failed'))).toEqual(['cap_per_day']);
    expect(triggered(player.track(NOON + 22 * HOUR_MS, 'level_failed'))).toEqual([]);
    expect(triggered(player.track(NOON + 36 * HOUR_MS, 'level_failed'))).toHaveLength(1);
  });

  it('is the cooldown from the end of the quiet hours that held the last message back', () => {
    const quietHours = { from: '22:00', to: '08:00' };
    const player = life(one({ cooldownSeconds: 3_600, quietHours }));
    const at = [11, 13, 15, 20, 20.9, 21].map((hours) => NOON + hours * HOUR_MS);
    expect(at.map((each) => triggered(player.track(each, 'level_failed')).length)).toEqual([1, 0, 0, 0, 0, 1]);
  });

  it('is the cooldown', () => {
    const player = life(one({ cooldownSeconds: 60 }));
    const facts = player.track(NOON, 'level_failed', 'level_failed');
    expect([triggered(facts).length, reasons(facts)]).toEqual([1, ['cooldown']]);
    expect(triggered(player.track(NOON + 59_999, 'level_failed'))).toEqual([]);
    expect(triggered(player.track(NOON + 60_000, 'level_failed'))).toHaveLength(1);
  });

  it('is the daily limit over all campaigns', () => {
    const documents = [1, 2, 3].map((n) => aCampaign({ id: campaignId(n) }));
    const player = life(campaignsOf(documents));
    const facts = player.track(NOON, ...Array.from({ length: 20 }, () => 'level_failed'));
    expect(triggered(facts)).toHaveLength(PLAYER_LIMITS.interventionsPerDay);
    expect(reasons(facts)).toEqual(['cap_all_campaigns', 'cap_all_campaigns', 'cap_all_campaigns']);
  });

  it('is not quiet hours: they only hold the delivery back, and do not count for the expiry', () => {
    const expiry = (hour: number, seconds: number) => {
      const definitions = one({ quietHours: { from: '22:00', to: '08:00' }, expiresAfterSeconds: seconds });
      const inBerlin = { attributes: '{"timezone":"Europe/Berlin"}' };
      const facts = life(definitions, inBerlin).track(NOON + hour * HOUR_MS, 'level_failed');
      expect(reasons(facts)).toEqual([]);
      return triggered(facts).map(({ expiresAt }) => (expiresAt - NOON) / HOUR_MS);
    };
    // It is summer: the night in Berlin is from 20:00 to 06:00 UTC, 8 to 18 hours after noon.
    expect(expiry(0, 3_600)).toEqual([1]);
    expect(expiry(10, 3_600)).toEqual([19]);
    // Half an hour before the night and half an hour after it.
    expect(expiry(7.5, 3_600)).toEqual([18.5]);
    expect(expiry(10, 2 * 86_400)).toEqual([18 + 48]);
  });

  it('is a full list of pending interventions', () => {
    const player = life(one());
    for (let day = 0; day < 3; day++) {
      player.track(
        NOON + day * DAY_MS,
        ...Array.from({ length: PLAYER_LIMITS.interventionsPerDay }, () => 'level_failed'),
      );
    }
    expect(player.player().interventions).toHaveLength(PLAYER_LIMITS.interventionsPerPlayer);
    expect(reasons(player.track(NOON + 2 * DAY_MS, 'level_failed'))).toEqual([]);
    // A week later the first ones are over, and make room.
    expect(triggered(player.track(NOON + 8 * DAY_MS, 'level_failed'))).toHaveLength(1);
  });

  it('is the hold-out, for a player that would have got the intervention', () => {
    const heldOut = life(one({ holdoutPercentage: 100, caps: { total: 1, perDay: null } }));
    const facts = heldOut.track(NOON, 'level_failed', 'level_failed');
    expect([triggered(facts).length, reasons(facts)]).toEqual([0, ['holdout']]);
    expect(heldOut.player().interventions).toEqual([]);
  });

  it('is recorded once per campaign, reason and UTC day, however many events arrive', () => {
    const player = life(one({ caps: { total: 1, perDay: null } }));
    const facts = Array.from({ length: 50 }, (_, n) => player.track(NOON + n, 'level_failed', 'level_failed')).flat();
    expect(reasons(facts)).toEqual(['cap_total']);
    expect(reasons(player.track(NOON + DAY_MS, 'level_failed', 'level_failed'))).toEqual(['cap_total']);
  });

  it('is recorded once per day, though clocks disagree whether that day has begun', () => {
    const player = life(one({ caps: { total: 1, perDay: null } }));
    player.track(NOON, 'level_failed');
    const midnight = NOON + DAY_MS / 2;
    const facts = [1, -1, 2, -2, 3].flatMap((n) => player.track(midnight + n, 'level_failed'));
    expect(reasons(facts)).toEqual(['cap_total']);
  });

  it('holds out a share of players, always the same ones, and more at a higher percentage', () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`);
    const heldOut = (holdoutPercentage: number) => {
      const [campaign] = one({ holdoutPercentage }).campaigns('demo', 'live').all;
      return new Set(ids.filter((id) => campaign?.isHeldOut(id)));
    };
    const [ten, twenty] = [heldOut(10), heldOut(20)];
    // 10 % of 2,000 within 3 standard deviations.
    expect(Math.abs(ten.size - 200)).toBeLessThan(41);
    expect([...ten].filter((id) => !twenty.has(id))).toEqual([]);
    expect(heldOut(10)).toEqual(ten);
    expect([heldOut(0).size, heldOut(100).size]).toEqual([0, 2_000]);
  });
});

describe('a response to an intervention', () => {
  const shownIn = (interventionId: string | undefined) => JSON.stringify({ intervention_id: interventionId });

  it('is recorded once: shown, then clicked, which ends the intervention', () => {
    const player = life(one());
    const [given] = triggered(player.track(NOON, 'level_failed'));
    const properties = shownIn(given?.interventionId);
    const kinds = (eventName: string, at: number) =>
      player
        .track(at, { eventName, properties, sessionId: 'ses_1' })
        .flatMap((fact) =>
          fact.kind === 'InterventionShown' || fact.kind === 'InterventionClicked' ? [[fact.kind, fact.sessionId]] : [],
        );
    expect(kinds('intervention_shown', NOON + 1)).toEqual([['InterventionShown', 'ses_1']]);
    expect(kinds('intervention_shown', NOON + 2)).toEqual([]);
    expect(kinds('intervention_clicked', NOON + 3)).toEqual([['InterventionClicked', 'ses_1']]);
    expect(kinds('intervention_clicked', NOON + 4)).toEqual([]);
    expect(player.player().interventions).toEqual([]);
  });

  it('counts a click without a preceding shown event as both', () => {
    const player = life(one());
    const [given] = triggered(player.track(NOON, 'level_failed'));
    const facts = player.track(NOON, { eventName: 'intervention_clicked', properties: shownIn(given?.interventionId) });
    expect(facts.map(({ kind }) => kind)).toEqual(['EventTracked', 'InterventionShown', 'InterventionClicked']);
  });

  it('names the button of a click, if it is an id that a button may have', () => {
    const buttons = ['take', 'not an id', 7, 'x'.repeat(65), undefined].map((button) => {
      const player = life(one());
      const [given] = triggered(player.track(NOON, 'level_failed'));
      const properties = JSON.stringify({ intervention_id: given?.interventionId, button_id: button });
      const facts = player.track(NOON, { eventName: 'intervention_clicked', properties });
      return facts.flatMap((fact) => (fact.kind === 'InterventionClicked' ? [fact.button] : []));
    });
    expect(buttons).toEqual([['take'], [undefined], [undefined], [undefined], [undefined]]);
  });

  it('may be that the player dismissed it: it counts as shown, and is not delivered again', () => {
    const player = life(
      one({
        variants: [
          { key: 'a', weight: 1 },
          { key: 'b', weight: 0 },
        ],
      }),
    );
    const [given] = triggered(player.track(NOON, 'level_failed'));
    const properties = shownIn(given?.interventionId);
    const facts = player.track(NOON + 1, { eventName: 'intervention_dismissed', properties });
    expect(facts.map((fact) => [fact.kind, 'variant' in fact ? fact.variant : undefined])).toEqual([
      ['EventTracked', undefined],
      ['InterventionShown', 'a'],
      ['InterventionDismissed', 'a'],
    ]);
    expect(player.player().interventions).toEqual([]);
    expect(player.player().campaignTallies).toMatchObject([{ total: 1, shown: 1 }]);
    expect(player.track(NOON + 2, { eventName: 'intervention_clicked', properties })).toHaveLength(1);
  });

  it('is ignored for an intervention that the player does not have', () => {
    const player = life(one());
    player.track(NOON, 'level_failed');
    for (const properties of ['{}', '{"intervention_id":null}', '{"intervention_id":"int_other"}']) {
      expect(player.track(NOON, { eventName: 'intervention_shown', properties })).toHaveLength(1);
    }
  });
});
