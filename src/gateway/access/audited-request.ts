import { auditedConfig } from '../../../streams/audit/audited-config.ts';
import type { AuditedBy, AuditTrail } from '../../../streams/audit/audit-trail.ts';
import { boundedTexts } from '../../../streams/audit/bounded-texts.ts';
import type { AuditOutcome } from '../../../streams/records/audit-entry.ts';
import type { ApiKey } from '../../api/api-key.ts';
import { auditedAction, isAudited, thingOf } from '../../api/audit/audited-actions.ts';
import type { Answer } from '../../api/answer.ts';
import { markOfProposal } from '../../api/approvals/made-proposals.ts';
import { mustWait, propose, proposedKind } from '../../api/approvals/proposals.ts';
import type { ProposalDocument } from '../../../actors/vocabulary/proposal.ts';
import type { KeyedRoute } from '../../api/route.ts';
import { failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { OwnContext } from '../read-body.ts';

/** Makes the requests of audited routes write entries. */
export interface AuditedRequests {
  /** @param network the caller's network, called only for audited routes */
  attach(route: KeyedRoute, context: OwnContext, network: () => string): void;
}

export function createAuditedRequests(routes: readonly KeyedRoute[], trail: AuditTrail): AuditedRequests {
  // Looked up once: most requests are of games, and have no entries.
  const actions = new Map(routes.filter(isAudited).map((route) => [route, auditedAction(route)]));

  return {
    attach(route, context, network) {
      if (!actions.has(route) && !settlesProposals(route)) return;
      const by = { actor: actorOf(context.key), network: network() };
      const action = actions.get(route);
      if (action === undefined) {
        context.services = { ...context.services, config: auditedConfig(context.services.config, trail, by) };
        const kind = proposedKind(route);
        if (settlesProposals(route)) context.perform = (proposal) => perform(routes, proposal, context);
        else if (kind !== undefined && mustWait(context)) {
          context.propose = (input) => propose(route, kind, input, context);
        }
        return;
      }
      if (action.peopleOnly === true && context.key.user === undefined) return;
      const { game, environment } = context.key;
      context.audited = async (input, perform) => {
        const { key, playerId } = thingOf(action, input);
        const { after } = boundedTexts(undefined, action.shows?.(input.body));
        const { kind, action: done } = action;
        const shortKey = key.slice(0, LIMITS.auditFilterLength);
        const change = { game, environment, kind, key: shortKey, action: done, playerId, before: '', after };
        const end = await trail.begin(by, [change]);
        if (end === undefined) return failure('SERVICE_UNAVAILABLE', NOT_AUDITED);
        const outcome = await perform();
        end(outcomeOf(outcome));
        return outcome;
      };
    },
  };
}

/** Whether a route approves or rejects what waits for a second person. */
const settlesProposals = ({ method, path }: KeyedRoute): boolean =>
  method !== 'GET' && path.startsWith('/v1/console/approvals/');

/** Makes a proposed change as a request of its approver, on the version that it was proposed on. */
async function perform(
  routes: readonly KeyedRoute[],
  { id, method, path, params, body, version }: ProposalDocument,
  context: OwnContext,
): Promise<Answer | undefined> {
  const route = routes.find((each) => each.method === method && each.path === path && proposedKind(each) !== undefined);
  if (route === undefined) return undefined;
  const headers: Record<string, string> = version === null ? {} : { 'If-Match': String(version) };
  const input = { params, query: {}, headers, ...(body === undefined ? {} : { body }) };
  const { propose: _, ...rest } = context;
  const outcome = await route.run(input, { ...rest, idempotency: undefined, writeMark: markOfProposal(id) });
  return outcome.kind === 'stream' || outcome.kind === 'changes' ? undefined : outcome;
}

function actorOf({ id, user }: Pick<ApiKey, 'id' | 'user'>): AuditedBy['actor'] {
  return user === undefined ? { kind: 'key', id, name: '' } : { kind: 'user', id, name: user.email };
}

function outcomeOf(outcome: { kind: string; code?: unknown }): AuditOutcome {
  if (outcome.kind !== 'failure') return 'stored';
  return outcome.code === 'SERVICE_UNAVAILABLE' || outcome.code === 'INTERNAL_ERROR' ? 'unknown' : 'refused';
}

const NOT_AUDITED = 'The change cannot be audited now, so it was not made. Try again.';
