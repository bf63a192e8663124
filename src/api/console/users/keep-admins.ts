import type { Grant, Role, UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import { isDeploymentAdmin, roleIn } from '../../../../streams/config/people/user-roles.ts';
import { userAddress } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { changeUser, type UserChange } from './user-writes.ts';

/*
 * Changes of users after which the deployment, and every game and environment, still has the admin that it had.
 *
 * Two admins may take each other's role at the same time. All processes see the changes in one order, and a write
 * returns once its process has seen it. So the later of the two finds that no admin is left, and undoes its own change.
 */

type Users = Pick<ConfigStore, 'list'>;

/** The places whose last admin a user is: `*`, or a game and environment. */
function onlyAdminOf(config: Users, user: UserDocument): string[] {
  // One pass over all roles: a look-up by place would cost games times users times roles.
  const held = new Set<string>();
  let hasDeploymentAdmin = false;
  for (const { document } of config.list('user')) {
    if (document.id === user.id) continue;
    const { grants } = document;
    hasDeploymentAdmin ||= isDeploymentAdmin({ grants });
    for (const { game, environment, role } of grants) {
      if (role !== ADMIN) continue;
      for (const each of environment === '*' ? ENVIRONMENTS : [environment]) held.add(`${game} ${each}`);
    }
  }
  const lost: string[] = isDeploymentAdmin(user) && !hasDeploymentAdmin ? ['*'] : [];
  const games = new Set(user.grants.filter(isGameAdmin).map(({ game }) => game));
  for (const game of games) {
    for (const environment of ENVIRONMENTS) {
      if (roleIn(user, game, environment) !== ADMIN) continue;
      const place = `${game} ${environment}`;
      if (!held.has(place) && !held.has(`* ${environment}`)) lost.push(place);
    }
  }
  return lost;
}

const ADMIN: Role = 'admin';
const ENVIRONMENTS = ['live', 'test'] as const;
const isGameAdmin = ({ game, role }: Grant): boolean => game !== '*' && role === ADMIN;

/** Whether a place loses its last admin with a change of a user. */
export function losing(config: Users, before: UserDocument, after: UserDocument): boolean {
  const kept = new Set(onlyAdminOf(config, after));
  return onlyAdminOf(config, before).some((place) => !kept.has(place));
}

/** Changes a user as `changeUser` does, unless a place would lose its last admin. */
export async function changeWithAdmins(
  config: ConfigStore,
  id: string,
  change: (user: UserDocument) => UserChange<null>,
): Promise<{ kind: 'written'; user: UserDocument } | Failure> {
  let before: UserDocument | undefined;
  const written = await changeUser(config, id, (user) => {
    before = user;
    const next = change(user);
    return next.kind === 'failure' || !losing(config, user, next.user) ? next : LAST_ADMIN;
  });
  if (written.kind === 'failure' || before === undefined || !losing(config, before, written.user)) return written;
  const { grants, pending = [] } = before;
  const undone = await changeUser(config, id, (user) => ({
    kind: 'changed',
    user: { ...user, grants, pending },
    value: null,
  }));
  return undone.kind === 'failure' ? undone : LAST_ADMIN;
}

/** Removes a user, unless a place would lose its last admin. */
export async function removeWithAdmins(
  config: ConfigStore,
  id: string,
  refused: (user: UserDocument) => Failure | undefined,
): Promise<Failure | undefined> {
  const address = userAddress(id);
  const held = config.get(address);
  if (held === undefined) return failure('NOT_FOUND', 'There is no such user.');
  const { document, revision } = held;
  const nobody = { ...document, grants: [] };
  const refusal = refused(document) ?? (losing(config, document, nobody) ? LAST_ADMIN : undefined);
  if (refusal !== undefined) return refusal;
  if (!(await config.delete(address, revision))) {
    return failure('SERVICE_UNAVAILABLE', 'The user was changed meanwhile, or the broker did not answer. Try again.');
  }
  if (!losing(config, document, nobody)) return undefined;
  // Its sessions and links have ended; it signs in again.
  const restored = await config.put(address, { ...document, sessions: [], links: [] }, 0);
  return restored.kind === 'written' ? LAST_ADMIN : failure('SERVICE_UNAVAILABLE');
}

const LAST_ADMIN = failure('CONFLICT', 'There is no other admin. Make another user an admin first.');
