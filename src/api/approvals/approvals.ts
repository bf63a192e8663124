import { TARGETING_KINDS } from '../../../core/vocabulary/documents/document-kinds.ts';
import { Type } from 'typebox';
import type { DocumentAddress } from '../../../core/vocabulary/documents/documents.ts';
import type { ProposalDocument } from '../../../core/vocabulary/documents/proposal.ts';
import { roleIn } from '../../../streams/config/people/user-roles.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { failure, isTemporary } from '../../../core/kernel/errors.ts';
import { APPROVAL_LIMITS } from './limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { type Answer, answer, jsonAnswer } from '../route/answer.ts';
import { changed } from '../definitions/definition-writes.ts';
import { isOutdated, outdatedFailure } from './outdated.ts';
import { rebase } from './rebase.ts';
import { expiryOf, waitingProposals } from './proposals.ts';
import { type Approval, mayAct } from '../route/access.ts';
import { integerOrNull, oneOf, textOrNull, timeOut } from '../input/fields.ts';
import type { DecideContext, RequestContext } from '../route/request-context.ts';
import { reasonHeader } from '../input/change-reason.ts';
import { NextCursor, PageQuery, textPageOf } from '../input/paging.ts';
import { defineRoute, type KeyedRoute, readBy, type Route, writtenBy } from '../route/route.ts';
import { isMade } from './made-proposals.ts';

/*
 * Changes that wait for a second person.
 *
 * Invariants
 * 1. Whoever proposed a change cannot approve it.
 * 2. An approved change is made once, on the version that it was proposed on, as the request of the approver.
 * 3. A proposal cannot be approved once its author has lost the role.
 * 4. An approval is stored before its change is made, and the proposal is removed afterwards. So a crash loses nothing,
 *    and a rejection never follows a change: the next request finds the mark of the change, or makes the change.
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
    kind: oneOf(TARGETING_KINDS, 'What it changes.'),
    key: Type.String({ description: 'Key of the definition; empty if it makes a new one.' }),
    version: integerOrNull('The version that it is based on; null if it makes a new one.'),
    reason: textOrNull('The reason that came with the proposal (`X-Change-Reason`); null: none.'),
    proposed_by: Type.String({ description: 'E-mail address of the user who proposed it.' }),
    own: Type.Boolean({ description: 'Whether you proposed it, so that another person must approve it.' }),
    outdated: Type.Boolean({
      description: 'Whether the definition changed since: it cannot be approved before `rebase`, or a new proposal.',
    }),
    approving: Type.Boolean({
      description: 'Whether it was approved and the change is not confirmed. Approve it again after a minute.',
    }),
    created_at: timeOut('When it was proposed.'),
    expires_at: timeOut('When it expires without a decision.'),
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
  reason: 'The shop is ready.',
  proposed_by: 'ann@example.com',
  own: false,
  outdated: false,
  approving: false,
  created_at: '2026-01-15T10:30:00.000Z',
  expires_at: '2026-01-22T10:30:00.000Z',
};

/** The routes whose changes may wait, by the ids that they declare. */
type Changes = ReadonlyMap<string, Change>;

interface Change extends Pick<Approval, 'of' | 'in'> {
  route: KeyedRoute;
}

function changesOf(routes: readonly Route[]): Changes {
  const changes = new Map<string, Change>();
  for (const route of routes) {
    if (route.kind !== 'keyed' || route.approval === 'none') continue;
    const { id, ...change } = route.approval;
    if (changes.has(id)) throw new Error(`two routes declare the approval \`${id}\``);
    changes.set(id, { route, ...change });
  }
  return changes;
}

const addressOf = ({ params: { id } }: { params: { id: string } }, { key: { game, environment } }: RequestContext) =>
  ({ game, environment, kind: 'proposal', key: id.toLowerCase() }) as const;

