import { Type, type Static } from 'typebox';
import { ask } from '../../../actors/campaigns/campaign-steps.ts';
import { compileCampaign } from '../../../actors/campaigns/define/compile-campaign.ts';
import {
  type CampaignCheck,
  type CampaignExplanation,
  CHECK_NAMES,
  explainCampaign,
} from '../../../actors/campaigns/explain-campaign.ts';
import type { Campaign } from '../../../actors/decision/targeting.ts';
import { metered } from '../../../actors/conditions/steps.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExportedPlayer } from '../../../core/vocabulary/commands/replies.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { PLAYER_LIMITS } from '../../../actors/decision/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { answer, type Answer } from '../route/answer.ts';
import { definitionLookup } from '../explain/current-targeting.ts';
import { ExternalId, freeForm, oneOf, PlayerId, textOrNull, timeOut } from '../input/fields.ts';
import { messageJson } from '../../../core/vocabulary/message.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { INTERVENTION_EXAMPLE, Message } from '../game/intervention.ts';
import { playerIdsOf } from '../players/player-id.ts';
import { scopeOf } from '../analytics/queries.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid, readBy } from '../route/route.ts';
import { wholeContent } from './campaign-content.ts';
import { CAMPAIGN_BODY_EXAMPLE, CampaignBody } from './campaign-resource.ts';
import { documentFaults, withIds } from './campaigns.ts';

/* The route that says what a player would get from a campaign, and why not. */

const name = (description: string) => oneOf(CHECK_NAMES, description);

const Body = Type.Object(
  {
    player: Type.String({
      minLength: 1,
      maxLength: TEXT_LIMITS.externalIdLength,
      format: 'external-id',
      description: 'Id of the player, or your own id (`external_id`).',
    }),
    campaign_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: TEXT_LIMITS.callerIdLength, description: 'Id of a campaign (`cmp_…`).' }),
    ),
    campaign: Type.Optional(CampaignBody),
    properties: Type.Optional(
      Type.Unsafe<JsonObject>(
        freeForm(
          'Properties of an event that would trigger it. Without them, conditions are left open unless the player fails them.',
        ),
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'A player, and either `campaign_id` or a `campaign` that need not exist.',
  },
);
type Body = Static<typeof Body>;

const Check = Type.Object(
  {
    check: name('What is asked, in this order. The first that does not pass decides.'),
    passes: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether the player passes; null: it depends on the properties of the event.',
    }),
    value: Type.Optional(Type.Integer({ description: "The player's number so far, of a cap." })),
    most: Type.Optional(Type.Integer({ description: 'The most that is allowed. Absent: no maximum.' })),
    until: Type.Optional(
      timeOut(
        'When the check can pass again, or when the campaign starts; of `quiet_hours`, which always passes: until when ' +
          'the message is held back.',
      ),
    ),
  },
  { description: 'One check.' },
);

const Explanation = Type.Object(
  {
    player_id: PlayerId,
    external_id: ExternalId,
    explained_at: timeOut('The moment that the answer is about.'),
    outcome: oneOf(
      ['given', 'suppressed', 'not_concerned'],
      'What happens if the trigger occurs now: the message is `given`; it is `suppressed`, and that is recorded; or ' +
        'the campaign does `not_concern` the player, and nothing is recorded.',
    ),
    decided_by: Type.Unsafe<CampaignCheck['check'] | null>({
      type: ['string', 'null'],
      enum: [...CHECK_NAMES, null],
      description: 'The check that decided; null with `given`.',
    }),
    checks: Type.Array(Check, { description: 'All checks.' }),
    messages_before: Type.Integer({ description: 'Messages of this campaign that the player got so far.' }),
    variant: textOrNull('The variant that the player is drawn for; null: the campaign has none.'),
    locale: textOrNull('Language tag of the texts, as the campaign has it; null: those of no language.'),
    content: Type.Object(Message.properties, { description: 'The message as the player would get it now.' }),
    waiting: Type.Integer({ description: 'Messages of all campaigns that wait for the next sync of the player.' }),
  },
  { description: 'What a player would get.' },
);

export const explainCampaignRoute = defineRoute({
  method: 'POST',
  path: '/v1/campaigns/campaigns/explain',
  tag: 'Campaigns',
  summary: 'Explain what a player would get from a campaign, and why not',
  description:
    "Asks what the player's owner would ask if the trigger occurred now, on the live state, and changes nothing. All " +
    'checks are answered, also those after the one that decides. The holdout of a campaign without `campaign_id` is ' +
    'left out, because it follows from the id.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  readsOnly: true,
  errors: ['NOT_FOUND', 'PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { body: Body },
  example: { player: 'player_12345', campaign: CAMPAIGN_BODY_EXAMPLE, properties: { level: 12 } },
  reply: {
    description: 'What the player would get.',
    schema: Explanation,
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      external_id: 'player_12345',
      explained_at: '2026-01-15T10:30:00.000Z',
      outcome: 'suppressed',
      decided_by: 'cap_per_day',
      checks: [
        { check: 'audience', passes: true },
        { check: 'cap_per_day', passes: false, value: 1, most: 1, until: '2026-01-16T00:00:00.000Z' },
      ],
      messages_before: 3,
      variant: null,
      locale: 'de',
      content: INTERVENTION_EXAMPLE.content,
      waiting: 0,
    },
  },
  action: { kind: 'service', call: ({ body }, context) => explain(body, context) },
});

