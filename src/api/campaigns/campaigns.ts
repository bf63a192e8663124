import { Type } from 'typebox';
import { campaignFaults } from '../../../actors/campaigns/define/campaign-faults.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import { CAMPAIGN_API_LIMITS } from './limits.ts';

import { changedContent, wholeContent } from './campaign-content.ts';
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
import { definitionRoutes } from '../definitions/definition-routes.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import { changeDefinition, createKeyed, type Changed, type Written } from '../definitions/definition-writes.ts';
import { IfMatch, type Basis } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, writtenBy } from '../route/route.ts';
import { segmentLookup } from '../segments/segment-lookup.ts';
import { keyFromName } from '../segments/segment-resource.ts';

/* The routes that read and write campaigns. */

const missing = (): Failure => failure('NOT_FOUND', 'The campaign does not exist.');
const taken = (): Failure =>
  failure('CONFLICT', 'Another campaign has this key; choose another key.', { field: 'key' });

const PATH = '/v1/campaigns/campaigns';
const campaigns = definitionRoutes({
  kind: 'campaign',
  tag: 'Campaigns',
  path: PATH,
  many: 'campaigns',
  id: { parameter: 'id', field: 'campaign_id', description: 'Id of the campaign.' },
  schema: CampaignShown,
  example: CAMPAIGN_EXAMPLE,
  toJson: campaignJson,
  missing,
  most: CAMPAIGN_API_LIMITS.campaignsPerEnvironment,
});
const ById = Type.Object({ id: Type.String({ description: 'Id of the campaign.' }) });
const REPLY = { description: 'The campaign.', schema: CampaignShown, example: CAMPAIGN_EXAMPLE } as const;
const CHANGE_ERRORS = ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

const listCampaigns = campaigns.listRoute({
  summary: 'List the campaigns',
  description: 'Ordered by creation time, oldest first.',
});

const createCampaign = defineRoute({
  ...campaigns.shared,
  ...writtenBy('editor', { id: 'campaign.create', of: 'campaign' }),
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create a campaign',
  description: 'The campaign is in effect on this node when the response is sent.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: CampaignBody },
  reply: { ...REPLY, statuses: [201] },
  example: CAMPAIGN_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ body }, context) => create(body, context),
    toAnswer: (written) => campaigns.shown(written, 201),
    warned,
  },
});

const getCampaign = campaigns.getRoute({ summary: 'Get a campaign' });

const putCampaign = defineRoute({
  ...campaigns.shared,
  ...writtenBy('editor', { id: 'campaign.replace', of: 'campaign' }),
  versioned: true,
  method: 'PUT',
  path: campaigns.itemPath,
  summary: 'Replace a campaign',
  description:
    'Fields that you leave out get their defaults. Earlier interventions still count towards caps and cooldown.',
  idempotent: true,
  errors: CHANGE_ERRORS,
  input: { params: ById, headers: IfMatch, body: CampaignWhole },
  reply: REPLY,
  example: CAMPAIGN_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) =>
      change(
        params.id,
        { ...headers, version: body.version },
        context,
        (held) => otherKey(body.key, held) ?? wholeContent(body, held.key),
      ),
    toAnswer: (written) => campaigns.shown(written, 200),
    warned,
  },
});

export const patchCampaign = defineRoute({
  ...campaigns.shared,
  ...writtenBy('editor', { id: 'campaign.patch', of: 'campaign' }),
  versioned: true,
  method: 'PATCH',
  path: campaigns.itemPath,
  summary: 'Change fields of a campaign',
  description: 'Replaces the fields that you send; objects are replaced, not merged. null sets a field to its default.',
  idempotent: true,
  errors: CHANGE_ERRORS,
  input: { params: ById, headers: IfMatch, body: CampaignPatch },
  reply: REPLY,
  example: { enabled: false },
  action: {
    kind: 'write',
    write: ({ params, headers, body }, context) =>
      change(
        params.id,
        { ...headers, version: body.version },
        context,
        (held) => otherKey(body.key, held) ?? changedContent(body, held),
      ),
    toAnswer: (written) => campaigns.shown(written, 200),
    warned,
  },
});

const deleteCampaign = campaigns.deleteRoute({
  summary: 'Delete a campaign',
  ...writtenBy('editor', { id: 'campaign.delete', of: 'campaign' }),
  description: 'Undelivered interventions are dropped. The history stays in the analytics tables.',
});

export const campaignRoutes = [listCampaigns, createCampaign, getCampaign, putCampaign, patchCampaign, deleteCampaign];

function otherKey(key: string | undefined, held: CampaignDocument) {
  if (key === undefined || key === held.key) return undefined;
  const message = 'cannot be changed; leave it out or send the current key';
  return { kind: 'invalid' as const, faults: [{ path: '/key', message }] };
}

function create(body: CampaignBody, context: WriteContext): Failure | Promise<Written<'campaign'> | Failure> {
  const key = body.key ?? keyFromName(body.name ?? '');
  if (key === '') return invalid([{ path: '/key', message: 'is required, since no key can be derived from the name' }]);
  const content = wholeContent(body, key);
  if (content.kind === 'invalid') return invalid(content.faults);
  const at = context.origin.receivedAt;
  const id = `cmp_${context.services.ids.uuidv7(at)}`;
  const document: CampaignDocument = { id, key, ...content.value, createdAt: at, updatedAt: at, version: 1 };
  const faulty = faultsOf(document, context);
  if (faulty !== undefined) return faulty;
  const overQuota = () => campaigns.overQuota(context);
  return createKeyed<'campaign'>({ address: campaigns.addressOf(id, context), document, taken, overQuota }, context);
}

function change(
  id: string,
  basis: Basis,
  context: WriteContext,
  next: (held: CampaignDocument) => ReturnType<typeof wholeContent>,
): Promise<Written<'campaign'> | Failure> {
  const checked = (held: CampaignDocument): Changed<'campaign'> | Failure => {
    const content = next(held);
    if (content.kind === 'invalid') return invalid(content.faults);
    const document = { ...held, ...content.value };
    return faultsOf(document, context, held) ?? { kind: 'changed', document };
  };
  const edit = { address: campaigns.addressOf(id, context), basis, missing: missing(), change: checked };
  return changeDefinition(edit, context);
}

function faultsOf(document: CampaignDocument, context: RequestContext, held?: CampaignDocument): Failure | undefined {
  const faults = documentFaults(document, context, held);
  return faults.length === 0 ? undefined : invalid(faults);
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
  const { id, trigger } = document;
  const conditions = trigger.kind === 'event' ? [trigger.conditions ?? null] : [];
  return computedFaults({ kind: 'campaign', key: id, conditions }, '/trigger/conditions', context);
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
