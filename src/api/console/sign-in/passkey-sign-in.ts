import { isIP } from 'node:net';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { Type, type Static } from 'typebox';
import type { Passkey, UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import { passkeysOf, withUsedPasskey } from '../../../../streams/config/people/passkeys.ts';
import { userAddress } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { ACCESS_LIMITS } from '../../../access/limits.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { jsonAnswer } from '../../route/answer.ts';
import type { ConsoleContext } from '../../route/route.ts';
import { defineSignIn } from '../console-route.ts';
import type { UserChange } from '../users/user-writes.ts';

/*
 * Signing in with a passkey (WebAuthn, level 3).
 *
 * Invariants
 * 1. A challenge is used once, within its time, and for what it was made for.
 * 2. A passkey counts only on the host name that it was made on, and with the user's own gesture (PIN, finger, face).
 */

/** Who signs in, before the user's document is changed. */
export interface Known {
  kind: 'known';
  id: string;
  email: string;
  /** Checks again on the current document, and removes what may be used once. */
  use: (user: UserDocument) => UserChange<null>;
}

const base64url = (description: string) =>
  Type.String({ minLength: 1, maxLength: SIGN_IN_LIMITS.passkeyLength, description });

/** What the browser's authenticator answered. */
export const Assertion = Type.Object(
  {
    id: base64url('Id of the passkey.'),
    response: Type.Object(
      {
        clientDataJSON: base64url('What was signed, base64url.'),
        authenticatorData: base64url('State of the authenticator, base64url.'),
        signature: base64url('The signature, base64url.'),
        userHandle: base64url('Id of the user, base64url.'),
      },
      { description: 'The response of the authenticator.' },
    ),
  },
  { description: 'The answer of `navigator.credentials.get()` as JSON. Further fields are ignored.' },
);

export const makeSignInChallenge = defineSignIn({
  method: 'POST',
  path: '/v1/console/passkeys/sign-in',
  summary: 'Begin to sign in with a passkey',
  description:
    'Answers the options of `navigator.credentials.get()`. The challenge is valid once, for ' +
    `${ACCESS_LIMITS.challengeMs / 1000} seconds.`,
  repeatCounts: true,
  errors: ['FORBIDDEN', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {},
  reply: {
    description: 'The options.',
    schema: Type.Object(
      {
        challenge: Type.String({ description: 'What the passkey signs, base64url.' }),
        rpId: Type.String({ description: 'Host name of the console.' }),
        timeout: Type.Integer({ description: 'How long the browser waits for the user, milliseconds.' }),
        userVerification: Type.Literal('required', { description: 'The authenticator asks for PIN, finger or face.' }),
      },
      { description: 'Options of `navigator.credentials.get()`, as JSON.' },
    ),
    example: {
      challenge: 'mBqS5r9Ck2Zf0v7Y3n1XwT8uQdE4hLgJ6oAaPbVcRiM',
      rpId: 'console.example.com',
      timeout: ACCESS_LIMITS.challengeMs,
      userVerification: 'required',
    },
  },
  async handle(_, context) {
    const rpId = hostNameOf(context.origin);
    if (rpId === undefined) return NO_HOST_NAME;
    const challenge = await context.services.challenges.make(SIGN_IN);
    if (challenge === undefined) return failure('SERVICE_UNAVAILABLE');
    const options = { challenge, rpId, timeout: ACCESS_LIMITS.challengeMs, userVerification: 'required' };
    return jsonAnswer(options);
  },
});

export async function byPasskey(
  { id, response }: Static<typeof Assertion>,
  context: ConsoleContext,
): Promise<Known | Failure> {
  const { config, clock, challenges } = context.services;
  const userId = Buffer.from(response.userHandle, 'base64url').toString('utf8');
  const user = config.get(userAddress(userId))?.document;
  const passkey = user && passkeysOf(user).find((held) => held.id === id);
  if (user === undefined || passkey === undefined) return BAD_PASSKEY;
  if (passkey.rpId !== hostNameOf(context.origin)) return BAD_PASSKEY;
  let taken: Awaited<ReturnType<typeof challenges.take>> = 'invalid';
  let counter: number;
  try {
    const verified = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: async (challenge) => {
        taken = await challenges.take(SIGN_IN, challenge);
        return taken === 'valid';
      },
      expectedOrigin: context.origin,
      expectedRPID: passkey.rpId,
      requireUserVerification: true,
      credential: {
        id,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    });
    if (!verified.verified) return BAD_PASSKEY;
    counter = verified.authenticationInfo.newCounter;
  } catch {
    // The library throws for whatever does not fit.
    return isUnavailable(taken) ? failure('SERVICE_UNAVAILABLE') : BAD_PASSKEY;
  }
  return {
    kind: 'known',
    id: user.id,
    email: user.email,
    use(now) {
      const used = withUsedPasskey(now, id, counter, clock.wallMs());
      return used === undefined ? BAD_PASSKEY : { kind: 'changed', user: used, value: null };
    },
  };
}

/** The host name that passkeys of a page belong to; undefined if it is an address, which has none. */
export function hostNameOf(origin: string): Passkey['rpId'] | undefined {
  const host = URL.parse(origin)?.hostname;
  return host === undefined || host === '' || host.startsWith('[') || isIP(host) !== 0 ? undefined : host;
}

const isUnavailable = (taken: string): boolean => taken === 'unavailable';

const SIGN_IN = 'sign in';

export const NO_HOST_NAME = failure(
  'CONFLICT',
  'Passkeys need a host name, and this page was opened by an address. Open it as https://<name>, or http://localhost.',
);
const BAD_PASSKEY = failure(
  'UNAUTHORIZED',
  'This passkey is unknown here, was removed, or was used too late. Try again.',
);
