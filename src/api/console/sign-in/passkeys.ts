import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { Type, type Static } from 'typebox';
import type { Passkey } from '../../../../core/vocabulary/documents/users.ts';
import { passkeysOf, withoutPasskey, withPasskey } from '../../../../streams/config/people/passkeys.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { ACCESS_LIMITS } from '../../../access/limits.ts';
import { CONFIG_LIMITS } from '../../../../streams/config/limits.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { invalid, type ConsoleContext, type ConsoleRoute, type SignedIn } from '../../route/route.ts';
import { defineConsoleRoute } from '../console-route.ts';
import { hostNameOf, makeSignInChallenge, NO_HOST_NAME } from './passkey-sign-in.ts';
import { meAnswer, meReply } from './sessions.ts';
import { changeSelf } from '../users/user-writes.ts';

/* The passkeys of the signed-in user. */

type Context = ConsoleContext & { signedIn: SignedIn };

/** EdDSA, ES256, RS256 (IANA's registry of COSE algorithms). */
const ALGORITHMS = [-8, -7, -257];

const descriptor = Type.Object(
  {
    id: Type.String({ description: 'Id of the passkey, base64url.' }),
    type: Type.Literal('public-key', { description: 'Always `public-key`.' }),
  },
  { description: 'A passkey.' },
);
const Options = Type.Object(
  {
    rp: Type.Object(
      {
        id: Type.String({ description: 'Host name of the console.' }),
        name: Type.String({ description: 'Name of the service.' }),
      },
      { description: 'The service.' },
    ),
    user: Type.Object(
      {
        id: Type.String({ description: 'Id of the user, base64url.' }),
        name: Type.String({ description: 'E-mail address.' }),
        displayName: Type.String({ description: 'E-mail address.' }),
      },
      { description: 'The user.' },
    ),
    challenge: Type.String({ description: 'What the passkey signs, base64url.' }),
    pubKeyCredParams: Type.Array(
      Type.Object(
        {
          type: Type.Literal('public-key', { description: 'Always `public-key`.' }),
          alg: Type.Integer({ description: 'COSE algorithm.' }),
        },
        { description: 'An algorithm.' },
      ),
      { description: 'Algorithms that the service knows.' },
    ),
    timeout: Type.Integer({ description: 'How long the browser waits for the user, milliseconds.' }),
    excludeCredentials: Type.Array(descriptor, { description: 'Passkeys that the user has.' }),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.Literal('required', { description: 'The passkey knows its user.' }),
        userVerification: Type.Literal('required', { description: 'The authenticator asks for PIN, finger or face.' }),
      },
      { description: 'What the authenticator must do.' },
    ),
    attestation: Type.Literal('none', { description: 'The service does not ask who made the authenticator.' }),
  },
  { description: 'Options of `navigator.credentials.create()`, as JSON.' },
);
const EXAMPLE: Static<typeof Options> = {
  rp: { id: 'console.example.com', name: 'Player analytics' },
  user: { id: 'MDE5OGEzYjI', name: 'ann@example.com', displayName: 'ann@example.com' },
  challenge: 'mBqS5r9Ck2Zf0v7Y3n1XwT8uQdE4hLgJ6oAaPbVcRiM',
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: ACCESS_LIMITS.challengeMs,
  excludeCredentials: [],
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  attestation: 'none',
};

const makeChallenge = defineConsoleRoute({
  method: 'POST',
  path: '/v1/console/passkeys/challenge',
  summary: 'Begin to add a passkey',
  description:
    'Answers the options of `navigator.credentials.create()`. The challenge is valid once, for ' +
    `${ACCESS_LIMITS.challengeMs / 1000} seconds. It needs a sign-in of the last 15 minutes, so that a browser that was left ` +
    'open does not get one.',
  repeatCounts: true,
  errors: ['FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: {},
  reply: { description: 'The options.', schema: Options, example: EXAMPLE },
  async handle(_, context) {
    const { user } = context.signedIn;
    const id = hostNameOf(context.origin);
    if (id === undefined) return NO_HOST_NAME;
    const refused = refusal(context);
    if (refused !== undefined) return refused;
    const challenge = await context.services.challenges.make(purposeOf(context));
    if (challenge === undefined) return failure('SERVICE_UNAVAILABLE');
    const options: Static<typeof Options> = {
      ...EXAMPLE,
      rp: { ...EXAMPLE.rp, id },
      user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.email },
      challenge,
      excludeCredentials: passkeysOf(user).map((held) => ({ id: held.id, type: 'public-key' })),
    };
    return jsonAnswer(options);
  },
});

const base64url = (description: string) =>
  Type.String({ minLength: 1, maxLength: SIGN_IN_LIMITS.passkeyLength, description });
const Attested = Type.Object(
  {
    id: base64url('Id of the passkey.'),
    response: Type.Object(
      {
        clientDataJSON: base64url('What was signed, base64url.'),
        attestationObject: base64url('The public key, base64url.'),
      },
      { description: 'The response of the authenticator.' },
    ),
  },
  { description: 'The answer of `navigator.credentials.create()` as JSON. Further fields are ignored.' },
);