const listApprovals = (changes: Changes): KeyedRoute =>
  defineRoute({
    ...shared,
    ...readBy('viewer', 'none'),
    method: 'GET',
    path: PATH,
    summary: 'List the changes that wait for a second person',
    description:
      'Oldest first, in pages that also end early when they are long. `games set <id> --approval on` makes changes by ' +
      'people wait: of live flags, active experiments, campaigns, overrides, and the segments and properties that they use.',
    errors: [],
    input: { query: PageQuery },
    reply: {
      description: 'The changes.',
      schema: Type.Object(
        { approvals: Type.Array(Proposal, { description: 'The changes.' }), next_cursor: NextCursor },
        { description: 'A page of changes that wait.' },
      ),
      example: { approvals: [EXAMPLE], next_cursor: null },
    },
    action: {
      kind: 'config',
      read({ query }, context) {
        const { key, services } = context;
        const waiting = waitingProposals(services, key).flatMap(({ document }) => {
          const change = changes.get(document.change);
          return change === undefined ? [] : [{ document, ...change }];
        });
        // Ids begin with the time at which they were made.
        const page = textPageOf(
          waiting,
          ({ document }) => document.id,
          (shown) => JSON.stringify(proposalJson(shown, context)),
          query,
          { mostChars: APPROVAL_LIMITS.proposalPageChars },
        );
        if (page.kind === 'failure') return page;
        return answer(`{"approvals":[${page.items.join()}],"next_cursor":${JSON.stringify(page.nextCursor)}}`);
      },
    },
  });

function proposalJson(
  { document, route, of }: Change & { document: ProposalDocument },
  context: Pick<RequestContext, 'key' | 'services'>,
) {
  const { key: caller, services } = context;
  const { id, params, body = null, key, version, reason = null, by, createdAt } = document;
  const { method, path } = route;
  const who = { proposed_by: by.email, own: by.id === caller.id, approving: document.approving !== undefined };
  const outdated = isOutdated(document, of, context);
  const times = {
    created_at: formatTimestamp(createdAt),
    expires_at: formatTimestamp(expiryOf(document, caller.game, services.config)),
  };
  return { id, method, path, params, body, kind: of, key, version, reason, ...who, outdated, ...times };
}

const Settled = Type.Object(
  { id: Type.String({ description: 'Id of the proposal.' }) },
  { description: 'A change that waits no more.' },
);

const approve = (changes: Changes): KeyedRoute =>
  defineRoute({
    ...shared,
    ...writtenBy('editor', 'none', 'none'),
    method: 'POST',
    path: `${PATH}/{id}/approve`,
    summary: 'Approve a change',
    description:
      'Makes the change. If the definition changed since it was proposed, the answer is 409 with `details.changed` in words, ' +
      'and the change waits on: its author rebases it, or proposes it again. A change is made once, however often you ' +
      'repeat this: after a 503, send it again.',
    repeatsById: true,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { params },
    reply: { description: 'The change is made.', schema: Settled, example: { id: EXAMPLE.id } },
    action: {
      kind: 'decide',
      async decide(input, context) {
        const { config, clock } = context.services;
        const address = addressOf(input, context);
        const held = config.get(address);
        const change = changes.get(held?.document.change ?? '');
        if (
          held === undefined ||
          change === undefined ||
          clock.wallMs() >= expiryOf(held.document, address.game, config)
        )
          return NONE;
        const { approving, ...proposal } = held.document;
        if (proposal.by.id === context.key.id) return OWN;
        if (approving !== undefined && approving.by !== context.key.id && isRecent(approving, context)) return BUSY;
        const settled = jsonAnswer({ id: proposal.id });
        if (approving !== undefined && isMade(proposal, change, address, config)) {
          return (await context.writes.delete(address, held.revision)) ? settled : failure('SERVICE_UNAVAILABLE');
        }
        if (!mayStillPropose(proposal, change, context)) return LOST_ROLE;
        if (isOutdated(proposal, change.of, context)) return outdatedFailure(proposal, change.of, context);
        const made = await claimAndMake(proposal, change, { address, revision: held.revision }, context);
        if (made.kind !== 'failure') return settled;
        // Another request changed it while this one ran.
        return made.code === 'PRECONDITION_FAILED' ? outdatedFailure(proposal, change.of, context) : made;
      },
    },
  });

