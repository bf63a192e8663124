import { call } from '../service/call.ts';
import type { Service } from '../service/service.ts';

const CONTENT = { title: 'Need a hand?', body: 'Take three lives.', cta: 'Take them' };

/** What a game would run: each is asked at every event of its name, and most of the time it is too soon for another. */
const CAMPAIGNS = [
  {
    key: 'lost-match',
    trigger: { event: 'match_end', conditions: { 'properties.won': false, 'attributes.level': { $gte: 20 } } },
    content: CONTENT,
    caps: { total: 5, per_day: 1 },
    holdout_percentage: 10,
  },
  {
    key: 'spender',
    trigger: { event: 'coins_spent' },
    content: CONTENT,
    caps: { total: 3 },
    cooldown_seconds: 3_600,
    quiet_hours: { from: '22:00', to: '08:00' },
  },
  {
    key: 'first-loot',
    trigger: { event: 'loot_opened', conditions: { 'events.loot_opened.count_30d': { $lte: 1 } } },
    content: CONTENT,
  },
];

/** Defines the campaigns. */
export async function defineCampaigns(service: Service): Promise<void> {
  for (const campaign of CAMPAIGNS) await call(service, 'POST', '/v1/campaigns/campaigns', JSON.stringify(campaign));
}
