import { hash } from 'node:crypto';
import { auditedConfig } from '../../../streams/audit/audited-config.ts';
import type { AuditedBy, AuditTrail } from '../../../streams/audit/audit-trail.ts';
import { boundedTexts } from '../../../streams/audit/bounded-texts.ts';
import type { AuditOutcome } from '../../../core/vocabulary/records/audit-entry.ts';
import type { ApiKey } from '../../access/api-key.ts';
import { type AuditedAction, auditedAction, isAudited, thingOf } from '../../api/audit/audited-actions.ts';
import type { Answer } from '../../api/route/answer.ts';
import { markOfProposal } from '../../api/approvals/made-proposals.ts';
import { mustWait, propose, proposedKind } from '../../api/approvals/proposals.ts';
import { TURN_OFF_PATH } from '../../api/approvals/turn-off.ts';
import type { AuditedInput, AuditedPerform, ProposedChange } from '../../api/route/request-context.ts';
import type { KeyedRoute } from '../../api/route/route.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../api/limits.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { OwnContext } from '../read-body.ts';

/** Makes the requests of audited routes write entries. */
export interface AuditedRequests {
  /** @param network the caller's network, called only for audited routes */
  attach(route: KeyedRoute, context: OwnContext, network: () => string): void;
}

export function createAuditedRequests(
  routes: readonly KeyedRoute[],
  trail: AuditTrail,
  clock: Pick<Clock, 'monotonicMs'>,
): AuditedRequests {
  // Looked up once: most requests are of games, and have no entries.
  const actions = new Map(routes.filter(isAudited).map((route) => [route, auditedAction(route)]));

  /** When people read something, the longest ago first. */
  const reads = new Map<string, number>();

  /** What names a read by its reader; repeats of it have no further entry. */
  const readName = (action: AuditedAction, { actor }: AuditedBy, scope: Scope, input: AuditedInput): string =>
    hash('sha256', JSON.stringify([actor.id, scope, action.action, action.kind, input]), 'base64');

  function isRepeated(name: string): boolean {
    const nowMs = clock.monotonicMs();
    for (const [held, atMs] of reads) {
      if (nowMs - atMs < GATEWAY_LIMITS.auditReadMs && reads.size < GATEWAY_LIMITS.auditReads) break;
      reads.delete(held);
    }
    return reads.has(name);
  }

  const perAudited =
    (action: AuditedAction, by: AuditedBy, { game, environment }: Scope): AuditedPerform =>
    async (input, perform) => {
      const name = action.reads === true ? readName(action, by, { game, environment }, input) : undefined;
      if (name !== undefined && isRepeated(name)) return perform();
      const { kind, key, playerId } = thingOf(action, input);
      const { after } = boundedTexts(undefined, action.shows?.(input));
      const shortKey = key.slice(0, API_LIMITS.auditFilterLength);
      const change = { game, environment, kind, key: shortKey, action: action.action, playerId, before: '', after };
      const end = await trail.begin(by, [change]);
      if (end === undefined) return failure('SERVICE_UNAVAILABLE', NOT_AUDITED);
      const outcome = await perform();
      end(outcomeOf(outcome));
      // A read without an entry that says so is none: what failed, or could not be audited, has an entry again.
      if (name !== undefined && outcomeOf(outcome) === 'stored') reads.set(name, clock.monotonicMs());
      return outcome;
    };

  /** Makes a proposed change as a request of its approver, on the version that it was proposed on. */
  async function perform(
    { id, method, path, params, body, version }: ProposedChange,
    context: OwnContext,
    by: AuditedBy,
  ): Promise<Answer | undefined> {
    const route = routes.find((each) => each.method === method && each.path === path);
    if (route === undefined) return undefined;
    const headers: Record<string, string> = version === null ? {} : { 'If-Match': String(version) };
    const input = { params, query: {}, headers, ...(body === undefined ? {} : { body }) };
    const { propose: _, audited: __, ...rest } = context;
    const action = actions.get(route);
    const audited = action === undefined ? {} : { audited: perAudited(action, by, context.key) };
    const outcome = await route.run(input, {
      ...rest,
      ...audited,
      idempotency: undefined,
      writeMark: markOfProposal(id),
    });
    return outcome.kind === 'stream' || outcome.kind === 'changes' ? undefined : outcome;
  }

  return {
    attach(route, context, network) {
      const kind = proposedKind(route);
      const waits = kind !== undefined && mustWait(context);
      const performs = performsChanges(route);
      if (!actions.has(route) && !performs && !waits) return;
      const by = { actor: actorOf(context.key), network: network() };
      const action = actions.get(route);
      if (action === undefined || performs || waits) {
        context.services = { ...context.services, config: auditedConfig(context.services.config, trail, by) };
      }
      if (performs) context.perform = (change) => perform(change, context, by);
      if (waits) context.propose = (input) => propose(route, kind, input, context);
      if (action === undefined || (action.peopleOnly === true && context.key.user === undefined)) return;
      context.audited = perAudited(action, by, context.key);
    },
  };
}

/** Whether a route approves or rejects what waits for a second person, or turns something off without one. */
const performsChanges = ({ method, path }: KeyedRoute): boolean =>
  method !== 'GET' && (path.startsWith('/v1/console/approvals/') || path === TURN_OFF_PATH);

function actorOf({ id, user }: Pick<ApiKey, 'id' | 'user'>): AuditedBy['actor'] {
  return user === undefined ? { kind: 'key', id, name: '' } : { kind: 'user', id, name: user.email };
}

function outcomeOf(outcome: { kind: string; code?: unknown }): AuditOutcome {
  if (outcome.kind !== 'failure') return 'stored';
  return outcome.code === 'SERVICE_UNAVAILABLE' || outcome.code === 'INTERNAL_ERROR' ? 'unknown' : 'refused';
}

type Scope = Pick<ApiKey, 'game' | 'environment'>;

const NOT_AUDITED = 'The request cannot be audited now, so it was not made. Try again.';
