import { describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import { evolve } from '../evolve.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aPlayer } from '../testing-players.ts';
import { offerInterventions } from './offer.ts';
import { tallyOf } from './tally.ts';
import { aCampaign, aSession, campaignId, campaignSetOf, NOON, waiting } from './testing-campaign.ts';
import type { PendingIntervention } from '../../core/vocabulary/state/player.ts';

const HOUR_MS = 3_600_000;

const campaign = (n: number, some: Parameters<typeof aCampaign>[0] = {}) => aCampaign({ id: campaignId(n), ...some });

/** A player with its pending interventions and its sessions. */
function life(interventions: PendingIntervention[], some: Partial<PlayerState> = {}) {
  let player: PlayerState = aPlayer({ interventions, ...some });
  const facts: DomainFact[] = [];
  const emit = (fact: DomainFact): void => {
    facts.push(fact);
    const next = evolve(player, fact);
    if (next.kind === 'player') player = next;
  };
  return {
    facts,
    emit,
    get player() {
      return player;
    },
    open(sessionId: string, at: number) {
      player = { ...player, sessions: [...player.sessions, aSession(sessionId, at)] };
    },
    sync(sessionId: string, at: number, campaigns = campaignSetOf(...[1, 2, 3].map((n) => campaign(n)))): string[] {
      const draft = { facts, limits: PLAYER_LIMITS, get: () => player, emit };
      return offerInterventions(draft, player, sessionId, campaigns, at).map(({ interventionId }) => interventionId);
    },
  };
}

describe('a sync delivers pending interventions', () => {
  it('in the documented shape, with the current content, and records the delivery', () => {
    const one = life([waiting(1)]);
    one.open('ses_1', NOON);
    const content = { title: 'New', body: 'Text', cta: '' };
    const set = campaignSetOf(
      campaign(1, { content, displayRules: { priority: 'high', dismissAfterSeconds: 5 }, version: 9 }),
    );
    const draft = { facts: one.facts, limits: PLAYER_LIMITS, get: () => one.player, emit: one.emit };
    expect(offerInterventions(draft, one.player, 'ses_1', set, NOON + 5)).toEqual([
      {
        interventionId: 'int_1',
        type: 'in_app_message',
        campaign: { key: 'comeback', version: 9 },
        variant: null,
        content: { ...content, image: null, deepLink: null, data: null, buttons: [], locale: null },
        displayRules: { priority: 'high', dismissAfterSeconds: 5 },
      },
    ]);
    expect(one.facts).toEqual([
      {
        kind: 'InterventionOffered',
        entityId: one.player.id,
        game: 'demo',
        environment: 'live',
        at: NOON + 5,
        campaignId: campaignId(1),
        campaignKey: 'c1',
        campaignVersion: 1,
        externalId: 'ext-1',
        interventionId: 'int_1',
        sessionId: 'ses_1',
      },
    ]);
  });

  it('with the variant that the player was drawn for, or the content of the campaign once the variant is gone', () => {
    const content = { title: 'B', body: 'b', cta: '' };
    const variants = ['a', 'b'].map((key) => ({ key, weight: 1, content: { ...content, title: key } }));
    const one = life([waiting(1, { variant: 'b' })]);
    const draft = { facts: one.facts, limits: PLAYER_LIMITS, get: () => one.player, emit: one.emit };
    const offered = (sessionId: string, set: ReturnType<typeof campaignSetOf>) => {
      one.open(sessionId, NOON + one.facts.length * HOUR_MS + 1);
      const at = NOON + one.facts.length * HOUR_MS + 2;
      const [given] = offerInterventions(draft, one.player, sessionId, set, at);
      return [given?.variant, given?.content.title, one.player.interventions[0]?.variant];
    };
    expect(offered('ses_1', campaignSetOf(campaign(1, { variants })))).toEqual(['b', 'b', 'b']);
    expect(offered('ses_2', campaignSetOf(campaign(1, { content })))).toEqual([null, 'B', undefined]);
    expect(one.facts.map((fact) => 'variant' in fact && fact.variant)).toEqual(['b', false]);
  });

  it('the most urgent first, then the oldest; unknown priorities last, alphabetically', () => {
    const priorities = ['zzz', 'low', 'medium', 'aaa', 'urgent', 'normal', 'high', 'urgent'];
    const one = life(priorities.map((_, n) => waiting(n)));
    one.open('ses_1', NOON);
    const set = campaignSetOf(
      ...priorities.map((priority, n) => campaign(n, { displayRules: { priority, dismissAfterSeconds: 0 } })),
    );
    expect(one.sync('ses_1', NOON + 100, set)).toEqual([4, 7, 6, 2, 5, 1, 3, 0].map((n) => `int_${n}`));
  });

  it('once in a session, and again only in sessions opened later, until the client shows them', () => {
    const one = life([waiting(1)]);
    one.open('ses_1', NOON);
    one.open('ses_2', NOON + 10);
    expect(one.sync('ses_1', NOON + 100)).toEqual(['int_1']);
    expect(one.sync('ses_1', NOON + 200)).toEqual([]);
    // Another device that was there all the time does not show it too.
    expect(one.sync('ses_2', NOON + 300)).toEqual([]);
    one.open('ses_3', NOON + HOUR_MS);
    expect(one.sync('ses_3', NOON + HOUR_MS + 1)).toEqual(['int_1']);
    const shown = one.facts.at(-1);
    if (shown?.kind !== 'InterventionOffered') throw new Error('it was not offered');
    one.emit({ ...shown, kind: 'InterventionShown', at: NOON + HOUR_MS + 2 });
    one.open('ses_4', NOON + 2 * HOUR_MS);
    expect(one.sync('ses_4', NOON + 2 * HOUR_MS + 1)).toEqual([]);
  });

  it('never again in a session that was already open, even if another clock opened it later', () => {
    const one = life([waiting(1)]);
    one.open('ses_ahead', NOON + HOUR_MS);
    one.open('ses_2', NOON + 10);
    expect(one.sync('ses_2', NOON + 100)).toEqual(['int_1']);
    expect(one.sync('ses_ahead', NOON + HOUR_MS + 100)).toEqual([]);
    expect(one.sync('ses_2', NOON + 200)).toEqual([]);
    one.open('ses_3', NOON + 2 * HOUR_MS);
    expect(one.sync('ses_3', NOON + 2 * HOUR_MS)).toEqual(['int_1']);
  });

  it('in at most three sessions, and never after they expire', () => {
    const one = life([waiting(1, { expiresAt: NOON + DAY_MS }), waiting(2, { expiresAt: NOON + DAY_MS + HOUR_MS })]);
    for (let n = 0; n < PLAYER_LIMITS.interventionOffers; n++) {
      one.open(`ses_${n}`, NOON + n * HOUR_MS);
      expect(one.sync(`ses_${n}`, NOON + n * HOUR_MS + 1)).toEqual(['int_1', 'int_2']);
    }
    one.open('ses_9', NOON + 9 * HOUR_MS);
    expect(one.sync('ses_9', NOON + 9 * HOUR_MS + 1)).toEqual([]);
    const other = life([waiting(1, { expiresAt: NOON + DAY_MS }), waiting(2, { expiresAt: NOON + DAY_MS + 1 })]);
    other.open('ses_1', NOON);
    expect(other.sync('ses_1', NOON + DAY_MS)).toEqual(['int_2']);
  });

  it('unless the campaign is deleted, over or in quiet hours: then they wait', () => {
    const one = life([waiting(1), waiting(2), waiting(3)]);
    one.open('ses_1', NOON);
    const set = campaignSetOf(
      campaign(2, { endAt: NOON + HOUR_MS }),
      campaign(3, { quietHours: { from: '12:00', to: '15:00' } }),
    );
    expect(one.sync('ses_1', NOON + HOUR_MS, set)).toEqual([]);
    expect(one.facts).toEqual([]);
    expect(one.sync('ses_1', NOON + 3 * HOUR_MS, set)).toEqual(['int_3']);
  });

  it('only in an open session', () => {
    expect(life([waiting(1)]).sync('ses_none', NOON)).toEqual([]);
  });

  const eventually = (one: ReturnType<typeof life>, set: ReturnType<typeof campaignSetOf>): string[] => {
    one.open('ses_1', NOON);
    const delivered = one.sync('ses_1', NOON + HOUR_MS, set);
    return [
      ...delivered,
      ...one.facts.flatMap((fact) =>
        fact.kind === 'InterventionSuppressed' ? `${fact.interventionId} ${fact.reason} ${fact.cause}` : [],
      ),
    ];
  };

  it('only while the player is in the audience; one that is not is withdrawn, and recorded', () => {
    const set = campaignSetOf(campaign(1, { audience: 'seg_a' }));
    const member = { segments: [{ segmentId: 'seg_a', segmentKey: 'a', since: 0 }] };
    expect(eventually(life([waiting(1)], member), set)).toEqual(['int_1']);
    const tally = { ...tallyOf(aPlayer(), campaignId(1)), total: 1, day: dayOf(NOON), today: 1, lastAt: NOON };
    const left = life([waiting(1)], { campaignTallies: [tally] });
    expect(eventually(left, set)).toEqual(['int_1 not_eligible event:level_failed']);
    expect(left.player.interventions).toEqual([]);
    // The cap of the day is free again.
    expect(left.player.campaignTallies).toMatchObject([{ campaignId: campaignId(1), total: 1, today: 0, shown: 0 }]);
  });

  it('only while the player meets the conditions that read the player; those on the event are not asked again', () => {
    const conditions = { 'properties.level': { $gte: 10 }, is_payer: false, app_version: { $vlt: '2.0.0' } };
    const set = campaignSetOf(campaign(1, { trigger: { kind: 'event', event: 'level_failed', conditions } }));
    const device = { platform: null, osVersion: null, build: null, deviceModel: null, appVersion: '1.9.0' };
    const withdrawn = ['int_1 not_eligible event:level_failed'];
    expect(eventually(life([waiting(1)], { device }), set)).toEqual(['int_1']);
    expect(eventually(life([waiting(1)], { device, isPayer: true }), set)).toEqual(withdrawn);
    expect(eventually(life([waiting(1)], { device: { ...device, appVersion: '2.0.0' } }), set)).toEqual(withdrawn);
  });

  it('not to a player whom a larger holdout has taken in', () => {
    const set = campaignSetOf(campaign(1, { holdoutPercentage: 100 }));
    expect(eventually(life([waiting(1)]), set)).toEqual(['int_1 holdout event:level_failed']);
  });

  it('not before a start that was put off', () => {
    const one = life([waiting(1)]);
    const set = campaignSetOf(campaign(1, { startAt: NOON + 2 * HOUR_MS }));
    expect(eventually(one, set)).toEqual([]);
    expect(one.sync('ses_1', NOON + 2 * HOUR_MS, set)).toEqual(['int_1']);
  });

  it('and counts what the player saw, or could have seen in every delivery, for the total cap', () => {
    const set = campaignSetOf(campaign(1), campaign(2));
    const one = life([waiting(1), waiting(2)]);
    const shown = () => one.player.campaignTallies.map((tally) => [tally.campaignId, tally.shown]);
    for (let n = 0; n < PLAYER_LIMITS.interventionOffers; n++) {
      one.open(`ses_${n}`, NOON + n * HOUR_MS);
      one.sync(`ses_${n}`, NOON + n * HOUR_MS + 1, set);
      if (n > 0) continue;
      expect(shown()).toEqual([]);
      const { campaignKey, campaignVersion } = waiting(1);
      const campaignNames = { campaignId: campaignId(1), campaignKey, campaignVersion, externalId: 'x' };
      const base = { entityId: one.player.id, game: 'demo', environment: 'live' as const, at: NOON + 2 };
      one.emit({ kind: 'InterventionShown', ...base, ...campaignNames, interventionId: 'int_1', sessionId: null });
      expect(shown()).toEqual([[campaignId(1), 1]]);
    }
    expect(shown()).toEqual([
      [campaignId(1), 1],
      [campaignId(2), 1],
    ]);
  });
});
