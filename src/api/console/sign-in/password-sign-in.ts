import { normalEmail, userOfEmail } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { ConsoleContext } from '../../route/route.ts';
import type { Known } from './passkey-sign-in.ts';
import { failureBounds, laneOf } from './sign-in-limits.ts';

/*
 * Signing in with a password.
 *
 * Invariants
 * 1. Wrong passwords count, right ones do not. Tries from elsewhere never keep the owner out.
 * 2. Hashing takes turns between networks, and signed-in users have turns of their own.
 */

export async function byPassword(text: string, password: string, context: ConsoleContext): Promise<Known | Failure> {
  const email = normalEmail(text);
  if (email === undefined || password === '') return BAD_PASSWORD;
  const bounds = failureBounds(email, context.network);
  const isOver = (): boolean => context.failures.isOver(bounds);
  if (isOver()) return TOO_MANY;
  const { config, passwords } = context.services;
  const user = userOfEmail(config, email)?.document;
  const turn = { lane: laneOf(context.network), isWanted: () => !isOver() };
  // An unknown address takes as long as a wrong password.
  const matches = await passwords.matches(password, user?.password ?? null, turn);
  if (matches === 'busy') return isOver() ? TOO_MANY : BUSY;
  if (!matches || user === undefined) {
    context.failures.add(bounds);
    return BAD_PASSWORD;
  }
  return {
    kind: 'known',
    id: user.id,
    email: user.email,
    use: (now) => (now.password === user.password ? { kind: 'changed', user: now, value: null } : BAD_PASSWORD),
  };
}

const BAD_PASSWORD = failure('UNAUTHORIZED', 'The e-mail address or the password is wrong.');
export const TOO_MANY = failure(
  'RATE_LIMIT_EXCEEDED',
  'Too many wrong passwords; try again in a minute, or use another way in.',
);
export const BUSY = failure('SERVICE_UNAVAILABLE', 'Many people are signing in; try again.');
