import { Type, type Static } from 'typebox';
import type { CampaignDocument, CampaignTrigger } from '../../../core/vocabulary/documents/documents.ts';
import { CAMPAIGN_API_LIMITS } from './limits.ts';
import { PLAYER_LIMITS } from '../../../actors/decision/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import {
  BasedOn,
  conditionsOf,
  CurrentKey,
  keyOf,
  MADE_EXAMPLE,
  madeFields,
  madeJson,
  nameOf,
  orNull,
  ReadOnly,
} from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { Warnings } from '../definitions/name-warnings.ts';
import { nullable, oneOf, timeIn } from '../input/fields.ts';
import { Content, CONTENT_EXAMPLE, contentJson, Tested, testedJson, Variants, variantsJson } from './message-fields.ts';
import { LIFECYCLE_STAGES } from '../../../core/vocabulary/state/lifecycle-stages.ts';

/* The campaign resource: schemas of its bodies and responses, its JSON text and its examples. */

const Name = nameOf('Display name. Default: the key.');
const Enabled = Type.Boolean({
  description: 'Whether the campaign triggers and delivers interventions. Default: true.',
});

const segmentIdOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: TEXT_LIMITS.callerIdLength, description });

const Trigger = Type.Object(
  {
    event: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.nameLength,
        description: 'Triggers when the player sends an event with this name.',
      }),
    ),
    conditions: Type.Optional(
      conditionsOf(
        'With `event`: the event triggers only if the condition holds. `properties.<path>` reads the event, other ' +
          'fields the player.',
      ),
    ),
    segment_entered: Type.Optional(segmentIdOf('Triggers when the player enters the segment with this id (`seg_…`).')),
    segment_exited: Type.Optional(segmentIdOf('Triggers when the player leaves the segment with this id (`seg_…`).')),
    lifecycle: Type.Optional(oneOf(LIFECYCLE_STAGES, 'Triggers when the player enters this lifecycle stage.')),
    churn: Type.Optional(oneOf(['high'], "Triggers when the player's churn risk becomes high.")),
    schedule: Type.Optional(
      Type.Object(
        { at: timeIn('Time in the future.') },
        { additionalProperties: false, description: 'Triggers once at this time, for every player of the audience.' },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'The trigger. Send exactly one of its fields, and `conditions` only with `event`.',
  },
);

const Audience = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.callerIdLength,
  description: 'Id of the segment (`seg_…`) that the player must be in. null (default) means all players.',
});

const DisplayRules = Type.Object(
  {
    priority: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.definitionKeyLength,
        description:
          'Order of delivery: `urgent`, `high`, `normal` (or `medium`), `low`, then any other text. Default: `normal`.',
      }),
    ),
    dismiss_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: CAMPAIGN_API_LIMITS.interventionDismissSeconds,
        description: 'Seconds after which the client hides the intervention. 0 (default) means never.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How the client shows the intervention.' },
);

const capOf = (description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: CAMPAIGN_API_LIMITS.campaignCap, description })));

const Caps = Type.Object(
  {
    total: capOf(
      'Maximum number of interventions that a player sees; null means no maximum. Those that wait count too. Default: 1 ' +
        'with `segment_entered` and `segment_exited`, else null.',
    ),
    per_day: capOf(
      'Maximum number of interventions per player and UTC day; null means no maximum. Default: 1 with `lifecycle` and ' +
        '`churn`, else null.',
    ),
  },
  {
    additionalProperties: false,
    description:
      `Frequency caps. All campaigns together deliver at most ${PLAYER_LIMITS.interventionsPerDay} interventions per player ` +
      'and UTC day.',
  },
);

const timeOfDay = (description: string) =>
  Type.String({ minLength: 1, maxLength: 8, description: `${description} HH:MM from 00:00 to 23:59.` });

const QuietHours = Type.Object(
  {
    from: timeOfDay('Start of the quiet hours, time of day.'),
    to: timeOfDay('End of the quiet hours, time of day, exclusive; on the next day if it is earlier than `from`.'),
  },
  {
    additionalProperties: false,
    description:
      "Hours without deliveries, in the time zone of the player's attribute `timezone` (an IANA name, an offset such " +
      "as `+02:00`, or a name that Windows uses), else the game's. What is triggered then is delivered afterwards.",
  },
);

const secondsOf = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: CAMPAIGN_API_LIMITS.campaignSeconds, description });
const CooldownSeconds = secondsOf(0, 'Minimum time between two interventions for one player, seconds. Default: 0.');
const ExpiresAfterSeconds = secondsOf(
  1,
  `Time after which an undelivered intervention expires, seconds. Default: ${CAMPAIGN_API_LIMITS.interventionExpirySeconds}.`,
);
const HoldoutPercentage = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'Percentage of players in the holdout group, 0 to 100, who never get interventions. Default: 0.',
});
const StartAt = timeIn('When the campaign starts to trigger; null means now.');
const EndAt = timeIn('When the campaign stops triggering and delivering; null means never.');

/**
 * The body that creates a campaign. Unknown fields are refused, since a misspelt field would reach the wrong players.
 */
