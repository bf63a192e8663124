import { expect, it } from 'vitest';
import { aPlayer } from '../testing.ts';
import { guardedCampaign } from './guarded-campaign.ts';
import { aCampaign, campaignSetOf } from './testing.ts';

it('a campaign whose conditions throw accepts no player from then on, and is reported once', () => {
  const [campaign] = campaignSetOf(aCampaign()).all;
  if (campaign === undefined) throw new Error('there is no campaign');
  const told: unknown[] = [];
  const fault = new Error('boom');
  let asked = 0;
  const faulty = {
    ...campaign,
    accepts() {
      asked += 1;
      if (asked === 2) throw fault;
      return true;
    },
  };
  const guarded = guardedCampaign(faulty, (error) => told.push(error));
  const subject = { player: aPlayer(), nowMs: 1 };
  expect([1, 2, 3, 4].map(() => guarded.accepts(subject))).toEqual([true, false, false, false]);
  expect([told, asked]).toEqual([[fault], 2]);
});