async function explain(body: Body, context: RequestContext): Promise<Answer> {
  const found = documentOf(body, context);
  if (found.kind === 'failure') return found;
  const { zone } = scopeOf(context.key, context.services);
  const compiled = compileCampaign(found.document, undefined, definitionLookup(context), () => zone);
  if (compiled.kind === 'invalid') return invalid(compiled.faults);
  const player = await findPlayer(body.player, context);
  if (player.kind === 'failure') return player;
  const nowMs = context.services.clock.wallMs();
  const { properties } = body;
  // An exported key has no reply; nothing here reads keys.
  const state = { ...player.player, keys: [] };
  const explained = metered(() =>
    explainCampaign(ask(compiled.campaign, { player: state, nowMs, properties }, PLAYER_LIMITS)),
  );
  const about = explanationJson(state, compiled.campaign.id, explained, nowMs);
  return answer(`${about.slice(0, -1)},${messageMembers(compiled.campaign, state, nowMs)}}`);
}

/** The campaign that is asked about, as it is stored or would be. */
function documentOf(
  { campaign, campaign_id: id }: Body,
  context: RequestContext,
): { kind: 'found'; document: CampaignDocument } | Failure {
  const { key, services, origin } = context;
  if ((campaign === undefined) === (id === undefined)) {
    return invalid([{ path: '/campaign', message: 'or `campaign_id` is required, and not both' }]);
  }
  const { game, environment } = key;
  const held = id === undefined ? undefined : services.config.get({ game, environment, kind: 'campaign', key: id });
  if (campaign === undefined) {
    return held === undefined
      ? failure('NOT_FOUND', 'The campaign does not exist.')
      : { kind: 'found', document: held.document };
  }
  const content = wholeContent({ ...campaign, holdout_percentage: 0 }, campaign.key ?? 'draft');
  if (content.kind === 'invalid') return invalid(content.faults.map(belowCampaign));
  const at = origin.receivedAt;
  const document = {
    id: DRAFT,
    key: 'draft',
    ...withIds(content.value, context),
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  const faults = documentFaults(document, context);
  return faults.length === 0 ? { kind: 'found', document } : invalid(faults.map(belowCampaign));
}

const DRAFT = 'cmp_draft';

const belowCampaign = ({ path, message }: { path: string; message: string }) => ({
  path: `/campaign${path}`,
  message,
});

async function findPlayer(
  text: string,
  { key, origin, services }: RequestContext,
): Promise<{ kind: 'player'; player: ExportedPlayer } | Failure> {
  let missing: Failure = failure('PLAYER_NOT_FOUND');
  for (const playerId of playerIdsOf(key, text)) {
    const reply = await services.backend.query(origin, playerId, { kind: 'ExportPlayer', playerId });
    if (reply.kind === 'exported') return { kind: 'player', player: reply.player };
    if (reply.kind !== 'failure') throw new Error(`an export was answered with ${reply.kind}`);
    if (reply.code !== 'PLAYER_NOT_FOUND') return reply;
    missing = reply;
  }
  return missing;
}

/** The message as the player would get it now. */
function messageMembers(campaign: Campaign, player: PlayerState, nowMs: number): string {
  const variant = campaign.variantOf(player.id);
  const message = campaign.render({ player, nowMs }, variant);
  const drawn = JSON.stringify({ variant: variant ?? null, locale: message.locale });
  return `${drawn.slice(1, -1)},"content":${messageJson(message)}`;
}

function explanationJson(
  player: Pick<ExportedPlayer, 'id' | 'externalId' | 'campaignTallies' | 'interventions'>,
  campaignId: string,
  { outcome, decidedBy, checks }: CampaignExplanation,
  nowMs: number,
): string {
  const waiting = checks.find(({ check }) => check === 'waiting_full')?.value ?? 0;
  const tally = player.campaignTallies.find((one) => one.campaignId === campaignId);
  return JSON.stringify({
    player_id: player.id,
    external_id: player.externalId,
    explained_at: formatTimestamp(nowMs),
    outcome,
    decided_by: decidedBy ?? null,
    checks: checks.map(({ check, passes, value, most, until }) => ({
      check,
      passes: passes ?? null,
      ...(value === undefined ? {} : { value }),
      ...(most === undefined ? {} : { most }),
      ...(until === undefined ? {} : { until: formatTimestamp(until) }),
    })),
    messages_before: tally?.total ?? 0,
    waiting,
  });
}
