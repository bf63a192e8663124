import { Type } from 'typebox';
import type { ProposalDocument } from '../../../actors/vocabulary/proposal.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { roleIn } from '../../../streams/config/user-roles.ts';
import { userAddress } from '../../../streams/config/users.ts';
import { failure } from '../../kernel/errors.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import { answer, type Answer } from '../answer.ts';
import { leastRoleOf, mayAct } from '../console/permissions.ts';
import { timeOut } from '../fields.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute } from '../route.ts';

/*
 * Changes that wait for a second person.
 *
 * Invariants
 * 1. Whoever proposed a change cannot approve it.
 * 2. An approved change is made once, on the version that it was proposed on, as the request of the approver.
 * 3. A proposal of somebody who lost the role is worth nothing.
 */

const PATH = '/v1/console/approvals';
const shared = { tag: 'Console', auth: { keys: [], session: true }, limitClass: 'none' } as const;
const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the proposal.' }) });

const Proposal = Type.Object(
  {
    id: Type.String({ description: 'Id of the proposal.' }),
    method: Type.String({ description: 'Method of the request.' }),
    path: Type.String({ description: 'Path of the request, with `{name}` for parameters.' }),
    params: Type.Unsafe<Record<string, string>>({ type: 'object', description: 'Parameters of the path.' }),
    body: Type.Unknown({ description: 'Body of the request; null if it has none.' }),
    kind: Type.Unsafe<ProposalDocument['kind']>({
      type: 'string',
      enum: ['flag', 'campaign'],
      description: 'What it changes.',
    }),
    key: Type.String({ description: 'Key of the flag or campaign; empty if it makes a new one.' }),
    version: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The version that it is based on; null if it makes a new one.',
    }),
    proposed_by: Type.String({ description: 'E-mail address of the user who proposed it.' }),
    own: Type.Boolean({ description: 'Whether you proposed it, so that somebody else approves it.' }),
    created_at: timeOut('When it was proposed.'),
  },
  { description: 'A change that waits for a second person.' },
);
const EXAMPLE = {
  id: '019bc0de-1234-7abc-8def-0123456789ab',
  method: 'PATCH',
  path: '/v1/flags/flags/{key}',
  params: { key: 'new_shop' },
  body: { enabled: true },
  kind: 'flag',
  key: 'new_shop',
  version: 3,
  proposed_by: 'ann@example.com',
  own: false,
  created_at: '2026-01-15T10:30:00.000Z',
};

const addressOf = ({ params: { id } }: { params: { id: string } }, { key: { game, environment } }: RequestContext) =>
  ({ game, environment, kind: 'proposal', key: id.toLowerCase() }) as const;

const listApprovals = defineRoute({
  ...shared,
  method: 'GET',
  path: PATH,
  summary: 'List the changes that wait for a second person',
  description: 'Oldest first. `games set <id> --approval on` makes changes of live flags and campaigns by people wait.',
  errors: [],
  input: {},
  reply: {
    statuses: [200],
    description: 'The changes.',
    schema: Type.Object(
      { approvals: Type.Array(Proposal, { description: 'The changes.' }) },
      { description: 'Changes that wait.' },
    ),
    example: { approvals: [EXAMPLE] },
  },
  action: {
    kind: 'config',
    read(_, { key, services: { config } }) {
      const approvals = config
        .list('proposal', key.game, key.environment)
        .toSorted((one, other) => one.document.createdAt - other.document.createdAt)
        .map(({ document }: ConfigEntry<'proposal'>) => ({
          id: document.id,
          method: document.method,
          path: document.path,
          params: document.params,
          body: document.body ?? null,
          kind: document.kind,
          key: document.key,
          version: document.version,
          proposed_by: document.by.email,
          own: document.by.id === key.id,
          created_at: formatTimestamp(document.createdAt),
        }));
      return answer(JSON.stringify({ approvals }));
    },
  },
});

const Settled = Type.Object(
  { id: Type.String({ description: 'Id of the proposal.' }) },
  { description: 'A change that waits no more.' },
);

const approve = defineRoute({
  ...shared,
  method: 'POST',
  path: `${PATH}/{id}/approve`,
  summary: 'Approve a change',
  description:
    'Makes the change. If the flag or campaign changed since it was proposed, the answer is 412 and the change waits on: ' +
    'reject it, and propose it again.',
  repeatsById: true,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: { params },
  reply: { statuses: [200], description: 'The change is made.', schema: Settled, example: { id: EXAMPLE.id } },
  action: {
    kind: 'service',
    async call(input, context): Promise<Answer> {
      const { config } = context.services;
      const address = addressOf(input, context);
      const held = config.get(address);
      if (held === undefined) return NONE;
      const { id, by, method, path } = held.document;
      if (by.id === context.key.id) return OWN;
      const proposer = config.get(userAddress(by.id))?.document;
      const role = proposer && roleIn(proposer, context.key.game, context.key.environment);
      const least = leastRoleOf({ method, path });
      if (least === undefined || role === undefined || !mayAct(role, least)) return LOST_ROLE;
      // Taken first, so that two approvals at the same time make it once.
      if (!(await config.delete(address, held.revision))) return failure('SERVICE_UNAVAILABLE');
      const made = (await context.perform?.(held.document)) ?? NONE;
      if (made.kind !== 'failure') return answer(JSON.stringify({ id }));
      await config.put(address, held.document, 0);
      return made;
    },
  },
});

const reject = defineRoute({
  ...shared,
  method: 'DELETE',
  path: `${PATH}/{id}`,
  summary: 'Reject a change, or take back your own',
  repeatsById: true,
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params },
  reply: { statuses: [200], description: 'It waits no more.', schema: Settled, example: { id: EXAMPLE.id } },
  action: {
    kind: 'service',
    async call(input, context) {
      const address = addressOf(input, context);
      const held = context.services.config.get(address);
      if (held === undefined) return NONE;
      const gone = await context.services.config.delete(address, held.revision);
      return gone ? answer(JSON.stringify({ id: held.document.id })) : failure('SERVICE_UNAVAILABLE');
    },
  },
});

export const approvalRoutes = [listApprovals, approve, reject];

const NONE = failure('NOT_FOUND', 'No such change waits: it was approved, rejected or taken back.');
const OWN = failure('FORBIDDEN', 'You proposed this change, so somebody else approves it.');
const LOST_ROLE = failure('CONFLICT', 'Whoever proposed this change may not make it any more. Reject it.');
