import { Type } from 'typebox';
import type { Grant, UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import type { ConfigEntry } from '../../../../streams/config/config-store.ts';
import { allRoles, provedAnew, withoutRole, withRoles } from '../../../../streams/config/people/proof.ts';
import { covers, mayGrant, withGrant } from '../../../../streams/config/people/user-roles.ts';
import {
  newUser,
  normalEmail,
  userAddress,
  userOfEmail,
  withoutToken,
  withToken,
} from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { USER_LIMITS } from './limits.ts';
import { answer, jsonAnswer } from '../../route/answer.ts';
import { invalid, type ConsoleRoute } from '../../route/route.ts';
import { changeWithAdmins, removeWithAdmins } from './keep-admins.ts';
import { defineConsoleRoute } from '../console-route.ts';
import {
  type AdminContext,
  adminNow,
  isAdminSomewhere,
  isVisible,
  managedJson,
  mayManage,
  mayProve,
  NO_USER,
  NOT_YOURS,
  provedBy,
  refusedGrants,
  refusedNewUser,
  refusedRest,
  unmanageable,
} from './managed-users.ts';
import { Email, EXAMPLE_MANAGED, GrantSchema, ManagedUser } from './user-resource.ts';
import { changeUser, type UserChange } from './user-writes.ts';
import { textOrNull } from '../../input/fields.ts';

/*
 * The users of the console, for admins.
 *
 * Invariant: the deployment, and each game and environment, keeps an admin that it has (keep-admins.ts). What an admin
 * may do is in managed-users.ts.
 */

const shared = { errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'] } as const;
const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'Id of the user.' }) });
const reply = { statuses: [200] as const, description: 'The user.', schema: ManagedUser, example: EXAMPLE_MANAGED };

const listUsers = defineConsoleRoute({
  ...shared,
  method: 'GET',
  path: '/v1/console/users',
  summary: 'List users',
  description: 'For admins: the users with a role in a game that you are an admin of, by e-mail address.',
  adminOnly: isAdminSomewhere,
  input: {},
  reply: {
    description: 'The users.',
    schema: Type.Object(
      { users: Type.Array(ManagedUser, { description: 'The users.' }) },
      { description: 'The users that you may see.' },
    ),
    example: { users: [EXAMPLE_MANAGED] },
  },
  handle(_, context) {
    const { config, clock } = context.services;
    const admin = adminNow(context);
    const users = config
      .list('user')
      .filter(({ document }) => isVisible(document, context))
      .map(({ document }) => managedJson(admin, document, clock.wallMs()))
      .toSorted((one, other) => (one.email < other.email ? -1 : 1));
    return jsonAnswer({ users });
  },
});

const Linked = Type.Object(
  {
    user: ManagedUser,
    link: textOrNull(
      'Path of a page that signs the user in once, within 24 hours: put the address of the service before it. It is ' +
        'shown only now. Null if the user has an account already and its address is proved.',
    ),
  },
  { description: 'A user, and a link for it.' },
);
const linkedReply = {
  statuses: [200] as const,
  description: 'The user, and a link for it.',
  schema: Linked,
  example: { user: EXAMPLE_MANAGED, link: '/console/link#cl_…' },
};

