import { triggerCampaigns } from './campaigns/trigger-campaigns.ts';
import type { Context, Draft } from './decision/decision.ts';
import { updateLifecycle } from './player/update-lifecycle.ts';
import { reactToCommand } from './react-to-command.ts';
import type { Definitions } from './decision/definitions.ts';

/**
 * Emits the consequences of the draft's facts from `since` on for the players they changed; all commit together. Call
 * it exactly once for every fact. A command may call it before it replies, so that the reply includes the consequences.
 */
export function react(draft: Draft, since: number, definitions: Definitions, context: Context): void {
  // What changes nothing reads no definitions, so every owner answers it in the same way.
  if (since === draft.facts.length) return;
  const { game, environment, at } = context;
  updateLifecycle(draft, since, definitions.settings(game).lifecycle, at);
  reactToCommand(draft, since, definitions.segments(game, environment), at);
  triggerCampaigns(draft, since, definitions.campaigns(game, environment), context);
}
