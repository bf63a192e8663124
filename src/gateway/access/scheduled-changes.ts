import type { ScheduledChange, ScheduleDocument } from '../../../core/vocabulary/schedules.ts';
import { roleIn } from '../../../streams/config/people/user-roles.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { wouldWait } from '../../api/approvals/proposals.ts';
import { mayAct } from '../../api/route/access.ts';
import type { WriteContext } from '../../api/route/request-context.ts';
import type { ApiKey } from '../../access/api-key.ts';
import { markOfScheduled } from '../../api/definitions/schedule/scheduled-mark.ts';
import { type ScheduledPlace, startScheduleKeeper } from '../../api/definitions/schedule/schedule-keeper.ts';
import { tidied } from '../../api/definitions/schedule/schedule-routes.ts';
import { schedulers } from '../../api/schedulers.ts';
import { keepWithLease, type KeeperOptions, type Kept } from './keeper-lease.ts';

/*
 * Scheduled changes, made by one of the gateways: the holder of a lease.
 *
 * Invariant: a change is made in the name of the caller who scheduled it, who must still have the role, or whose key
 * must not be revoked.
 */

const LEASE_KEY = 'scheduled-changes';

/** @returns the function that stops it, and leaves the changes to another process */
export function startScheduledChanges(options: KeeperOptions): () => Promise<void> {
  const { clock } = options;
  const kept: Kept<'schedule'> = {
    key: LEASE_KEY,
    kind: 'schedule',
    needs: ({ document }) => hasWork(document, clock.wallMs()),
  };
  return keepWithLease(kept, options, (isHolder) =>
    startScheduleKeeper({
      ...options,
      schedulers,
      isHolder,
      contextOf: (place, change) => contextOf(place, change, options),
    }),
  );
}

/** Whether something waits, or ended long ago. */
const hasWork = ({ changes }: ScheduleDocument, nowMs: number): boolean =>
  changes.some(({ state }) => state === 'pending') || tidied(changes, nowMs).length < Math.max(changes.length, 1);

/** The context of a change; a text: why it is not made. */
function contextOf(
  place: ScheduledPlace,
  change: ScheduledChange,
  { config, services, audited, clock }: KeeperOptions,
): WriteContext | string {
  const { game, environment, of, key: definition } = place;
  const key = callerOf(place, change, config);
  if (typeof key === 'string') return key;
  if (change.approved !== true && wouldWait(of, definition, { key, services })) return NOT_APPROVED;
  const name = key.user?.email ?? '';
  return {
    services,
    key,
    player: undefined,
    origin: { game, environment, receivedAt: clock.wallMs(), by: key.kind },
    idempotency: undefined,
    writeMark: markOfScheduled(change.id),
    faults: [],
    body: undefined,
    ignored: [],
    audited: undefined,
    propose: undefined,
    perform: undefined,
    writes: audited.writesAs({
      actor: { kind: change.by.kind, id: key.id, name },
      network: '',
      reason: reasonOf(change),
    }),
  };
}

/** The reason in the audit and the history, which also say that no request was sent then. */
function reasonOf({ reason, id }: ScheduledChange): string {
  return `Scheduled (${id})${reason === '' ? '' : `: ${reason}`}`;
}

function callerOf(
  { game, environment }: ScheduledPlace,
  { by: { kind, id } }: ScheduledChange,
  config: Pick<ConfigStore, 'get' | 'list'>,
): ApiKey | string {
  const held = config.get(gameAddress(game))?.document;
  if (held === undefined) return NO_GAME;
  const { tenant, namespace } = held;
  const shared = { id, game, environment, limitPerMinute: null, requiresPlayerToken: false, tenant, namespace };
  if (kind === 'key') {
    const document = config.list('key', game, environment).find((entry) => entry.document.id === id)?.document;
    if (document === undefined || document.revokedAt !== null) return NO_KEY;
    return { ...shared, kind: document.kind, tier: document.tier, scopes: new Set(document.scopes) };
  }
  const user = config.get(userAddress(id))?.document;
  const role = user && roleIn(user, game, environment);
  if (user === undefined || role === undefined || !mayAct(role, PLANNED_BY)) return NO_ROLE;
  const person = { email: user.email, role, session: '' };
  return { ...shared, kind: 'server', tier: 'growth', scopes: new Set(), user: person };
}

/** Who may plan changes of what players get. */
const PLANNED_BY = 'editor';
const NO_GAME = 'The game does not exist any more.';
const NO_KEY = 'The API key that planned it was revoked. Schedule it again with another one.';
const NO_ROLE = 'The user who scheduled it no longer has the role that it needs. Another user can schedule it again.';
const NOT_APPROVED =
  'Live changes of this game wait for a second person, and this one was not approved. Schedule it again.';
