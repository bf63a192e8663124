import { assert, constantFrom, integer, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import { LIMITS } from '../../core/kernel/limits.ts';
import { aPlayer } from '../testing.ts';
import { explainCampaign } from './explain-campaign.ts';
import { suppressionOf } from './suppression.ts';
import { tallyOf } from './tally.ts';
import { aCampaign, campaignSetOf } from './testing.ts';

const NOON = 20_000 * DAY_MS + DAY_MS / 2;

function explained(
  some: Parameters<typeof aCampaign>[0] = {},
  of: Parameters<typeof aPlayer>[0] = {},
  properties?: Record<string, number>,
) {
  const [campaign] = campaignSetOf(aCampaign(some)).all;
  if (campaign === undefined) throw new Error('there is no campaign');
  return explainCampaign(campaign, aPlayer(of), NOON, properties, LIMITS);
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

  it('decides as the owner of the player does', () => {
    const cap = option(integer({ min: 1, max: 3 }), { nil: null });
    const cases = record({
      total: cap,
      perDay: cap,
      cooldownSeconds: constantFrom(0, 2, 60),
      holdoutPercentage: constantFrom(0, 50, 100),
      quietHours: constantFrom(null, { from: '11:00', to: '13:00' }),
      given: integer({ min: 0, max: 25 }),
      others: integer({ min: 0, max: 25 }),
    });
    assert(
      property(cases, ({ total, perDay, given, others, ...some }) => {
        const player = aPlayer({
          campaignTallies: [
            { ...tally, total: given, shown: given, today: given },
            { ...tally, campaignId: 'cmp_other', total: others, shown: others, today: others },
          ],
        });
        const [campaign] = campaignSetOf(aCampaign({ caps: { total, perDay }, ...some })).all;
        if (campaign === undefined) throw new Error('there is no campaign');
        const reason = suppressionOf(campaign, tallyOf(player, campaign.id), player, NOON, LIMITS);
        const found = explainCampaign(campaign, player, NOON, undefined, LIMITS);
        expect(found.decidedBy).toBe(reason);
        expect(found.outcome).toBe(reason === undefined ? 'given' : 'suppressed');
      }),
    );
  });
});
