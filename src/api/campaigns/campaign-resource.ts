import { Type, type Static } from 'typebox';
import type { CampaignDocument, CampaignTrigger } from '../../../actors/vocabulary/documents.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import { conditionsOf, keyOf, nameOf, orNull, ReadOnly } from '../definitions/definition-fields.ts';
import { timeIn, timeOut } from '../fields.ts';
import type { LifecycleStage } from '../../../actors/vocabulary/player.ts';

const Name = nameOf('For people; the key when left out.');
const Enabled = Type.Boolean({
  description: 'Whether it triggers, and delivers what it triggered; true when left out.',
});

const segmentIdOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.callerIdLength, description });

const Trigger = Type.Object(
  {
    event: Type.Optional(
      Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description: 'The player does this.' }),
    ),
    conditions: Type.Optional(
      conditionsOf('With `event`: only if it holds; `properties.<path>` reads the event, other fields the player.'),
    ),
    segment_entered: Type.Optional(segmentIdOf('The player enters this segment.')),
    segment_exited: Type.Optional(segmentIdOf('The player leaves this segment.')),
    lifecycle: Type.Optional(
      Type.Unsafe<LifecycleStage>({
        type: 'string',
        enum: ['new', 'active', 'at_risk', 'churned', 'reactivated'],
        description: 'The player comes to this stage of life.',
      }),
    ),
    churn: Type.Optional(
      Type.Unsafe<'high'>({ type: 'string', enum: ['high'], description: 'The player becomes a high churn risk.' }),
    ),
    schedule: Type.Optional(
      Type.Object(
        { at: timeIn('When; in the future.') },
        { additionalProperties: false, description: 'At this time: every player of the audience there is, once.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'What sets it off for a player: exactly one of these.' },
);

const Audience = Type.String({
  minLength: 1,
  maxLength: LIMITS.callerIdLength,
  description: 'Id of the segment a player must be in; null: all players.',
});

const Content = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: LIMITS.interventionTitleLength, description: 'The headline.' }),
    body: Type.String({ minLength: 1, maxLength: LIMITS.interventionBodyLength, description: 'The text.' }),
    cta: Type.Optional(
      Type.String({ maxLength: LIMITS.interventionCtaLength, description: 'On the button; none when empty.' }),
    ),
  },
  { additionalProperties: false, description: 'What the player sees.' },
);

const DisplayRules = Type.Object(
  {
    priority: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.definitionKeyLength,
        description:
          'urgent, high, normal (or medium), low: in this order they are delivered. Any other text comes after these. ' +
          'normal when left out.',
      }),
    ),
    dismiss_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.interventionDismissSeconds,
        description: 'Seconds after which the client takes it away by itself; 0, or left out: never.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How the client shows it.' },
);

const capOf = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: LIMITS.campaignCap, description }),
  );

const Caps = Type.Object(
  {
    total: capOf('Times one player gets it at most; null: any number.'),
    per_day: capOf('Times one player gets it on one UTC day at most; null: any number.'),
  },
  {
    additionalProperties: false,
    description: `How often. Beside it a player gets at most ${LIMITS.interventionsPerDay} a UTC day of all campaigns.`,
  },
);

const timeOfDay = (description: string) =>
  Type.String({ minLength: 1, maxLength: 8, description: `${description} HH:MM, 00:00 to 23:59.` });

const QuietHours = Type.Object(
  { from: timeOfDay('From this time of day,'), to: timeOfDay('until just before this one, past midnight if earlier.') },
  {
    additionalProperties: false,
    description:
      'When nothing is triggered or delivered, on the clock of the player’s attribute `timezone` (an IANA name), else UTC.',
  },
);

const secondsOf = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: LIMITS.campaignSeconds, description });
const CooldownSeconds = secondsOf(0, 'Seconds between two of them for one player; 0 when left out.');
const ExpiresAfterSeconds = secondsOf(
  1,
  `Seconds for which it waits to be delivered; ${LIMITS.interventionExpirySeconds} when left out.`,
);
const HoldoutPercentage = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'Share of players, 0 to 100, who get nothing, always the same ones, to compare with; 0 when left out.',
});
const StartAt = timeIn('From when it triggers; null: from now on.');
const EndAt = timeIn('Until when it triggers and delivers; null: for ever.');

