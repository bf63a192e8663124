import { Type } from 'typebox';
import type { UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import { passkeysOf } from '../../../../streams/config/people/passkeys.ts';
import { failure } from '../../../../core/kernel/errors.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { weaknessOf } from '../../../../core/kernel/secrets/weak-passwords.ts';
import { invalid } from '../../route/route.ts';
import { defineConsoleRoute } from '../console-route.ts';
import { BUSY, TOO_MANY } from './password-sign-in.ts';
import { meAnswer, meReply } from './sessions.ts';
import { changeSelf } from '../users/user-writes.ts';

/* The password of the signed-in user. */

export const setPassword = defineConsoleRoute({
  method: 'PUT',
  path: '/v1/console/password',
  summary: 'Choose a password',
  description:
    'Ends all other sessions of the user. A user who has a password must send it too. One who signs in by a passkey or ' +
    'the provider needs a sign-in of the last 15 minutes, as for adding a passkey.',
  repeatsById: true,
  errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  input: {
    body: Type.Object(
      {
        password: Type.String({
          minLength: SIGN_IN_LIMITS.passwordLeastLength,
          maxLength: SIGN_IN_LIMITS.passwordLength,
          description: 'The new password. Common ones, patterns and your own address are refused.',
        }),
        current: Type.Optional(
          Type.String({ maxLength: SIGN_IN_LIMITS.passwordLength, description: 'The password until now.' }),
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
    const weakness = weaknessOf(body.password, user.email);
    if (weakness !== undefined) {
      return invalid([{ path: '/password', message: `${weakness}; choose a sentence, or let a program make one` }]);
    }
    // Only the signed-in user counts here, so no other user can use these tries up.
    if (!context.mayTry([`password of user ${user.id}`, SIGN_IN_LIMITS.passwordTries])) return TOO_MANY;
    const turn = { lane: `user ${user.id}` };
    if (
      user.password === null &&
      hasOtherWay(user) &&
      session.createdAt + SIGN_IN_LIMITS.passkeyFreshMs < clock.wallMs()
    ) {
      return NOT_FRESH;
    }
    if (user.password !== null) {
      const matches = await passwords.matches(body.current ?? '', user.password, turn);
      if (matches === 'busy') return BUSY;
      if (!matches) return failure('FORBIDDEN', 'The current password is wrong.');
    }
    const hash = await passwords.hash(body.password, turn);
    if (hash === 'busy') return BUSY;
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
