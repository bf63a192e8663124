import { Type, type Static } from 'typebox';
import type { UserDocument } from '../../../actors/vocabulary/users.ts';
import { passkeysOf } from '../../../streams/config/passkeys.ts';
import { allRoles, EVERYWHERE, withProof } from '../../../streams/config/proof.ts';
import { covers } from '../../../streams/config/user-roles.ts';
import {
  normalEmail,
  tokenIn,
  userAddress,
  userIdIn,
  userOfEmail,
  withoutToken,
  withToken,
} from '../../../streams/config/users.ts';
import { failure, type Failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer, type Answer } from '../answer.ts';
import type { ConsoleContext, ConsoleRoute, SignedIn } from '../route.ts';
import { defineConsoleRoute, defineSignIn } from './console-route.ts';
import { losing } from './keep-admins.ts';
import { csrfOf, PLAIN_COOKIE, SECURE_COOKIE } from './session-cookie.ts';
import { EXAMPLE_USER, Email, UserSchema, userJson } from './user-resource.ts';
import { byOpenId, Redirected } from './openid-sign-in.ts';
import { Assertion, byPasskey, type Known } from './passkey-sign-in.ts';
import { mayBegin } from './sign-in-limits.ts';
import { changeSelf, changeUser } from './user-writes.ts';

/* Signing in and out of the console, and the signed-in user. */

const Me = Type.Object(
  {
    user: UserSchema,
    csrf_token: Type.String({ description: 'Send it as X-CSRF-Token with every request that changes something.' }),
    expires_at: Type.String({ description: 'When the session ends, ISO 8601.' }),
    games: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'Id of the game.' }),
          name: Type.String({ description: 'Name of the game.' }),
        },
        { description: 'A game in which the user has a role.' },
      ),
      { description: 'Games in which the user has a role.' },
    ),
  },
  { description: 'The signed-in user.' },
);
const EXAMPLE_ME = {
  user: EXAMPLE_USER,
  csrf_token: 'mBqS5r9Ck2Zf0v7Y3n1XwT8uQdE4hLgJ6oAaPbVcRiM',
  expires_at: '2026-01-15T22:30:00.000Z',
  games: [{ id: 'demo', name: 'Demo' }],
};

export const meReply = {
  statuses: [200] as const,
  description: 'The user. With a sign-in, the session is in a cookie.',
  schema: Me,
  example: EXAMPLE_ME,
};

const signIn = defineSignIn({
  method: 'POST',
  path: '/v1/console/sessions',
  summary: 'Sign in to the console',
  description:
    'With the token of a one-time link, with e-mail address and password, or with a passkey. Sets the cookie ' +
    `\`__Host-console\` (without TLS: \`console\`), which is valid for ${LIMITS.userSessionMs / 3_600_000} hours. A session that the request ` +
    'already had ends.',
  repeatCounts: true,
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        link: Type.Optional(
          Type.String({ maxLength: LIMITS.userTokenLength, description: 'The token of a one-time link.' }),
        ),
        email: Type.Optional(Email),
        password: Type.Optional(
          Type.String({ maxLength: LIMITS.passwordLength, description: 'The password, with `email`.' }),
        ),
        passkey: Type.Optional(Assertion),
        openid: Type.Optional(Redirected),
      },
      { additionalProperties: false },
    ),
  },
  example: { email: 'ann@example.com', password: 'correct horse battery staple' },
  reply: meReply,
  async handle({ body }, context, before) {
    if (!mayBegin('sign-in', context)) return TOO_MANY;
    const known = await whoSigns(body, context, before);
    if (known.kind === 'failure') return known;
    const { clock, ids } = context.services;
    const signedIn = await changeUser(context.configAs(known), known.id, (user) => {
      const used = known.use(user);
      if (used.kind === 'failure') return used;
      // The earlier session of the same browser ends, so that a token planted there by an attacker is invalid.
      const rest = before?.user.id === user.id ? withoutToken(used.user, 'session', before.session.hash) : used.user;
      const added = withToken(rest, 'session', LIMITS.userSessionMs, clock, ids);
      return { kind: 'changed', user: added.user, value: added };
    });
    if (signedIn.kind === 'failure') return signedIn;
    if (before !== undefined && before.user.id !== signedIn.user.id) await endSession(context, before);
    const { token, expiresAt } = signedIn.value;
    return meAnswer(signedIn.user, csrfOf(token), expiresAt, context, cookie(token, LIMITS.userSessionMs, context));
  },
});