const addPasskey = defineConsoleRoute({
  method: 'POST',
  path: '/v1/console/passkeys',
  summary: 'Add a passkey',
  repeatCounts: true,
  errors: ['FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        name: Type.String({
          minLength: 1,
          maxLength: CONFIG_LIMITS.passkeyNameLength,
          description: 'A name of your choice, such as that of the device.',
        }),
        passkey: Attested,
      },
      { additionalProperties: false },
    ),
  },
  example: {
    name: 'Laptop',
    passkey: { id: 'AQ', response: { clientDataJSON: 'AQ', attestationObject: 'AQ' } },
  },
  reply: meReply,
  async handle({ body: { name, passkey } }, context) {
    const refused = refusal(context);
    if (refused !== undefined) return refused;
    const made = await verified(passkey, name.trim(), context);
    if (made.kind === 'failure') return made;
    const { session, csrf } = context.signedIn;
    const written = await changeSelf(context, (now) => {
      const next = withPasskey(now, made.passkey);
      return next === undefined ? TOO_MANY : { kind: 'changed', user: next, value: null };
    });
    return written.kind === 'failure' ? written : meAnswer(written.user, csrf, session.expiresAt, context);
  },
});

const removePasskey = defineConsoleRoute({
  method: 'DELETE',
  path: '/v1/console/passkeys/{id}',
  summary: 'Remove a passkey',
  description: 'It signs in no more, and all other sessions of the user end.',
  repeatsById: true,
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: Type.String({ description: 'Id of the passkey.' }) }) },
  reply: meReply,
  async handle({ params: { id } }, context) {
    const { session, csrf } = context.signedIn;
    const written = await changeSelf(context, (now) => {
      if (!passkeysOf(now).some((held) => held.id === id)) return failure('NOT_FOUND', 'You have no such passkey.');
      const sessions = now.sessions.filter(({ hash }) => hash === session.hash);
      return { kind: 'changed', user: { ...withoutPasskey(now, id), sessions }, value: null };
    });
    return written.kind === 'failure' ? written : meAnswer(written.user, csrf, session.expiresAt, context);
  },
});

export const passkeyRoutes: readonly ConsoleRoute[] = [makeSignInChallenge, makeChallenge, addPasskey, removePasskey];

/** A challenge belongs to one session, so another one of the user cannot use it. */
const purposeOf = ({ signedIn: { user, session } }: Context): string => `add ${user.id} ${session.hash}`;

function refusal({ signedIn: { user, session }, services: { clock }, mayTry }: Context): Failure | undefined {
  if (session.createdAt + SIGN_IN_LIMITS.passkeyFreshMs < clock.wallMs()) return NOT_FRESH;
  if (!mayTry([`passkeys ${user.id}`, SIGN_IN_LIMITS.passkeyTries])) return TOO_OFTEN;
  return passkeysOf(user).length >= CONFIG_LIMITS.passkeysOfUser ? TOO_MANY : undefined;
}

/** The passkey of a response, once its challenge, origin and form are checked. */
async function verified(
  { id, response }: Static<typeof Attested>,
  name: string,
  context: Context,
): Promise<{ kind: 'verified'; passkey: Passkey } | Failure> {
  const { clock, challenges } = context.services;
  const rpId = hostNameOf(context.origin);
  if (rpId === undefined) return NO_HOST_NAME;
  if (name === '') return invalid([{ path: '/name', message: 'must not be empty' }]);
  try {
    // A certificate could name an address that the library would fetch to see whether it was revoked.
    if (hasCertificates(response.attestationObject)) return BAD_PASSKEY;
    const checked = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: async (challenge) => (await challenges.take(purposeOf(context), challenge)) === 'valid',
      expectedOrigin: context.origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!checked.verified) return BAD_PASSKEY;
    const { credential } = checked.registrationInfo;
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    const { counter } = credential;
    const createdAt = clock.wallMs();
    return {
      kind: 'verified',
      passkey: { id: credential.id, publicKey, counter, name, rpId, createdAt, lastUsedAt: null },
    };
  } catch {
    // The library throws for whatever does not fit.
    return BAD_PASSKEY;
  }
}

function hasCertificates(attestationObject: string): boolean {
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format !== 'none' && (format !== 'packed' || decoded.get('attStmt').get('x5c') !== undefined);
}

const NOT_FRESH = failure(
  'FORBIDDEN',
  'Sign out and in again first: adding a passkey needs a sign-in of the last 15 minutes.',
);
const TOO_OFTEN = failure('RATE_LIMIT_EXCEEDED', 'Too many tries; try again in a minute.');
const TOO_MANY = failure(
  'CONFLICT',
  `You have this passkey already, or ${CONFIG_LIMITS.passkeysOfUser} passkeys, the maximum. Remove one first.`,
);
const BAD_PASSKEY = failure('FORBIDDEN', 'The passkey could not be verified, or it took too long. Try again.');
