import { DEFAULT_ZONE } from '../../../core/kernel/zoned-days.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import { compileCondition } from '../../conditions/compile-condition.ts';
import { bucketsIn, seededBucket } from '../../conditions/buckets/hash.ts';
import type { Campaign, Condition, DefinitionLookup } from '../../decision/targeting.ts';
import { playerPart } from './player-part.ts';
import { campaignMessages } from '../message/campaign-messages.ts';
import { minutesOf, quietSpan } from '../quiet-hours.ts';

/** `invalid`: the campaign cannot be evaluated. Paths are JSON Pointers into the definition as on the wire. */
export type CompiledCampaign =
  /** `refusals`: why a new definition must not have the condition. */
  { kind: 'compiled'; campaign: Campaign; refusals: FieldFault[] } | { kind: 'invalid'; faults: FieldFault[] };

/**
 * Compiles a campaign. The hash of flags (GrowthBook's, version 2) over the campaign's and the player's id selects the
 * hold-out: always the same players, independent of other campaigns and flags. A higher percentage releases no player.
 *
 * Reads every field that a definition of another version may lack, so that such a definition throws here and not later.
 * @param onOverBudget called when the trigger's condition exceeds its steps; the condition is then false
 * @param lookup finds the definitions that conditions name, at every evaluation
 * @param gameZone the game's time zone, asked at every evaluation
 */
export function compileCampaign(
  document: CampaignDocument,
  onOverBudget?: () => void,
  lookup?: DefinitionLookup,
  gameZone: () => string = () => DEFAULT_ZONE,
): CompiledCampaign {
  const { id, trigger, caps, displayRules, quietHours, holdoutPercentage } = document;
  const conditions = trigger.kind === 'event' ? trigger.conditions : undefined;
  const condition =
    conditions === undefined ? undefined : compileCondition(conditions, { properties: true, lookup, onOverBudget });
  const below = ({ path, message }: FieldFault): FieldFault => ({ path: `/trigger/conditions${path}`, message });
  const faults = condition?.kind === 'invalid' ? condition.faults.map(below) : [];
  const refusals = condition?.kind === 'compiled' ? condition.refusals.map(below) : [];
  const from = minutesOf(quietHours?.from ?? '00:00');
  const to = minutesOf(quietHours?.to ?? '00:00');
  if (from === undefined) faults.push({ path: '/quiet_hours/from', message: NO_TIME_OF_DAY });
  if (to === undefined) faults.push({ path: '/quiet_hours/to', message: NO_TIME_OF_DAY });
  if (faults.length > 0 || from === undefined || to === undefined) return { kind: 'invalid', faults };

  const ofEvent = condition?.kind === 'compiled' ? condition.condition : undefined;
  const ofPlayer = conditions && playerCondition(conditions, lookup);
  const bucketOf = seededBucket(`${id}:holdout`);
  const heldOut = bucketsIn(holdoutPercentage);
  return {
    kind: 'compiled',
    refusals,
    campaign: {
      id,
      document,
      priority: displayRules.priority,
      caps: { total: caps.total, perDay: caps.perDay },
      accepts: (subject) => (subject.properties === undefined ? ofPlayer : ofEvent)?.matches(subject) ?? true,
      quiet: from === to ? () => undefined : (player, nowMs) => quietSpan(from, to, player, nowMs, gameZone()),
      isHeldOut: (playerId) => bucketOf(playerId) < heldOut,
      ...campaignMessages(document, lookup),
    },
  };
}

/** The part of the trigger's conditions that reads the player. It is part of a condition that compiles. */
function playerCondition(conditions: JsonObject, lookup: DefinitionLookup | undefined): Condition | undefined {
  const part = playerPart(conditions);
  if (Object.keys(part).length === 0) return undefined;
  const compiled = compileCondition(part, { lookup });
  return compiled.kind === 'compiled' ? compiled.condition : undefined;
}

const NO_TIME_OF_DAY = 'must be a time of day as HH:MM, from 00:00 to 23:59';