const optional = {
  name: orNull(Name),
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
};

/** A campaign as it is created. Unknown fields are refused: a misspelt one would reach the wrong players. */
export const CampaignBody = Type.Object(
  {
    key: Type.Optional(keyOf('Unique in game and environment; made of the name when left out.')),
    trigger: Trigger,
    content: Content,
    ...optional,
  },
  { additionalProperties: false, description: 'A campaign. null stands for what a field is when left out.' },
);

export type CampaignBody = Static<typeof CampaignBody>;

/** A campaign as it is put: whole. */
export const CampaignWhole = Type.Object(
  {
    key: Type.Optional(keyOf('As it is: a key never changes.')),
    trigger: Trigger,
    content: Content,
    ...optional,
    campaign_id: ReadOnly,
    version: ReadOnly,
    created_at: ReadOnly,
    updated_at: ReadOnly,
  },
  { additionalProperties: false, description: 'A campaign. null stands for what a field is when left out.' },
);

/** What changes of a campaign. */
export const CampaignPatch = Type.Object(
  { trigger: Type.Optional(Trigger), content: Type.Optional(Content), ...optional },
  { additionalProperties: false, description: 'Merged over the campaign field by field; null: as when left out.' },
);

export type CampaignPatch = Static<typeof CampaignPatch>;

/** A campaign as it is shown. */
export const CampaignShown = Type.Object(
  {
    campaign_id: Type.String({ description: 'Id of the campaign.' }),
    key: Type.String({ description: 'Its name for tables and hooks; never changes.' }),
    name: Name,
    enabled: Enabled,
    trigger: Trigger,
    audience: Type.Unsafe<string | null>({ ...Audience, type: ['string', 'null'] }),
    content: Content,
    display_rules: DisplayRules,
    caps: Caps,
    cooldown_seconds: CooldownSeconds,
    quiet_hours: Type.Unsafe<Static<typeof QuietHours> | null>({ ...QuietHours, type: ['object', 'null'] }),
    holdout_percentage: HoldoutPercentage,
    expires_after_seconds: ExpiresAfterSeconds,
    start_at: Type.Unsafe<string | null>({ ...StartAt, type: ['string', 'null'] }),
    end_at: Type.Unsafe<string | null>({ ...EndAt, type: ['string', 'null'] }),
    version: Type.Integer({ description: 'Counts changes, from 1.' }),
    created_at: timeOut('When it was created.'),
    updated_at: timeOut('When it was last changed.'),
  },
  { description: 'A campaign.' },
);

/** A campaign as JSON text. */
export function campaignJson(campaign: CampaignDocument): string {
  const { content, displayRules, caps, quietHours } = campaign;
  return JSON.stringify({
    campaign_id: campaign.id,
    key: campaign.key,
    name: campaign.name,
    enabled: campaign.enabled,
    trigger: triggerShown(campaign.trigger),
    audience: campaign.audience,
    content: { title: content.title, body: content.body, cta: content.cta },
    display_rules: { priority: displayRules.priority, dismiss_after_seconds: displayRules.dismissAfterSeconds },
    caps: { total: caps.total, per_day: caps.perDay },
    cooldown_seconds: campaign.cooldownSeconds,
    quiet_hours: quietHours === null ? null : { from: quietHours.from, to: quietHours.to },
    holdout_percentage: campaign.holdoutPercentage,
    expires_after_seconds: campaign.expiresAfterSeconds,
    start_at: timeOrNull(campaign.startAt),
    end_at: timeOrNull(campaign.endAt),
    version: campaign.version,
    created_at: formatTimestamp(campaign.createdAt),
    updated_at: formatTimestamp(campaign.updatedAt),
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

function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatTimestamp(epochMs);
}

export const CAMPAIGN_BODY_EXAMPLE = {
  key: 'stuck_at_ten',
  name: 'Stuck at level ten',
  enabled: true,
  trigger: { event: 'level_failed', conditions: { 'properties.level': { $gte: 10 } } },
  audience: null,
  content: { title: 'Stuck?', body: 'Here is a hint.', cta: 'Show me' },
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
  version: 1,
  created_at: '2026-01-15T10:30:00.000Z',
  updated_at: '2026-01-15T10:30:00.000Z',
};