interface SignInBody {
  link?: string;
  email?: string;
  password?: string;
  passkey?: Static<typeof Assertion>;
  openid?: Static<typeof Redirected>;
}

async function whoSigns(
  body: SignInBody,
  context: ConsoleContext,
  before: SignedIn | undefined,
): Promise<Known | Failure> {
  if (body.link !== undefined) return byLink(body.link, context, before);
  if (body.passkey !== undefined) return byPasskey(body.passkey, context);
  if (body.openid !== undefined) return byOpenId(body.openid, context);
  return byPassword(body.email ?? '', body.password ?? '', context);
}

/** @param before whoever was signed in: its account keeps what it had proved */
function byLink(
  link: string,
  { services: { clock, config } }: ConsoleContext,
  before: SignedIn | undefined,
): Known | Failure {
  const id = userIdIn(link, 'link');
  const held = id === undefined ? undefined : config.get(userAddress(id))?.document;
  if (held === undefined) return BAD_LINK;
  return {
    kind: 'known',
    id: held.id,
    email: held.email,
    use(user) {
      const token = tokenIn(user, 'link', link, clock);
      if (token === undefined) return BAD_LINK;
      const rest = withoutToken(user, 'link', token.hash);
      const { proves = EVERYWHERE } = token;
      const isIn = before !== undefined && rest.sessions.some(({ hash }) => hash === before.session.hash);
      const next = withProof(rest, proves, isIn ? user.proved : []);
      if (next === rest) return { kind: 'changed', user: next, value: null };
      // The role that waited may be gone. Then the link would only close others.
      if (!allRoles(user).some((grant) => covers(proves, grant))) return BAD_LINK;
      return losing(config, user, next) ? LAST_ADMIN_THERE : { kind: 'changed', user: next, value: null };
    },
  };
}

async function byPassword(text: string, password: string, context: ConsoleContext): Promise<Known | Failure> {
  const email = normalEmail(text);
  if (email === undefined || password === '') return BAD_PASSWORD;
  if (!context.mayTry([`sign-in user ${email}`, LIMITS.signInsOfUser])) return TOO_MANY;
  const { config, passwords } = context.services;
  const user = userOfEmail(config, email)?.document;
  // An unknown address takes as long as a wrong password.
  const matches = await passwords.matches(password, user?.password ?? null);
  if (matches === 'busy') return failure('SERVICE_UNAVAILABLE', 'Many people are signing in; try again.');
  if (!matches || user === undefined) return BAD_PASSWORD;
  return {
    kind: 'known',
    id: user.id,
    email: user.email,
    use: (now) => (now.password === user.password ? { kind: 'changed', user: now, value: null } : BAD_PASSWORD),
  };
}

const BAD_LINK = failure(
  'UNAUTHORIZED',
  'This link is unknown, used or expired. Ask an admin for another one, or use `npm run cli -- users link`.',
);
const LAST_ADMIN_THERE = failure(
  'CONFLICT',
  'This account is the only admin of another game, and this link would close it there. Ask an admin of all games for a ' +
    'link, sign in with the identity provider, or open this link in the browser in which you are signed in.',
);
const BAD_PASSWORD = failure('UNAUTHORIZED', 'The e-mail address or the password is wrong.');
const TOO_MANY = failure('RATE_LIMIT_EXCEEDED', 'Too many sign-ins; try again in a minute.');

const getMe = defineConsoleRoute({
  method: 'GET',
  path: '/v1/console/me',
  summary: 'Get the signed-in user',
  errors: [],
  input: {},
  reply: meReply,
  handle: (_, context) => {
    const { user, csrf, session } = context.signedIn;
    return meAnswer(user, csrf, session.expiresAt, context);
  },
});

const Ended = {
  statuses: [200] as const,
  description: 'The session has ended.',
  schema: Type.Object(
    { signed_out: Type.Boolean({ description: 'Always true.' }) },
    { description: 'The end of the session.' },
  ),
  example: { signed_out: true },
};

const signOut = defineConsoleRoute({
  method: 'DELETE',
  path: '/v1/console/session',
  summary: 'Sign out of this browser',
  repeatsById: true,
  errors: [],
  input: {},
  reply: Ended,
  async handle(_, context) {
    const ended = await endSession(context, context.signedIn);
    return ended ?? answer('{"signed_out":true}', { headers: cookie('', 0, context) });
  },
});

