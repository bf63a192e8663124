import { triggerCampaigns } from './campaigns/trigger-campaigns.ts';
import type { Context, Draft } from './decision.ts';
import { updateLifecycle } from './player/update-lifecycle.ts';
import { reactToCommand } from './segments/react-to-command.ts';
import type { Definitions } from './definitions.ts';

/**
 * Emits what the draft's facts from `since` on lead to, for the players they changed: everything commits together. To be
 * called once for every fact; a command may call it before it answers, so that its answer shows what its own facts did.
 */
export function react(draft: Draft, since: number, definitions: Definitions, context: Context): void {
  const { game, environment, at } = context;
  updateLifecycle(draft, since, definitions.settings(game).lifecycle, at);
  reactToCommand(draft, since, definitions.segments(game, environment), at);
  triggerCampaigns(draft, since, definitions.campaigns(game, environment), context);
}
