import type { Grant, RolePlace, UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { withoutWaysIn } from './passkeys.ts';
import { covers, withGrant } from './user-roles.ts';

/*
 * Whose account it is, and which of its roles count.
 *
 * An admin who adds an address gets a link that opens the account, so the account proves nothing to other games.
 *
 * Invariants
 * 1. A role counts only where the ways into the account are proved: by the provider's verified address or a link of an
 *    operator (everywhere), or by a used link of an admin of that place.
 * 2. A proof of a further place ends every older way in, so no earlier visitor reaches what it opens.
 * 3. The link of one game opens no role in another: such roles wait again, unless the browser that uses the link is
 *    signed in to the account and so holds the proof of those places too.
 * 4. A proof of a game ends with the last role there: who has the account may leave with it.
 */

/** A proof that counts everywhere. */
export const EVERYWHERE: readonly RolePlace[] = [{ game: '*', environment: '*' }];

/** All roles of a user: those that count, and those that wait for a proof. */
export const allRoles = ({ grants, pending = [] }: Pick<UserDocument, 'grants' | 'pending'>): Grant[] => [
  ...grants,
  ...pending,
];

/** The user with further roles, each of which replaces that of its place. */
export const withRoles = (user: UserDocument, added: readonly Grant[]): UserDocument =>
  sorted(user, added.reduce<Grant[]>(withGrant, allRoles(user)));

/** The user without the role of a place, and without its proof once no role is left there; undefined: no such role. */
export function withoutRole(user: UserDocument, { game, environment }: RolePlace): UserDocument | undefined {
  const held = allRoles(user);
  const rest = held.filter((grant) => grant.game !== game || grant.environment !== environment);
  if (rest.length === held.length) return undefined;
  const proved = user.proved.filter((place) => place.game === '*' || rest.some((grant) => grant.game === place.game));
  return sorted({ ...user, proved }, rest);
}

/** The user after a proof. With a proof of a further place, no older way in is left. */
export function withProof(user: UserDocument, proves: readonly RolePlace[], kept: readonly RolePlace[]): UserDocument {
  if (proves.every((place) => covers(user.proved, place))) return user;
  return provedAnew(user, [...kept, ...proves]);
}

/** The user without any way in, of which the next one proves these places alone. */
export function provedAnew(user: UserDocument, places: readonly RolePlace[]): UserDocument {
  const proved = places.filter((place, index) => !covers(places.slice(0, index), place));
  return sorted({ ...withoutWaysIn(user), proved }, allRoles(user));
}

function sorted(user: UserDocument, roles: readonly Grant[]): UserDocument {
  const { pending: _, ...rest } = user;
  const pending = roles.filter((grant) => !covers(user.proved, grant));
  const grants = roles.filter((grant) => covers(user.proved, grant));
  return pending.length === 0 ? { ...rest, grants } : { ...rest, grants, pending };
}
