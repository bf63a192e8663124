import { Type, type Static } from 'typebox';
import { EVERYWHERE, withProof } from '../../../../streams/config/people/proof.ts';
import { normalEmail, userOfEmail } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { jsonAnswer } from '../../route/answer.ts';
import type { ConsoleContext, ConsoleRoute } from '../../route/route.ts';
import { defineSignIn } from '../console-route.ts';
import type { Known } from './passkey-sign-in.ts';
import { textOrNull } from '../../input/fields.ts';

/*
 * Signing in by the identity provider of the configuration.
 *
 * Invariants
 * 1. Only users whom an admin added sign in, by the verified e-mail address that the provider gives.
 * 2. The provider proves the address for all games. With its first proof every older way in ends: whoever came in
 *    before may be another person (`streams/config/people/proof.ts`).
 * 3. The secret in the cookie counts once: the first answer that belongs to it uses it up.
 * 4. The first sign-in binds the user to the provider's id of the person. Another person who gets that address later
 *    cannot sign in as the user.
 */

/** Over TLS; without it the second. `Lax`, since the provider's page leads back to this one. */
const COOKIES = ['__Host-console-openid', 'console-openid'] as const;
const SECRET_BYTES = 32;
const OPENID_PATH = '/console/openid';

export const Redirected = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: SIGN_IN_LIMITS.openIdTextLength,
      description: 'The provider’s code.',
    }),
    state: Type.String({
      minLength: 1,
      maxLength: SIGN_IN_LIMITS.openIdTextLength,
      description: 'The `state` that came back.',
    }),
    iss: Type.Optional(
      Type.String({
        maxLength: SIGN_IN_LIMITS.openIdTextLength,
        description: 'The `iss` that came back, if there was one.',
      }),
    ),
  },
  { additionalProperties: false, description: 'What the provider’s redirect brought back.' },
);

const waysIn = defineSignIn({
  method: 'GET',
  path: '/v1/console/sign-in-options',
  summary: 'Get the ways to sign in',
  errors: [],
  input: {},
  reply: {
    description: 'The ways besides links, passwords and passkeys.',
    schema: Type.Object(
      {
        openid: textOrNull('Host of the identity provider; null if none is configured.'),
      },
      { description: 'Ways to sign in.' },
    ),
    example: { openid: 'id.example.com' },
  },
  handle: (_, { services: { openId } }) => jsonAnswer({ openid: openId?.name ?? null }),
});

const begin = defineSignIn({
  method: 'POST',
  path: '/v1/console/openid',
  summary: 'Begin to sign in by the identity provider',
  description:
    'Answers the address to which the page goes. The provider leads back to `/console/openid`, and the page sends what ' +
    'it brought to `POST /v1/console/sessions`, within ten minutes and in the same browser.',
  repeatCounts: true,
  errors: ['FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {},
  reply: {
    description: 'The address.',
    schema: Type.Object(
      { address: Type.String({ description: 'Address of the provider’s page.' }) },
      { description: 'Where to sign in.' },
    ),
    example: { address: 'https://id.example.com/authorize?client_id=…' },
  },
  async handle(_, context) {
    const { openId, ids } = context.services;
    if (openId === undefined) return NOT_CONFIGURED;
    const secret = Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64url');
    const address = await openId.begin(redirectUri(context), secret);
    if (address === undefined) return UNAVAILABLE;
    const headers = { 'Set-Cookie': cookieOf(secret, SIGN_IN_LIMITS.openIdSeconds, context) };
    return jsonAnswer({ address }, { headers });
  },
});

function cookieOf(value: string, seconds: number, { secure }: ConsoleContext): string {
  const rest = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${COOKIES[secure ? 0 : 1]}=${value}; ${rest}`;
}

/** Removes the cookie of a sign-in that succeeded. */
export const spentCookie = (context: ConsoleContext): string => cookieOf('', 0, context);

export const openIdRoutes: readonly ConsoleRoute[] = [waysIn, begin];

export async function byOpenId(
  redirected: Static<typeof Redirected>,
  context: ConsoleContext,
): Promise<Known | Failure> {
  const { openId, config, challenges } = context.services;
  if (openId === undefined) return NOT_CONFIGURED;
  // Another host of the domain could set the second cookie, and sign people in as a user of its choice.
  const secret = context.cookie(COOKIES[context.secure ? 0 : 1]);
  if (secret === undefined) return OTHER_BROWSER;
  if (!openId.isOwn(secret, redirected)) return REFUSED;
  const taken = await challenges.spend('openid', secret);
  if (taken !== 'valid') return taken === 'invalid' ? OTHER_BROWSER : failure('SERVICE_UNAVAILABLE');
  const found = await openId.finish(redirectUri(context), secret, redirected, context.network);
  if (found === 'unavailable') return UNAVAILABLE;
  if (found === 'refused') return REFUSED;
  const { issuer, subject } = found;
  const user = userOfEmail(config, normalEmail(found.email) ?? '')?.document;
  if (user === undefined) return REFUSED;
  return {
    kind: 'known',
    id: user.id,
    email: user.email,
    use(now) {
      const bound = now.openId ?? { issuer, subject };
      if (bound.issuer !== issuer || bound.subject !== subject) return REFUSED;
      return { kind: 'changed', user: { ...withProof(now, EVERYWHERE, []), openId: bound }, value: null };
    },
  };
}

const redirectUri = ({ origin }: ConsoleContext): string => origin + OPENID_PATH;

const NOT_CONFIGURED = failure('CONFLICT', 'No identity provider is configured (OIDC_ISSUER).');
const UNAVAILABLE = failure('SERVICE_UNAVAILABLE', 'The identity provider does not answer; try again.');
const OTHER_BROWSER = failure(
  'UNAUTHORIZED',
  'This sign-in began in another browser, or too long ago, or was used. Begin again.',
);
const REFUSED = failure(
  'UNAUTHORIZED',
  'The identity provider’s answer was refused: it is not of this browser, or its verified e-mail address is of no user.',
);
