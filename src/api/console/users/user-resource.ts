import { Type } from 'typebox';
import { type Grant, ROLES, type UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import { passkeysOf } from '../../../../streams/config/people/passkeys.ts';
import { CONFIG_LIMITS } from '../../../../streams/config/limits.ts';
import { USER_LIMITS } from './limits.ts';
import { textOrNull } from '../../input/fields.ts';

/* The schemas of users and their resources. */

export const GrantSchema = Type.Object(
  {
    game: Type.String({ minLength: 1, maxLength: 63, description: 'Id of the game; `*` means all games.' }),
    environment: Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Literal('*')], {
      description: 'Environment; `*` means both.',
    }),
    role: Type.Union(
      ROLES.map((role) => Type.Literal(role)),
      { description: 'Role there. Each may do everything that the ones before it may.' },
    ),
  },
  { description: 'A role in a game and environment.' },
);

export const Email = Type.String({
  minLength: 3,
  maxLength: CONFIG_LIMITS.userEmailLength,
  description: 'E-mail address. Case does not matter.',
});

const Grants = Type.Array(GrantSchema, {
  maxItems: USER_LIMITS.userGrants,
  description: 'Roles of the user. Without one the user sees nothing.',
});

export const UserSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the user.' }),
    email: Type.String({ description: 'E-mail address, in lower case.' }),
    grants: Grants,
    has_password: Type.Boolean({ description: 'Whether the user has chosen a password.' }),
    passkeys: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Id of the passkey.' }),
          name: Type.String({ description: 'Its name, chosen by the user.' }),
          host: Type.String({ description: 'Host name of the console that it works on.' }),
          created_at: Type.String({ description: 'Time of creation, ISO 8601.' }),
          last_used_at: textOrNull('When it last signed in, ISO 8601; null if it did not.'),
        },
        { description: 'A passkey.' },
      ),
      { description: 'Passkeys of the user. Admins see those of users whom they may manage.' },
    ),
    open_links: Type.Integer({ description: 'Number of one-time links that are valid.' }),
    sessions: Type.Integer({ description: 'Number of browsers that are signed in.' }),
    created_at: Type.String({ description: 'Time of creation, ISO 8601.' }),
  },
  { description: 'A user of the console.' },
);

const EXAMPLE_GRANT: Grant = { game: 'demo', environment: '*', role: 'editor' };
export const EXAMPLE_USER = {
  id: '0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b',
  email: 'ann@example.com',
  grants: [EXAMPLE_GRANT],
  has_password: true,
  passkeys: [],
  open_links: 0,
  sessions: 1,
  created_at: '2026-01-15T10:30:00.000Z',
};

export const ManagedUser = Type.Object(
  {
    ...UserSchema.properties,
    grants: Type.Array(GrantSchema, { description: 'Roles in the games that you are an admin of, and in all games.' }),
    pending: Type.Array(GrantSchema, {
      description:
        'Roles in your games that do not count yet: the user has an account that other admins made, and has not proved ' +
        'the address to your game. It does so by the identity provider, or by a link of yours.',
    }),
    added_by: textOrNull('E-mail address of the admin who made the account; null if an operator did.'),
    manageable: Type.Boolean({
      description: 'Whether you may end the sessions of the user, and remove it: you could give all of its roles.',
    }),
    linkable: Type.Boolean({ description: 'Whether you may make a link for the user.' }),
  },
  { description: 'A user, as an admin sees it.' },
);
export const EXAMPLE_MANAGED = {
  ...EXAMPLE_USER,
  pending: [],
  added_by: 'root@example.com',
  manageable: true,
  linkable: true,
};

export function userJson(user: UserDocument, nowMs: number) {
  const valid = (tokens: UserDocument['links']): number => tokens.filter(({ expiresAt }) => expiresAt > nowMs).length;
  return {
    id: user.id,
    email: user.email,
    grants: user.grants,
    has_password: user.password !== null,
    passkeys: passkeysOf(user).map(({ id, name, rpId, createdAt, lastUsedAt }) => ({
      id,
      name,
      host: rpId,
      created_at: new Date(createdAt).toISOString(),
      last_used_at: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
    })),
    open_links: valid(user.links),
    sessions: valid(user.sessions),
    created_at: new Date(user.createdAt).toISOString(),
  };
}