const addUser = defineConsoleRoute({
  ...shared,
  method: 'POST',
  path: '/v1/console/users',
  summary: 'Add a user',
  description:
    'Adds a user and makes a one-time link. A user whose account an operator or the identity provider proved gets the ' +
    'roles and no link. The roles of one whose account other admins made are `pending`: they count once the user signs ' +
    'in with the provider or with the link, which ends all older ways in. You can give roles only where you are an admin.',
  adminOnly: isAdminSomewhere,
  repeatCounts: true,
  errors: [...shared.errors, 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  input: {
    body: Type.Object(
      {
        email: Email,
        grants: Type.Array(GrantSchema, {
          minItems: 1,
          maxItems: USER_LIMITS.userGrants,
          description: 'Roles of the user.',
        }),
      },
      { additionalProperties: false },
    ),
  },
  example: { email: 'ann@example.com', grants: [{ game: 'demo', environment: '*', role: 'editor' }] },
  reply: linkedReply,
  async handle({ body }, context) {
    const { clock, ids, config } = context.services;
    const email = normalEmail(body.email);
    if (email === undefined) return invalid([{ path: '/email', message: 'is not an e-mail address' }]);
    // Answers say whether an address has an account, so they cannot be collected.
    if (!context.mayTry([`users ${context.signedIn.user.id}`, USER_LIMITS.usersAddedPerMinute])) {
      return failure('RATE_LIMIT_EXCEEDED', 'You added many users; try again in a minute.');
    }
    const refused = refusedGrants(body.grants, context);
    if (refused !== undefined) return refused;
    const held = userOfEmail(config, email);
    if (held !== undefined) return addRoles(held, body.grants, context);
    const full = refusedNewUser(body.grants, context);
    if (full !== undefined) return full;
    const grants = body.grants.reduce<Grant[]>(withGrant, []);
    const proves = provedBy(adminNow(context), grants);
    const user = newUser(email, grants, clock, ids, { email: context.signedIn.user.email, proves });
    const made = withToken(user, 'link', USER_LIMITS.userLinkMs, clock, ids, proves);
    const written = await context.configAs(context.signedIn.user).put(userAddress(made.user.id), made.user, 0);
    if (written.kind !== 'written') return failure('SERVICE_UNAVAILABLE');
    return linked(made.user, made.token, context);
  },
});

async function addRoles(held: ConfigEntry<'user'>, grants: readonly Grant[], context: AdminContext) {
  const { clock, ids } = context.services;
  let token: string | undefined;
  const written = await changeAs(context, held.document.id, (user) => {
    const next = withRoles(user, grants);
    if (allRoles(next).length > USER_LIMITS.userGrants) return TOO_MANY_GRANTS;
    token = undefined;
    if (grants.every((grant) => covers(next.proved, grant))) return changedTo(next, context);
    const made = withToken(next, 'link', USER_LIMITS.userLinkMs, clock, ids, provedBy(adminNow(context), grants));
    token = made.token;
    return changedTo(made.user, context);
  });
  return written.kind === 'failure' ? written : linked(written.user, token, context);
}

const setGrant = defineConsoleRoute({
  ...shared,
  method: 'PUT',
  path: '/v1/console/users/{id}/grants',
  summary: 'Give a user a role, or change it',
  description:
    'Replaces the role in the same game and environment. You can do so only where you are an admin. The last admin ' +
    'stays one.',
  adminOnly: isAdminSomewhere,
  repeatsById: true,
  errors: [...shared.errors, 'CONFLICT'],
  input: { params, body: Type.Object({ ...GrantSchema.properties }, { additionalProperties: false }) },
  example: { game: 'demo', environment: 'live', role: 'analyst' },
  reply,
  async handle({ params: { id }, body }, context) {
    const refused = refusedGrants([body], context);
    if (refused !== undefined) return refused;
    return shown(
      await changeAs(context, id, (user) => {
        if (!isVisible(user, context)) return NO_USER;
        const next = withRoles(user, [body]);
        return allRoles(next).length > USER_LIMITS.userGrants ? TOO_MANY_GRANTS : changedTo(next, context);
      }),
      context,
    );
  },
});

const removeGrant = defineConsoleRoute({
  ...shared,
  method: 'DELETE',
  path: '/v1/console/users/{id}/grants',
  summary: 'Take a role from a user',
  description: 'Ends the role at once, also in open streams. The last admin stays one.',
  adminOnly: isAdminSomewhere,
  repeatsById: true,
  errors: [...shared.errors, 'CONFLICT'],
  input: {
    params,
    query: Type.Object({ game: GrantSchema.properties.game, environment: GrantSchema.properties.environment }),
  },
  reply,
  async handle({ params: { id }, query: { game, environment } }, context) {
    return shown(
      await changeAs(context, id, (user) => {
        if (!mayGrant(adminNow(context), { game, environment })) return NOT_YOURS;
        const next = withoutRole(user, { game, environment });
        return next === undefined ? NO_GRANT : (refusedRest(next, context) ?? changedTo(next, context));
      }),
      context,
    );
  },
});

const makeLink = defineConsoleRoute({
  ...shared,
  method: 'POST',
  path: '/v1/console/users/{id}/link',
  summary: 'Make a one-time link for a user',
  description:
    'For a user who lost the way in. It removes the password and the passkeys, and ends all sessions. If other roles of ' +
    'the user are outside your games, you make one only where a role of yours waits for a proof; then nothing ends before ' +
    'the link is used, and it opens your games alone.',
  adminOnly: isAdminSomewhere,
  repeatCounts: true,
  input: { params },
  reply: linkedReply,
  async handle({ params: { id } }, context) {
    const { clock, ids } = context.services;
    const made = await changeUser(context.configAs(context.signedIn.user), id, (user): UserChange<string> => {
      const admin = adminNow(context);
      const refused = mayProve(admin, user) ? undefined : unmanageable(user, context);
      if (refused !== undefined) return refused;
      const proves = provedBy(admin, allRoles(user));
      const kept = mayManage(admin, user) ? provedAnew(user, proves) : user;
      const { user: next, token } = withToken(kept, 'link', USER_LIMITS.userLinkMs, clock, ids, proves);
      return { kind: 'changed', user: next, value: token };
    });
    return made.kind === 'failure' ? made : linked(made.user, made.value, context);
  },
});

const endSessions = defineConsoleRoute({
  ...shared,
  method: 'DELETE',
  path: '/v1/console/users/{id}/sessions',
  summary: 'Sign a user out of all browsers',
  adminOnly: isAdminSomewhere,
  repeatsById: true,
  input: { params },
  reply,
  handle: async ({ params: { id } }, context) =>
    shown(
      await changeUser(
        context.configAs(context.signedIn.user),
        id,
        (user) => unmanageable(user, context) ?? { kind: 'changed', user: withoutToken(user, 'session'), value: null },
      ),
      context,
    ),
});

const removeUser = defineConsoleRoute({
  ...shared,
  method: 'DELETE',
  path: '/v1/console/users/{id}',
  summary: 'Remove a user',
  description: 'Ends all sessions and links. The last admin of the deployment or of a game cannot be removed.',
  adminOnly: isAdminSomewhere,
  repeatsById: true,
  errors: [...shared.errors, 'CONFLICT'],
  input: { params },
  reply: {
    description: 'The user is removed.',
    schema: Type.Object({ removed: Type.Boolean({ description: 'Always true.' }) }, { description: 'A removed user.' }),
    example: { removed: true },
  },
  async handle({ params: { id } }, context) {
    const config = context.configAs(context.signedIn.user);
    const admin = adminNow(context);
    const held = config.get(userAddress(id))?.document;
    if (held?.pending?.some((grant) => !mayGrant(admin, grant)) === true) {
      // What waits there stays for admins of other games. The account itself ends.
      const emptied = await changeAs(context, id, (user) => unmanageable(user, context) ?? emptiedOf(user, admin));
      return emptied.kind === 'failure' ? emptied : answer('{"removed":true}');
    }
    const removed = await removeWithAdmins(config, id, (user) => unmanageable(user, context));
    return removed ?? answer('{"removed":true}');
  },
});

export const userRoutes: readonly ConsoleRoute[] = [
  listUsers,
  addUser,
  setGrant,
  removeGrant,
  makeLink,
  endSessions,
  removeUser,
];

function changedTo(user: UserDocument, { services: { clock } }: AdminContext): UserChange<null> {
  return { kind: 'changed', user: { ...user, updatedAt: clock.wallMs() }, value: null };
}

/** The user without ways in, and without the roles that an admin could give. */
function emptiedOf(user: UserDocument, admin: UserDocument): UserChange<null> {
  const closed = provedAnew(user, []);
  const pending = allRoles(closed).filter((grant) => !mayGrant(admin, grant));
  return { kind: 'changed', user: { ...closed, grants: [], pending }, value: null };
}

function changeAs(context: AdminContext, id: string, change: (user: UserDocument) => UserChange<null>) {
  return changeWithAdmins(context.configAs(context.signedIn.user), id, change);
}

function shown(written: { kind: 'written'; user: UserDocument } | Failure, context: AdminContext) {
  if (written.kind === 'failure') return written;
  const { clock } = context.services;
  return jsonAnswer(managedJson(adminNow(context), written.user, clock.wallMs()));
}

function linked(user: UserDocument, token: string | undefined, context: AdminContext) {
  const link = token === undefined ? null : `/console/link#${token}`;
  const shownUser = managedJson(adminNow(context), user, context.services.clock.wallMs());
  return jsonAnswer({ user: shownUser, link });
}

const NO_GRANT = failure('NOT_FOUND', 'The user has no role in this game and environment.');
const TOO_MANY_GRANTS = failure('CONFLICT', `A user has at most ${USER_LIMITS.userGrants} roles.`);
