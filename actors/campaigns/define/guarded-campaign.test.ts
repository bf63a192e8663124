import { expect, it } from 'vitest';
import { aPlayer } from '../../testing-players.ts';
import { guardedCampaign } from './guarded-campaign.ts';
import { aCampaign, campaignSetOf } from '../testing-campaign.ts';

it('a campaign whose conditions throw accepts no player from then on, and is reported once', () => {
  const [campaign] = campaignSetOf(aCampaign()).all;
  if (campaign === undefined) throw new Error('there is no campaign');
  const reported: unknown[] = [];
  const fault = new Error('boom');
  let evaluated = 0;
  const faulty = {
    ...campaign,
    accepts() {
      evaluated += 1;
      if (evaluated === 2) throw fault;
      return true;
    },
  };
  const guarded = guardedCampaign(faulty, (error) => reported.push(error));
  const subject = { player: aPlayer(), nowMs: 1 };
  expect([1, 2, 3, 4].map(() => guarded.accepts(subject))).toEqual([true, false, false, false]);
  expect([reported, evaluated]).toEqual([[fault], 2]);
});
