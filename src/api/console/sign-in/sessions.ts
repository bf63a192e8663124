import { Type, type Static } from 'typebox';
import type { UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import { currencyIn, zoneOf } from '../../../../streams/config/games.ts';
import { withoutToken, withToken } from '../../../../streams/config/people/users.ts';
import type { Failure } from '../../../../core/kernel/errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { textOrNull } from '../../input/fields.ts';
import { type Answer, answer, type Headers, jsonAnswer } from '../../route/answer.ts';
import type { ConsoleContext, ConsoleRoute, SignedIn } from '../../route/route.ts';
import { defineConsoleRoute, defineSignIn } from '../console-route.ts';
import { byLink } from './link-sign-in.ts';
import { byOpenId, Redirected, spentCookie } from './openid-sign-in.ts';
import { Assertion, byPasskey, type Known } from './passkey-sign-in.ts';
import { byPassword } from './password-sign-in.ts';
import { csrfOf, PLAIN_COOKIE, SECURE_COOKIE } from './session-cookie.ts';
import { EXAMPLE_USER, Email, UserSchema, userJson } from '../users/user-resource.ts';
import { changeUser } from '../users/user-writes.ts';

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
          approval: Type.Boolean({ description: 'Whether live changes wait for a second person.' }),
          time_zone: Type.String({ description: 'IANA name of the time zone in which its figures count days.' }),
          currency: textOrNull('ISO 4217 code of the currency of its amounts; null if it has named none.'),
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
  games: [{ id: 'demo', name: 'Demo', approval: false, time_zone: 'Europe/Berlin', currency: 'EUR' }],
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
    `\`__Host-console\` (without TLS: \`console\`), which is valid for ${SIGN_IN_LIMITS.userSessionMs / 3_600_000} hours. A session that the request ` +
    'already had ends.',
  repeatCounts: true,
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        link: Type.Optional(
          Type.String({ maxLength: SIGN_IN_LIMITS.userTokenLength, description: 'The token of a one-time link.' }),
        ),
        email: Type.Optional(Email),
        password: Type.Optional(
          Type.String({ maxLength: SIGN_IN_LIMITS.passwordLength, description: 'The password, with `email`.' }),
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
    const known = await whoSigns(body, context, before);
    if (known.kind === 'failure') return known;
    const { clock, ids } = context.services;
    const signedIn = await changeUser(context.configAs(known), known.id, (user) => {
      const used = known.use(user);
      if (used.kind === 'failure') return used;
      // The earlier session of the same browser ends, so that a token planted there by an attacker is invalid.
      const rest = before?.user.id === user.id ? withoutToken(used.user, 'session', before.session.hash) : used.user;
      const added = withToken(rest, 'session', SIGN_IN_LIMITS.userSessionMs, clock, ids);
      return { kind: 'changed', user: added.user, value: added };
    });
    if (signedIn.kind === 'failure') return signedIn;
    if (before !== undefined && before.user.id !== signedIn.user.id) await endSession(context, before);
    const { token, expiresAt } = signedIn.value;
    const cookies = [cookie(token, SIGN_IN_LIMITS.userSessionMs, context)];
    if (body.openid !== undefined) cookies.push(spentCookie(context));
    return meAnswer(signedIn.user, csrfOf(token), expiresAt, context, { 'Set-Cookie': cookies });
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
    return ended ?? answer('{"signed_out":true}', { headers: { 'Set-Cookie': cookie('', 0, context) } });
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
    return answer('{"signed_out":true}', { headers: { 'Set-Cookie': cookie('', 0, context) } });
  },
});

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
  headers: Headers = {},
): Answer {
  const games = config
    .list('game')
    .filter(({ game }) => user.grants.some((grant) => grant.game === '*' || grant.game === game))
    .map(({ game, document }) => ({
      id: game,
      name: document.name,
      approval: document.approval === true,
      time_zone: zoneOf(document),
      currency: currencyIn(document) ?? null,
    }));
  const me = {
    user: userJson(user, clock.wallMs()),
    csrf_token: csrf,
    expires_at: new Date(expiresAt).toISOString(),
    games,
  };
  return jsonAnswer(me, { headers });
}

function cookie(token: string, lifeMs: number, { secure }: ConsoleContext): string {
  const name = secure ? SECURE_COOKIE : PLAIN_COOKIE;
  const rest = `Path=/; Max-Age=${Math.floor(lifeMs / 1000)}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return `${name}=${token}; ${rest}`;
}

export const sessionRoutes: readonly ConsoleRoute[] = [signIn, getMe, signOut, signOutEverywhere];
