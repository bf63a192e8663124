import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import { campaignFaults } from '../../../actors/campaigns/define/campaign-faults.ts';
import { textsOf } from '../../../actors/campaigns/define/campaign-conditions.ts';
import { placeholdersOf } from '../../../actors/campaigns/message/template.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { MessageContent } from '../../../core/vocabulary/message.ts';
import type { Failure, FieldFault } from '../../../core/kernel/errors.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import { CAMPAIGN_API_LIMITS } from './limits.ts';
import { type CampaignContent, changedContent, wholeContent } from './campaign-content.ts';
import {
  CAMPAIGN_BODY_EXAMPLE,
  CAMPAIGN_EXAMPLE,
  CampaignBody,
  campaignJson,
  CampaignPatch,
  CampaignShown,
  CampaignWhole,
} from './campaign-resource.ts';
import { computedFaults } from '../definitions/computed-quota.ts';
import { keyFaults } from '../definitions/definition-fields.ts';
import { SWITCHED } from '../definitions/definition-list.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import { createSchedules } from '../definitions/schedule/schedule-routes.ts';
import { remaking } from '../definitions/history/remaking.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import type { RequestContext } from '../route/request-context.ts';
import { invalid, writtenBy } from '../route/route.ts';
import { segmentLookup, withSegmentIds } from '../segments/segment-lookup.ts';
import { keyFromName } from '../segments/segment-resource.ts';

/* The routes that read and write campaigns. */

const campaigns = definitionRoutes({
  kind: 'campaign',
  states: SWITCHED,
  tag: 'Campaigns',
  path: '/v1/campaigns/campaigns',
  one: 'campaign',
  many: 'campaigns',
  id: { parameter: 'id', field: 'campaign_id', description: 'Id of the campaign.' },
  idOf: ({ id }) => id,
  keyOf: ({ key }) => key,
  schema: CampaignShown,
  example: CAMPAIGN_EXAMPLE,
  toJson: campaignJson,
  most: CAMPAIGN_API_LIMITS.campaignsPerEnvironment,
});

export const patchCampaign = campaigns.changeRoute({
  ...writtenBy('editor', { id: 'campaign.patch', of: 'campaign' }),
  method: 'PATCH',
  description: 'Replaces the fields that you send; objects are replaced, not merged. null sets a field to its default.',
  body: CampaignPatch,
  example: { enabled: false },
  change: (body, context) => (held) => changed(held, body.key, changedContent(body, held), context),
  warned,
});

const replacing = {
  body: CampaignWhole,
  change: (body: Static<typeof CampaignWhole>, context: RequestContext) => (held: CampaignDocument) =>
    changed(held, body.key, wholeContent(body, held.key), context),
};

export const campaignSchedules = createSchedules<'campaign', typeof CampaignWhole>(
  {
    kind: 'campaign',
    routes: campaigns,
    idIn: ({ id = '' }) => id,
    toJson: campaignJson,
  },
  {
    role: 'editor',
    approvals: { add: 'campaign.schedule.add', cancel: 'campaign.schedule.cancel' },
    by: replacing,
  },
);

export const campaignRoutes = [
  campaigns.listRoute({ description: 'Ordered by creation time, oldest first.' }),
  campaigns.createRoute({
    ...writtenBy('editor', { id: 'campaign.create', of: 'campaign' }),
    description: 'The campaign is in effect on this node when the response is sent.',
    body: CampaignBody,
    example: CAMPAIGN_BODY_EXAMPLE,
    make,
    warned,
  }),
  campaigns.getRoute(),
  campaigns.changeRoute({
    ...writtenBy('editor', { id: 'campaign.replace', of: 'campaign' }),
    method: 'PUT',
    description:
      'Fields that you leave out get their defaults. Earlier interventions still count towards caps and cooldown.',
    ...replacing,
    example: CAMPAIGN_BODY_EXAMPLE,
    warned,
  }),
  patchCampaign,
  campaigns.deleteRoute({
    ...writtenBy('editor', { id: 'campaign.delete', of: 'campaign' }),
    description: 'Undelivered interventions are dropped. The history stays in the analytics tables.',
  }),
  ...campaigns.historyRoutes(),
  ...campaigns.restoreRoutes({
    ...writtenBy('editor', { id: 'campaign.restore', of: 'campaign' }),
    by: replacing,
    again: remaking({ body: CampaignBody, make, identified: (document, id) => ({ ...document, id }) }),
  }),
  ...campaignSchedules.routes,
];