export const CampaignBody = Type.Object(
  {
    key: Type.Optional(keyOf('Key, unique in game and environment. Default: derived from the name.')),
    trigger: Trigger,
    content: Content,
    variants: orNull(Variants),
    tested: ReadOnly,
    name: orNull(Name),
    ...LABEL_FIELDS,
    enabled: orNull(Enabled),
    audience: orNull(Audience),
    display_rules: orNull(DisplayRules),
    caps: orNull(Caps),
    cooldown_seconds: orNull(CooldownSeconds),
    quiet_hours: orNull(QuietHours),
    holdout_percentage: orNull(HoldoutPercentage),
    expires_after_seconds: orNull(ExpiresAfterSeconds),
    start_at: orNull(StartAt),
    end_at: orNull(EndAt),
  },
  { additionalProperties: false, description: 'A campaign. null sets a field to its default.' },
);

export type CampaignBody = Static<typeof CampaignBody>;

/** The body that replaces a campaign. */
export const CampaignWhole = Type.Object(
  { ...CampaignBody.properties, key: CurrentKey, version: BasedOn },
  { additionalProperties: false, description: 'A campaign. null sets a field to its default.' },
);

/** The body that changes fields of a campaign. */
export const CampaignPatch = Type.Object(
  { ...CampaignWhole.properties, trigger: Type.Optional(Trigger), content: Type.Optional(Content) },
  { additionalProperties: false, description: 'Fields to replace. null sets a field to its default.' },
);

export type CampaignPatch = Static<typeof CampaignPatch>;

/** A campaign in a response. */
export const CampaignShown = Type.Object(
  {
    campaign_id: Type.String({ description: 'Id of the campaign.' }),
    key: Type.String({ description: 'Key of the campaign, used in tables and webhooks. It never changes.' }),
    name: Name,
    enabled: Enabled,
    trigger: Trigger,
    warnings: Warnings,
    audience: nullable(Audience),
    content: Content,
    variants: nullable(Variants),
    tested: nullable(Tested),
    display_rules: DisplayRules,
    caps: Caps,
    cooldown_seconds: CooldownSeconds,
    quiet_hours: nullable(QuietHours),
    holdout_percentage: HoldoutPercentage,
    expires_after_seconds: ExpiresAfterSeconds,
    start_at: nullable(StartAt),
    end_at: nullable(EndAt),
    ...LABELS_SHOWN,
    ...madeFields('campaign'),
  },
  { description: 'A campaign.' },
);

/** A campaign as JSON text. */
export function campaignJson(campaign: CampaignDocument): string {
  const { content, variants, tested, displayRules, caps, quietHours } = campaign;
  return JSON.stringify({
    campaign_id: campaign.id,
    key: campaign.key,
    name: campaign.name,
    enabled: campaign.enabled,
    trigger: triggerShown(campaign.trigger),
    audience: campaign.audience,
    content: contentJson(content),
    variants: variants === undefined ? null : variantsJson(variants),
    tested: tested === undefined ? null : testedJson(tested),
    display_rules: { priority: displayRules.priority, dismiss_after_seconds: displayRules.dismissAfterSeconds },
    caps: { total: caps.total, per_day: caps.perDay },
    cooldown_seconds: campaign.cooldownSeconds,
    quiet_hours: quietHours === null ? null : { from: quietHours.from, to: quietHours.to },
    holdout_percentage: campaign.holdoutPercentage,
    expires_after_seconds: campaign.expiresAfterSeconds,
    start_at: formatTimestampOrNull(campaign.startAt),
    end_at: formatTimestampOrNull(campaign.endAt),
    ...labelsJson(campaign),
    ...madeJson(campaign),
  });
}

function triggerShown(trigger: CampaignTrigger): Static<typeof Trigger> {
  switch (trigger.kind) {
    case 'event': {
      const { event, conditions } = trigger;
      return conditions === undefined ? { event } : { event, conditions };
    }
    case 'segment_entered':
      return { segment_entered: trigger.segmentId };
    case 'segment_exited':
      return { segment_exited: trigger.segmentId };
    case 'lifecycle':
      return { lifecycle: trigger.stage };
    case 'churn':
      return { churn: trigger.level };
    case 'schedule':
      return { schedule: { at: formatTimestamp(trigger.at) } };
  }
}

export const CAMPAIGN_BODY_EXAMPLE = {
  key: 'stuck_at_ten',
  name: 'Stuck at level ten',
  enabled: true,
  trigger: { event: 'level_failed', conditions: { 'properties.level': { $gte: 10 } } },
  audience: null,
  content: CONTENT_EXAMPLE,
  variants: null,
  display_rules: { priority: 'high', dismiss_after_seconds: 30 },
  caps: { total: 5, per_day: 1 },
  cooldown_seconds: 3_600,
  quiet_hours: { from: '22:00', to: '08:00' },
  holdout_percentage: 10,
  expires_after_seconds: 604_800,
  start_at: null,
  end_at: '2026-03-01T00:00:00.000Z',
};

export const CAMPAIGN_EXAMPLE = {
  campaign_id: 'cmp_019bc0de-1234-7abc-8def-0123456789ab',
  ...CAMPAIGN_BODY_EXAMPLE,
  tested: null,
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};
