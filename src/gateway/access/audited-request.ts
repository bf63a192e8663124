import { hash } from 'node:crypto';
import { auditedConfig } from '../../../streams/audit/audited-config.ts';
import type { AuditedBy, AuditTrail } from '../../../streams/audit/audit-trail.ts';
import { boundedTexts } from '../../../streams/audit/bounded-texts.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { AuditOutcome } from '../../../core/vocabulary/records/audit-entry.ts';
import type { ApiKey } from '../../access/api-key.ts';
import { type AuditedAction, type RawInput, thingOf } from '../../api/route/access.ts';
import type { Answer } from '../../api/route/answer.ts';
import { reasonIn } from '../../api/input/change-reason.ts';
import { markOfProposal } from '../../api/approvals/made-proposals.ts';
import { mustWait, propose } from '../../api/approvals/proposals.ts';
import type {
  ApprovedChange,
  AuditedPerform,
  Duties,
  RequestContext,
  RunnableRoute,
} from '../../api/route/request-context.ts';
import type { KeyedRoute } from '../../api/route/route.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../api/limits.ts';
import { GATEWAY_LIMITS } from '../limits.ts';

/** The context of a request during its steps; routes get it as `RequestContext`. */
export type OwnContext = { -readonly [Field in keyof RequestContext]: RequestContext[Field] };

/** Gives requests what their routes declare: entries in the audit, and waiting for a second person. */
export interface AuditedRequests {
  /**
   * @param network the caller's network, called only for routes that declare something
   * @param input the head of the request, which may say why it changes something
   */
  attach(route: KeyedRoute, context: OwnContext, network: () => string, input: RawInput): void;
  /** Stores documents on behalf of the request's caller. */
  writesAs(by: AuditedBy): ConfigStore;
}

/** Of routes that declare nothing. */
export const NO_DUTIES: Duties = { audited: undefined, propose: undefined, writes: undefined, perform: undefined };

export function createAuditedRequests(
  config: ConfigStore,
  trail: AuditTrail,
  clock: Pick<Clock, 'monotonicMs'>,
): AuditedRequests {
  /** When people read something, the longest ago first. */
  const reads = new Map<string, number>();

  /** What names a read by its reader; repeats of it have no further entry. */
  const readName = (action: AuditedAction, { actor }: AuditedBy, scope: Scope, input: RawInput): string =>
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

  const writesAs = (by: AuditedBy): ConfigStore => auditedConfig(config, trail, by);

  function dutiesOf({ audit, actionKind }: RunnableRoute, context: OwnContext, by: AuditedBy) {
    const decides = actionKind === 'decide';
    return {
      audited: isAudited(audit, context.key) ? perAudited(audit, by, context.key) : undefined,
      propose: undefined,
      writes: decides || audit === 'writes' ? writesAs(by) : undefined,
      perform: decides ? (change: ApprovedChange) => perform(change, context, by) : undefined,
    } satisfies Duties;
  }

  /** Makes an approved change as a request of its approver. */
  async function perform({ id, route, input }: ApprovedChange, context: OwnContext, by: AuditedBy): Promise<Answer> {
    const duties = dutiesOf(route, context, { ...by, reason: reasonIn(input.headers) });
    const outcome = await route.run(input, {
      ...context,
      ...duties,
      idempotency: undefined,
      writeMark: markOfProposal(id),
    });
    if (outcome.kind === 'stream' || outcome.kind === 'changes') throw new Error('a stream is no change');
    return outcome;
  }

  return {
    writesAs,
    attach(route, context, network, { headers }) {
      const { audit, approval } = route;
      const waits = approval !== 'none' && mustWait(context);
      if (audit !== 'writes' && route.actionKind !== 'decide' && !waits && !isAudited(audit, context.key)) return;
      const by = { actor: actorOf(context.key), network: network(), reason: reasonIn(headers) };
      Object.assign(context, dutiesOf(route, context, by));
      if (waits) context.propose = (input) => propose(route, approval, input, context, writesAs(by));
    },
  };
}

/** Whether a caller's requests have an entry each. */
function isAudited(audit: KeyedRoute['audit'], { user }: Pick<ApiKey, 'user'>): audit is AuditedAction {
  if (typeof audit === 'string') return false;
  return user !== undefined || (audit.peopleOnly !== true && audit.reads !== true);
}

function actorOf({ id, user }: Pick<ApiKey, 'id' | 'user'>): AuditedBy['actor'] {
  return user === undefined ? { kind: 'key', id, name: '' } : { kind: 'user', id, name: user.email };
}

function outcomeOf(outcome: { kind: string; code?: unknown }): AuditOutcome {
  if (outcome.kind !== 'failure') return 'stored';
  return outcome.code === 'SERVICE_UNAVAILABLE' || outcome.code === 'INTERNAL_ERROR' ? 'unknown' : 'refused';
}

type Scope = Pick<ApiKey, 'game' | 'environment'>;

const NOT_AUDITED = 'The request cannot be audited now, so it was not made. Try again.';
