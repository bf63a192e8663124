import { Type } from 'typebox';
import { notedReasons, todayOf } from '../../../../actors/campaigns/tally.ts';
import type { CampaignTally, PendingIntervention } from '../../../../core/vocabulary/state/player.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../../../../core/vocabulary/facts/suppression-reasons.ts';
import { dayOf } from '../../../../core/kernel/days.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { PlayerId, textOrNull, timeOrNull, timeOut } from '../../input/fields.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, readBy } from '../../route/route.ts';
import { readPlayerState } from './player-state.ts';

/* The route that tells what campaigns did with a player, from live state. */

const Suppressed = Type.Object(
  {
    at: timeOut('The latest suppression that was recorded.'),
    reasons: Type.Array(Type.Unsafe<SuppressionReason>({ type: 'string', enum: [...SUPPRESSION_REASONS] }), {
      description:
        'Reasons of that UTC day: `cap_total` and `cap_per_day` (caps of the campaign), `cooldown`, ' +
        '`cap_all_campaigns` (interventions of one day), `waiting_full` (too many wait to be shown), `holdout`, ' +
        '`not_eligible` (at delivery the player was not in the audience any more, or did not meet the conditions).',
    }),
  },
  { description: 'Why the campaign gave the player nothing.' },
);

const Campaign = Type.Object(
  {
    campaign_id: Type.String({ description: 'Id of the campaign.' }),
    campaign_key: textOrNull('Key of the campaign; null if it is deleted.'),
    name: textOrNull('Name of the campaign; null if it is deleted.'),
    enabled: Type.Boolean({ description: 'Whether the campaign exists and is enabled.' }),
    interventions: Type.Integer({ description: 'Interventions that it created for the player.' }),
    interventions_shown: Type.Integer({
      description:
        'Those that the player saw. One that was delivered as often as allowed counts as seen, also unreported.',
    }),
    interventions_today: Type.Integer({ description: 'Those of the current UTC day.' }),
    last_intervention_at: timeOrNull('The latest one. ISO 8601, UTC, milliseconds; null without one.'),
    suppressed: Type.Union([Suppressed, Type.Null({ description: 'Nothing was suppressed.' })], {
      description: 'The latest suppression.',
    }),
  },
  { description: 'A campaign that was triggered for the player.' },
);

const Pending = Type.Object(
  {
    intervention_id: Type.String({ description: 'Id of the intervention.' }),
    campaign_id: Type.String({ description: 'Id of its campaign.' }),
    campaign_key: Type.String({ description: 'Key of the campaign when it was triggered.' }),
    created_at: timeOut('When it was triggered.'),
    expires_at: timeOut('Until when it waits to be shown.'),
    variant: textOrNull('The variant of the message; null: it has none.'),
    offers: Type.Integer({ description: 'How many syncs delivered it.' }),
    shown_at: timeOrNull('When the game showed it. ISO 8601, UTC, milliseconds; null if it did not.'),
  },
  { description: 'An intervention that waits to be shown, clicked or dismissed.' },
);

export const getPlayerCampaigns = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/campaigns',
  tag: 'Players',
  summary: 'Get what campaigns did with a player',
  description:
    'Live state: interventions by campaign, why campaigns were suppressed, and the interventions that wait to be ' +
    'shown. Each step of the past is in the timeline. The least recently triggered campaigns of a player are forgotten.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  ...readBy('viewer'),
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: PlayerId }) },
  reply: {
    description: 'The campaigns, the most recently triggered first.',
    schema: Type.Object(
      {
        player_id: PlayerId,
        campaigns: Type.Array(Campaign, { description: 'The campaigns.' }),
        waiting: Type.Array(Pending, { description: 'Interventions that are not over, oldest first.' }),
      },
      { description: 'Campaigns of a player.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      campaigns: [
        {
          campaign_id: 'cmp_019bc0de-1234-7abc-8def-0123456789ab',
          campaign_key: 'come_back',
          name: 'Come back',
          enabled: true,
          interventions: 1,
          interventions_shown: 1,
          interventions_today: 0,
          last_intervention_at: '2026-01-14T18:00:00.000Z',
          suppressed: { at: '2026-01-15T10:30:00.000Z', reasons: ['cooldown'] },
        },
      ],
      waiting: [],
    },
  },
  action: {
    kind: 'service',
    async call({ params }, context) {
      const found = await readPlayerState(params.id, context);
      if (found.kind === 'failure') return found;
      const { id, campaignTallies, interventions } = found.player;
      return jsonAnswer({
        player_id: id,
        campaigns: campaignTallies.map((tally) => campaignOf(tally, context)).toReversed(),
        waiting: interventions.map(pendingOf),
      });
    },
  },
});

function campaignOf(tally: CampaignTally, { key, services }: RequestContext) {
  const { campaignId, total, shown, lastAt, suppressedAt } = tally;
  const { game, environment } = key;
  const held = services.config.get({ kind: 'campaign', game, environment, key: campaignId })?.document;
  return {
    campaign_id: campaignId,
    campaign_key: held?.key ?? null,
    name: held?.name ?? null,
    enabled: held?.enabled ?? false,
    interventions: total,
    interventions_shown: shown,
    interventions_today: todayOf(tally, dayOf(services.clock.wallMs())),
    last_intervention_at: timeOf(lastAt),
    suppressed: suppressedAt === 0 ? null : { at: formatTimestamp(suppressedAt), reasons: notedReasons(tally) },
  };
}

function pendingOf(pending: PendingIntervention) {
  const { interventionId, campaignId, campaignKey, createdAt, expiresAt, variant, offers, shownAt } = pending;
  return {
    intervention_id: interventionId,
    campaign_id: campaignId,
    campaign_key: campaignKey,
    created_at: formatTimestamp(createdAt),
    expires_at: formatTimestamp(expiresAt),
    variant: variant ?? null,
    offers,
    shown_at: timeOf(shownAt),
  };
}

const timeOf = (ms: number): string | null => (ms === 0 ? null : formatTimestamp(ms));