function make(body: CampaignBody, context: RequestContext): CampaignDocument | Failure {
  const key = body.key ?? keyFromName(body.name ?? '');
  if (key === '') return invalid([{ path: '/key', message: 'is required, since no key can be derived from the name' }]);
  const content = wholeContent(body, key);
  if (content.kind === 'invalid') return invalid(content.faults);
  const value = withIds(content.value, context);
  const id = `cmp_${context.services.ids.uuidv7(context.origin.receivedAt)}`;
  return sound(tested({ id, key, ...value, ...firstVersion(context) }, undefined), context);
}

function changed(
  held: CampaignDocument,
  key: string | undefined,
  content: ReturnType<typeof wholeContent>,
  context: RequestContext,
): CampaignDocument | Failure {
  const faults = keyFaults(key, held.key);
  if (faults.length > 0) return invalid(faults);
  if (content.kind === 'invalid') return invalid(content.faults);
  const { variants: _, ...kept } = held;
  const document = { ...kept, ...withIds(content.value, context), version: held.version + 1 };
  return sound({ ...tested(document, held), version: held.version }, context, held);
}

/** A campaign that says since when its variants are drawn as they are. */
function tested(document: CampaignDocument, held: CampaignDocument | undefined): CampaignDocument {
  const { variants, version } = document;
  if (variants === undefined) return document;
  const drawn = variants.map(({ key, weight }) => ({ key, weight }));
  const goesOn = held?.variants !== undefined && isDeepStrictEqual(held.tested?.variants, drawn);
  return goesOn ? document : { ...document, tested: { since: version, variants: drawn } };
}

/** Content that names segments by their ids in conditions. */
export function withIds(content: CampaignContent, context: RequestContext): CampaignContent {
  const { trigger } = content;
  if (trigger.kind !== 'event' || trigger.conditions === undefined) return content;
  return { ...content, trigger: { ...trigger, conditions: withSegmentIds(trigger.conditions, context) } };
}

function sound(
  document: CampaignDocument,
  context: RequestContext,
  held?: CampaignDocument,
): CampaignDocument | Failure {
  const faults = documentFaults(document, context, held);
  return faults.length === 0 ? document : invalid(faults);
}

/**
 * The faults of a campaign that its schema cannot express.
 * @param held the current campaign, whose faults the changed one may keep
 */
export function documentFaults(
  document: CampaignDocument,
  context: RequestContext,
  held?: CampaignDocument,
): FieldFault[] {
  const around = { ...segmentLookup(context), nowMs: context.origin.receivedAt };
  const faults = campaignFaults(document, around, held);
  if (faults.length > 0) return faults;
  const { id: key, trigger, content, variants = [] } = document;
  const conditions = trigger.kind === 'event' ? [trigger.conditions ?? null] : [];
  return [
    ...computedFaults({ kind: 'campaign', key, conditions }, '/trigger/conditions', context),
    ...unknownFields(content, '/content', context),
    ...variants.flatMap((variant, place) =>
      variant.content === undefined ? [] : unknownFields(variant.content, `/variants/${place}/content`, context),
    ),
  ].slice(0, VALIDATION_LIMITS.reportedFaults);
}

/** Placeholders of computed properties that do not exist, each at its place. */
function unknownFields(content: MessageContent, path: string, context: RequestContext): FieldFault[] {
  return textsOf(content).flatMap((text) => {
    const conditions = placeholdersOf(text.text).map(({ field }) => ({ [field]: { $exists: true } }));
    return conditions.length === 0
      ? []
      : computedFaults({ kind: 'campaign', key: '', conditions }, `${path}${text.path}`, context);
  });
}

/** The name of the trigger's event is checked as a condition on it would be. */
function warned({ body: { trigger } }: { body: Pick<CampaignPatch, 'trigger'> }): WarnedConditions[] {
  const event = trigger?.event;
  if (trigger === undefined || event === undefined) return [];
  const { conditions } = trigger;
  return [
    { conditions: { events: { name: event } }, path: '/trigger', pathOfName: '/trigger/event' },
    ...(conditions === undefined ? [] : [{ conditions, path: '/trigger/conditions', event }]),
  ];
}
