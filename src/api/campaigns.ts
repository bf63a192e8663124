import { Type } from 'typebox';
import { campaignFaults } from '../../actors/campaigns/campaign-faults.ts';
import type { ConfigEntry } from '../../streams/config/config-store.ts';
import type { CampaignDocument, DocumentAddress } from '../../streams/config/documents.ts';
import { failure, type Failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { answer, type Answer } from './answer.ts';
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
import { changeDefinition, createKeyed, deleteDefinition, type Changed, type Written } from './definition-writes.ts';
import { IfMatch } from './if-match.ts';
import { NextCursor, pageOf, PageQuery } from './paging.ts';
import type { RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';
import { keyFromName } from './segment-resource.ts';

const ROUTE = {
  tag: 'Campaigns',
  auth: { keys: ['server'] },
  limitClass: 'none',
} as const;
const PATH = '/v1/campaigns/campaigns';
const ById = Type.Object({ id: Type.String({ description: 'Id of the campaign.' }) });
const REPLY = { description: 'The campaign.', schema: CampaignShown, example: CAMPAIGN_EXAMPLE } as const;
const CHANGE_ERRORS = ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

const listCampaigns = defineRoute({
  ...ROUTE,
  method: 'GET',
  path: PATH,
  summary: 'List the campaigns',
  description: 'Oldest first.',
  errors: [],
  input: { query: PageQuery },
  reply: {
    statuses: [200],
    description: 'A page of the list.',
    schema: Type.Object(
      { campaigns: Type.Array(CampaignShown, { description: 'Campaigns of this page.' }), next_cursor: NextCursor },
      { description: 'Campaigns.' },
    ),
    example: { campaigns: [CAMPAIGN_EXAMPLE], next_cursor: null },
  },
  action: {
    kind: 'handle',
    handle({ query }, context) {
      const page = pageOf(campaignsOf(context), (entry) => entry.key, query);
      if (page.kind === 'failure') return page;
      const shown = page.items.map(({ document }) => campaignJson(document));
      return answer(`{"campaigns":[${shown.join()}],"next_cursor":${JSON.stringify(page.nextCursor)}}`);
    },
  },
});

const createCampaign = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create a campaign',
  description: 'In effect on this node with the answer.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: CampaignBody },
  reply: { ...REPLY, statuses: [201] },
  example: CAMPAIGN_BODY_EXAMPLE,
  action: { kind: 'handle', handle: ({ body }, context) => create(body, context) },
});

const getCampaign = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'GET',
  path: `${PATH}/{id}`,
  summary: 'Get a campaign',
  errors: ['NOT_FOUND'],
  input: { params: ById },
  reply: { ...REPLY, statuses: [200] },
  action: {
    kind: 'handle',
    handle({ params }, context) {
      const entry = context.services.config.get(addressOf(params.id, context));
      if (entry === undefined) return missing();
      return answer(campaignJson(entry.document), { etag: entry.document.version });
    },
  },
});

const putCampaign = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'PUT',
  path: `${PATH}/{id}`,
  summary: 'Change a campaign, whole',
  description: 'What is left out gets its default. What players had of it so far still counts.',
  idempotent: true,
  errors: CHANGE_ERRORS,
  input: { params: ById, headers: IfMatch, body: CampaignWhole },
  reply: { ...REPLY, statuses: [200] },
  example: CAMPAIGN_BODY_EXAMPLE,
  action: {
    kind: 'handle',
    handle: ({ params, headers, body }, context) =>
      change(params.id, headers, context, (held) => {
        if (body.key === undefined || body.key === held.key) return wholeContent(body, held.key);
        return { kind: 'invalid', faults: [{ path: '/key', message: 'cannot be changed' }] };
      }),
  },
});

const patchCampaign = defineRoute({
  ...ROUTE,
  versioned: true,
  method: 'PATCH',
  path: `${PATH}/{id}`,
  summary: 'Change fields of a campaign',
  description: 'Fields are replaced whole, objects too; null gives a field what it has when left out.',
  idempotent: true,
  errors: CHANGE_ERRORS,
  input: { params: ById, headers: IfMatch, body: CampaignPatch },
  reply: { ...REPLY, statuses: [200] },
  example: { enabled: false },
  action: {
    kind: 'handle',
    handle: ({ params, headers, body }, context) =>
      change(params.id, headers, context, (held) => changedContent(body, held)),
  },
});