/** Makes an approved change, after storing who approves it. */
async function claimAndMake(
  proposal: ProposalDocument,
  { route }: Change,
  { address, revision }: { address: DocumentAddress<'proposal'>; revision: number },
  { key, writes, perform, services: { clock } }: DecideContext,
): Promise<Answer> {
  const mine = { ...proposal, approving: { by: key.id, at: clock.wallMs() } };
  const claimed = await writes.put(address, mine, revision);
  if (claimed.kind !== 'written') return claimed.kind === 'conflict' ? BUSY : failure('SERVICE_UNAVAILABLE');
  const { id, params, body, version, reason = '' } = proposal;
  const headers = { ...(version === null ? {} : { 'If-Match': String(version) }), ...reasonHeader(reason) };
  const input = { params, query: {}, headers, ...(body === undefined ? {} : { body }) };
  const made = await perform({ id, route, input });
  // If the deletion fails, the mark of the change says that it was made.
  if (made.kind !== 'failure') await writes.delete(address, claimed.entry.revision);
  // After a temporary failure it is unknown whether the change was made, so it cannot be rejected.
  else if (!isTemporary(made.code)) await writes.put(address, proposal, claimed.entry.revision);
  return made;
}

type Approving = NonNullable<ProposalDocument['approving']>;

/** Whether a request of the approver may still be on its way. */
const isRecent = ({ at }: Approving, { services: { clock } }: RequestContext): boolean =>
  at + APPROVAL_LIMITS.proposalClaimMs > clock.wallMs();

function mayStillPropose({ by }: ProposalDocument, { route }: Change, { key, services }: RequestContext): boolean {
  const proposer = services.config.get(userAddress(by.id))?.document;
  const role = proposer && roleIn(proposer, key.game, key.environment);
  return role !== undefined && mayAct(role, route.role);
}

const reject = (changes: Changes): KeyedRoute =>
  defineRoute({
    ...shared,
    ...writtenBy('editor', 'none', 'none'),
    method: 'DELETE',
    path: `${PATH}/{id}`,
    summary: 'Reject a change, or take back your own',
    description: 'Answers 409 while it is being approved, and if it was made already.',
    repeatsById: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { params },
    reply: { description: 'It waits no more.', schema: Settled, example: { id: EXAMPLE.id } },
    action: {
      kind: 'decide',
      async decide(input, context) {
        const address = addressOf(input, context);
        const { config } = context.services;
        const held = config.get(address);
        if (held === undefined) return NONE;
        const { approving } = held.document;
        if (approving !== undefined && isRecent(approving, context)) return BUSY;
        const change = changes.get(held.document.change);
        const wasMade =
          approving !== undefined && change !== undefined && isMade(held.document, change, address, config);
        if (!(await context.writes.delete(address, held.revision))) {
          // Another request came first: it is being approved, or is gone.
          if (!(await changed(config, address, held.revision))) return failure('SERVICE_UNAVAILABLE');
          return config.get(address) === undefined ? NONE : BUSY;
        }
        return wasMade ? MADE : jsonAnswer({ id: held.document.id });
      },
    },
  });

/** @param routes all others, whose changes may wait */
export function approvalRoutes(routes: readonly Route[]): KeyedRoute[] {
  const changes = changesOf(routes);
  return [listApprovals(changes), approve(changes), rebase(changes, { params, Settled, path: PATH }), reject(changes)];
}

const NONE = failure('NOT_FOUND', 'No such change waits: it was approved, rejected, taken back, or it expired.');
const OWN = failure('FORBIDDEN', 'You proposed this change, so another person must approve it.');
const BUSY = failure('CONFLICT', 'Another person is approving this change. Look again in a minute.');
const MADE = failure('CONFLICT', 'This change was approved and made before, so it cannot be rejected. Change it back.');
const LOST_ROLE = failure(
  'CONFLICT',
  'The person who proposed this change no longer has the role for it. Reject the change.',
);
