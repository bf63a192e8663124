import type { Passkey, UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { CONFIG_LIMITS } from '../limits.ts';
import { withoutToken } from './users.ts';

/* The passkeys of users. */

export const passkeysOf = ({ passkeys = [] }: Pick<UserDocument, 'passkeys'>): readonly Passkey[] => passkeys;

/** The user with a further passkey; undefined if there is no room, or the user has it. */
export function withPasskey(user: UserDocument, added: Passkey): UserDocument | undefined {
  const held = passkeysOf(user);
  if (held.length >= CONFIG_LIMITS.passkeysOfUser || held.some(({ id }) => id === added.id)) return undefined;
  return { ...user, passkeys: [...held, added], updatedAt: added.createdAt };
}

export const withoutPasskey = (user: UserDocument, id: string): UserDocument => ({
  ...user,
  passkeys: passkeysOf(user).filter((passkey) => passkey.id !== id),
});

/** The user after a passkey signed it in; undefined if it is gone, or its counter shows that it was copied. */
export function withUsedPasskey(
  user: UserDocument,
  id: string,
  counter: number,
  usedAt: number,
): UserDocument | undefined {
  const held = passkeysOf(user).find((passkey) => passkey.id === id);
  // Passkeys that are synchronised between devices count nothing (WebAuthn, section 7.2).
  if (held === undefined || (counter <= held.counter && (counter > 0 || held.counter > 0))) return undefined;
  const used = { ...held, counter, lastUsedAt: usedAt };
  return { ...user, passkeys: passkeysOf(user).map((passkey) => (passkey.id === id ? used : passkey)) };
}

/** The user without anything that signs in: whoever lost a device must not stay signed in there. */
export function withoutWaysIn(user: UserDocument): UserDocument {
  const { openId: _, ...rest } = withoutToken(withoutToken(user, 'session'), 'link');
  return { ...rest, password: null, passkeys: [] };
}