const signOutEverywhere = defineConsoleRoute({
  method: 'DELETE',
  path: '/v1/console/sessions',
  summary: 'Sign out of all browsers',
  description: 'Ends every session of the signed-in user, and the streams that they opened.',
  repeatsById: true,
  errors: [],
  input: {},
  reply: Ended,
  async handle(_, context) {
    const { user: own } = context.signedIn;
    const ended = await changeUser(context.configAs(own), own.id, (user) => ({
      kind: 'changed',
      user: withoutToken(user, 'session'),
      value: null,
    }));
    if (ended.kind === 'failure') return ended;
    return answer('{"signed_out":true}', { headers: cookie('', 0, context) });
  },
});

const setPassword = defineConsoleRoute({
  method: 'PUT',
  path: '/v1/console/password',
  summary: 'Choose a password',
  description:
    'Ends all other sessions of the user. A user who has a password must send it too. One who signs in by a passkey or ' +
    'the provider needs a sign-in of the last 15 minutes, as for adding a passkey.',
  repeatsById: true,
  errors: ['FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  input: {
    body: Type.Object(
      {
        password: Type.String({
          minLength: LIMITS.passwordLeastLength,
          maxLength: LIMITS.passwordLength,
          description: 'The new password.',
        }),
        current: Type.Optional(
          Type.String({ maxLength: LIMITS.passwordLength, description: 'The password until now.' }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  example: { password: 'correct horse battery staple' },
  reply: meReply,
  async handle({ body }, context) {
    const { user, session, csrf } = context.signedIn;
    const { passwords, clock } = context.services;
    if (!context.mayTry([`sign-in user ${user.email}`, LIMITS.signInsOfUser])) return TOO_MANY;
    if (user.password === null && hasOtherWay(user) && session.createdAt + LIMITS.passkeyFreshMs < clock.wallMs()) {
      return NOT_FRESH;
    }
    if (user.password !== null) {
      const matches = await passwords.matches(body.current ?? '', user.password);
      if (matches === 'busy') return failure('SERVICE_UNAVAILABLE');
      if (!matches) return failure('FORBIDDEN', 'The current password is wrong.');
    }
    const hash = await passwords.hash(body.password);
    if (hash === 'busy') return failure('SERVICE_UNAVAILABLE');
    const written = await changeSelf(context, (now) => {
      if (now.password !== user.password) return failure('FORBIDDEN', 'The password was changed meanwhile.');
      const sessions = now.sessions.filter((each) => each.hash === session.hash);
      return {
        kind: 'changed',
        user: { ...now, password: hash.text, sessions, updatedAt: clock.wallMs() },
        value: null,
      };
    });
    return written.kind === 'failure' ? written : meAnswer(written.user, csrf, session.expiresAt, context);
  },
});

/** Whoever has no other way in than a link, which counts once, may choose a password for as long as it is signed in. */
const hasOtherWay = (user: UserDocument): boolean => passkeysOf(user).length > 0 || user.openId !== undefined;

const NOT_FRESH = failure(
  'FORBIDDEN',
  'Sign out and in again first: the first password needs a sign-in of the last 15 minutes.',
);

async function endSession(
  { configAs }: ConsoleContext,
  { user, session }: { user: UserDocument; session: { hash: string } },
): Promise<Failure | undefined> {
  const ended = await changeUser(configAs(user), user.id, (now) => ({
    kind: 'changed',
    user: withoutToken(now, 'session', session.hash),
    value: null,
  }));
  return ended.kind === 'failure' ? ended : undefined;
}

export function meAnswer(
  user: UserDocument,
  csrf: string,
  expiresAt: number,
  { services: { clock, config } }: ConsoleContext,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const games = config
    .list('game')
    .filter(({ game }) => user.grants.some((grant) => grant.game === '*' || grant.game === game))
    .map(({ game, document }) => ({ id: game, name: document.name }));
  const me = {
    user: userJson(user, clock.wallMs()),
    csrf_token: csrf,
    expires_at: new Date(expiresAt).toISOString(),
    games,
  };
  return answer(JSON.stringify(me), { headers });
}

function cookie(token: string, lifeMs: number, { secure }: ConsoleContext): Record<string, string> {
  const name = secure ? SECURE_COOKIE : PLAIN_COOKIE;
  const rest = `Path=/; Max-Age=${Math.floor(lifeMs / 1000)}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return { 'Set-Cookie': `${name}=${token}; ${rest}` };
}

export const sessionRoutes: readonly ConsoleRoute[] = [signIn, getMe, signOut, signOutEverywhere, setPassword];
