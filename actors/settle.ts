import { settleCampaigns } from './campaigns/settle-campaigns.ts';
import type { Context, Draft } from './decision.ts';
import { settleLifecycle } from './player/settle-lifecycle.ts';
import { settleCommand } from './segments/settle-command.ts';
import type { Definitions } from './targeting.ts';

/**
 * Emits what the draft's facts from `since` on lead to, for the players they changed: everything commits together. To be
 * called once for every fact; a command may call it before it answers, so that its answer shows what its own facts did.
 */
export function settle(draft: Draft, since: number, definitions: Definitions, context: Context): void {
  const { game, environment, at } = context;
  settleLifecycle(draft, since, definitions.settings(game).lifecycle, at);
  settleCommand(draft, since, definitions.segments(game, environment), at);
  settleCampaigns(draft, since, definitions.campaigns(game, environment), context);
}