const deleteCampaign = defineRoute({
  ...ROUTE,
  method: 'DELETE',
  path: `${PATH}/{id}`,
  summary: 'Delete a campaign',
  description: 'What waits to be delivered no longer is. What is known of the past stays in the tables.',
  idempotent: true,
  errors: CHANGE_ERRORS,
  input: { params: ById, headers: IfMatch },
  reply: {
    statuses: [200],
    description: 'It is gone.',
    schema: Type.Object(
      {
        campaign_id: Type.String({ description: 'Id of the campaign.' }),
        deleted: Type.Boolean({ description: 'Always true.' }),
      },
      { description: 'A deleted campaign.' },
    ),
    example: { campaign_id: CAMPAIGN_EXAMPLE.campaign_id, deleted: true },
  },
  action: {
    kind: 'handle',
    async handle({ params, headers }, context) {
      const { id } = params;
      const deletion = { address: addressOf(id, context), headers, missing, inUse: () => undefined };
      const deleted = await deleteDefinition(deletion, context);
      if (deleted.kind === 'failure') return deleted;
      return answer(JSON.stringify({ campaign_id: id, deleted: true }), { replayed: deleted.replayed });
    },
  },
});

export const campaignRoutes = [listCampaigns, createCampaign, getCampaign, putCampaign, patchCampaign, deleteCampaign];

async function create(body: CampaignBody, context: RequestContext): Promise<Answer> {
  const key = body.key ?? keyFromName(body.name ?? '');
  if (key === '') return invalid([{ path: '/key', message: 'is required: none can be made of the name' }]);
  const content = wholeContent(body, key);
  if (content.kind === 'invalid') return invalid(content.faults);
  const at = context.origin.receivedAt;
  const id = `cmp_${context.services.ids.uuidv7(at)}`;
  const document: CampaignDocument = { id, key, ...content.value, createdAt: at, updatedAt: at, version: 1 };
  const faulty = faultsOf(document, context);
  if (faulty !== undefined) return faulty;
  const full = () => noRoom(campaignsOf(context).length);
  return shown(await createKeyed<'campaign'>({ address: addressOf(id, context), document, taken, full }, context), 201);
}

async function change(
  id: string,
  headers: IfMatch,
  context: RequestContext,
  next: (held: CampaignDocument) => ReturnType<typeof wholeContent>,
): Promise<Answer> {
  const checked = (held: CampaignDocument): Changed<'campaign'> | Failure => {
    const content = next(held);
    if (content.kind === 'invalid') return invalid(content.faults);
    const document = { ...held, ...content.value };
    return faultsOf(document, context, held) ?? { kind: 'changed', document };
  };
  const edit = { address: addressOf(id, context), headers, missing: missing(), change: checked };
  return shown(await changeDefinition(edit, context), 200);
}

/** What is wrong with a definition, beside its shape. @param held what it changes, whose own faults it may keep */
function faultsOf(document: CampaignDocument, context: RequestContext, held?: CampaignDocument): Failure | undefined {
  const { key, services, origin } = context;
  const { game, environment } = key;
  const segmentExists = (id: string): boolean =>
    services.config.get({ game, environment, kind: 'segment', key: id }) !== undefined;
  const faults = campaignFaults(document, { segmentExists, nowMs: origin.receivedAt }, held);
  return faults.length === 0 ? undefined : invalid(faults);
}

function shown(written: Written<'campaign'> | Failure, status: 200 | 201): Answer {
  if (written.kind === 'failure') return written;
  const { document } = written.entry;
  return answer(campaignJson(document), { status, replayed: written.replayed, etag: document.version });
}

function addressOf(id: string, { key }: RequestContext): DocumentAddress<'campaign'> {
  return { game: key.game, environment: key.environment, kind: 'campaign', key: id };
}

function campaignsOf({ key, services }: RequestContext): ConfigEntry<'campaign'>[] {
  return services.config.list('campaign', key.game, key.environment);
}

const missing = (): Failure => failure('NOT_FOUND', 'The campaign does not exist.');
const taken = (): Failure => failure('CONFLICT', 'There is a campaign with that key.', { field: 'key' });

function noRoom(count: number): Failure | undefined {
  if (count < LIMITS.campaignsPerEnvironment) return undefined;
  return failure('CONFLICT', `There are ${LIMITS.campaignsPerEnvironment} campaigns already; delete one first.`);
}
