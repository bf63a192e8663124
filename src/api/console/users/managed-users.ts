import type { Grant, RolePlace, UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import { gameAddress } from '../../../../streams/config/games.ts';
import { passkeysOf } from '../../../../streams/config/people/passkeys.ts';
import { allRoles, EVERYWHERE } from '../../../../streams/config/people/proof.ts';
import { adminPlaces, isDeploymentAdmin, mayGrant } from '../../../../streams/config/people/user-roles.ts';
import { userAddress } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { USER_LIMITS } from './limits.ts';
import type { ConsoleContext, SignedIn } from '../../route/route.ts';
import { userJson } from './user-resource.ts';

/*
 * What an admin sees of users and may do to them.
 *
 * Invariants
 * 1. An admin gives and takes roles only where it is an admin itself: of a game and environment, or of all.
 * 2. Links, sessions and accounts open everything that a user may do. So an admin signs out, removes or makes an
 *    unlimited link only for users all of whose roles it could give. Where a role that it gave waits for a proof, it
 *    makes a link that opens its own places alone, and that ends other ways in only when it is used.
 * 3. Admins of a game add users up to a share of the deployment's, and leave few without roles, who count in no game.
 * 4. The admin's own roles are read again when the change is made.
 */

export type AdminContext = ConsoleContext & { signedIn: SignedIn };

export const isAdminSomewhere = ({ grants }: UserDocument): boolean => grants.some(({ role }) => role === 'admin');

/** Whether an admin could give every role of a user. Users without roles belong to admins of all games. */
export function mayManage(admin: UserDocument, user: UserDocument): boolean {
  if (isDeploymentAdmin(admin)) return true;
  const { grants } = user;
  // What other games' admins only wait for takes nothing from this one.
  return allRoles(user).some((grant) => mayGrant(admin, grant)) && grants.every((grant) => mayGrant(admin, grant));
}

/** Whether an admin may make a link that proves the address in its own places, because a role waits there. */
export const mayProve = (admin: UserDocument, { pending = [] }: UserDocument): boolean =>
  pending.some((grant) => mayGrant(admin, grant));

/** What a link of an admin proves: the places in the user's games where it is an admin. */
export function provedBy(admin: UserDocument, roles: readonly Grant[]): readonly RolePlace[] {
  if (isDeploymentAdmin(admin)) return EVERYWHERE;
  return adminPlaces(admin).filter(({ game }) => game === '*' || roles.some((held) => held.game === game));
}

/** The roles that an admin sees: those in its games. Roles in all games hold there too. */
function visibleGrants(admin: UserDocument, grants: readonly Grant[]): readonly Grant[] {
  if (isDeploymentAdmin(admin)) return grants;
  const games = new Set(admin.grants.filter(({ role }) => role === 'admin').map(({ game }) => game));
  return grants.filter(({ game }) => game === '*' || games.has(game) || games.has('*'));
}

export function managedJson(admin: UserDocument, user: UserDocument, nowMs: number) {
  const manageable = mayManage(admin, user);
  const passkeys = manageable ? passkeysOf(user) : [];
  const grants = [...visibleGrants(admin, user.grants)];
  return {
    ...userJson({ ...user, passkeys, grants }, nowMs),
    pending: visibleGrants(admin, user.pending ?? []),
    added_by: user.addedBy ?? null,
    manageable,
    linkable: manageable || mayProve(admin, user),
  };
}

/** The admin as it is now: a role that was taken meanwhile counts no more. */
export function adminNow({ services: { config }, signedIn: { user } }: AdminContext): UserDocument {
  return config.get(userAddress(user.id))?.document ?? { ...user, grants: [] };
}

/** Why the admin may not give or take roles; undefined: it may. */
export function refusedGrants(grants: readonly Omit<Grant, 'role'>[], context: AdminContext): Failure | undefined {
  const admin = adminNow(context);
  for (const grant of grants) {
    if (!mayGrant(admin, grant)) return NOT_YOURS;
    if (grant.game !== '*' && context.services.config.get(gameAddress(grant.game)) === undefined) return NO_GAME;
  }
  return undefined;
}

/** Why the admin may not add a new user with roles; undefined: it may. */
export function refusedNewUser(grants: readonly Grant[], context: AdminContext): Failure | undefined {
  const users = context.services.config.list('user');
  if (users.length >= USER_LIMITS.users) {
    return failure('CONFLICT', `There are ${USER_LIMITS.users} users, the maximum. Remove one first.`);
  }
  if (isDeploymentAdmin(adminNow(context))) return undefined;
  const usersOf = (game: string): number =>
    users.filter(({ document }) => allRoles(document).some((held) => held.game === game)).length;
  return grants.some(({ game }) => usersOf(game) >= USER_LIMITS.usersOfGame) ? GAME_FULL : undefined;
}

/** Why the admin may not leave a user as it is now; undefined: it may. */
export function refusedRest(user: UserDocument, context: AdminContext): Failure | undefined {
  if (allRoles(user).length > 0 || isDeploymentAdmin(adminNow(context))) return undefined;
  const without = context.services.config.list('user').filter(({ document }) => allRoles(document).length === 0);
  return without.length >= USER_LIMITS.usersWithoutRoles ? LAST_ROLE : undefined;
}

/** An unknown user and one of other games have the same answer. */
export function isVisible(user: UserDocument, context: AdminContext): boolean {
  const admin = adminNow(context);
  return isDeploymentAdmin(admin) || visibleGrants(admin, allRoles(user)).length > 0;
}

export function unmanageable(user: UserDocument, context: AdminContext): Failure | undefined {
  if (!isVisible(user, context)) return NO_USER;
  return mayManage(adminNow(context), user) ? undefined : NOT_MANAGEABLE;
}

export const NO_USER = failure('NOT_FOUND', 'There is no such user.');
const GAME_FULL = failure(
  'CONFLICT',
  `The game has ${USER_LIMITS.usersOfGame} users, the maximum for its admins. Remove one first, or ask an admin of all games.`,
);
const LAST_ROLE = failure(
  'CONFLICT',
  'This is the last role of the user, and many users have none. Remove the user instead.',
);
const NO_GAME = failure('NOT_FOUND', 'There is no such game.');
export const NOT_YOURS = failure('FORBIDDEN', 'You can give and take roles only where you are an admin.');
const NOT_MANAGEABLE = failure(
  'FORBIDDEN',
  'This user has roles where you are no admin. Take its roles in your game instead, or ask an admin of all games.',
);
