import {
  type Grant,
  type Role,
  type RolePlace,
  ROLES,
  type UserDocument,
} from '../../../core/vocabulary/documents/users.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';

/* The roles of users. */

type Granted = Pick<UserDocument, 'grants'>;

/** The highest role of a user in a game and environment; undefined: none. */
export function roleIn({ grants }: Granted, game: string, environment: Environment): Role | undefined {
  const places = grants
    .filter((grant) => grant.game === '*' || grant.game === game)
    .filter((grant) => grant.environment === '*' || grant.environment === environment)
    .map(({ role }) => ROLES.indexOf(role));
  return places.length === 0 ? undefined : ROLES[Math.max(...places)];
}

/** Whether a user is an admin of all games in both environments, as it takes to manage everybody. */
export const isDeploymentAdmin = ({ grants }: Granted): boolean =>
  grants.some(({ game, environment, role }) => game === '*' && environment === '*' && role === 'admin');

/**
 * Whether a user may give or take a role: an admin wherever the role holds. A grant for all games takes an admin of all
 * games, and one for both environments an admin of both.
 */
export const mayGrant = (user: Granted, place: RolePlace): boolean => covers(adminPlaces(user), place);

/** Where a user is an admin. */
export const adminPlaces = ({ grants }: Granted): RolePlace[] =>
  grants.flatMap(({ game, environment, role }) => (role === 'admin' ? [{ game, environment }] : []));

/** Whether a place lies within others. */
export function covers(places: readonly RolePlace[], { game, environment }: RolePlace): boolean {
  const environments: readonly Environment[] = environment === '*' ? ['live', 'test'] : [environment];
  return environments.every((each) =>
    places.some(
      (held) => (held.game === '*' || held.game === game) && (held.environment === '*' || held.environment === each),
    ),
  );
}

/** The grants after a new one: it replaces that of the same game and environment. */
export function withGrant(grants: readonly Grant[], added: Grant): Grant[] {
  const others = grants.filter(({ game, environment }) => game !== added.game || environment !== added.environment);
  return [...others, added];
}
