import { createHash, timingSafeEqual } from 'node:crypto';
import type { DocumentAddress } from '../../../core/vocabulary/documents/documents.ts';
import type { Grant, RolePlace, UserDocument, UserToken } from '../../../core/vocabulary/documents/users.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { isEmail } from '../../../core/kernel/text/email.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import { CONFIG_LIMITS } from '../limits.ts';
import type { ConfigEntry, ConfigStore } from '../config-store.ts';

/*
 * Users of the console: their documents, and the tokens of links and sessions.
 *
 * A token is `<prefix>_<user id>.<256 random bits>`. Only its SHA-256 is stored, in the user's document, so one look-up
 * finds the user and the deletion of a user ends all of its links and sessions.
 */

export function userAddress(id: string): DocumentAddress<'user'> {
  return { game: '_', environment: '_', kind: 'user', key: id };
}

/** The form in which an address is stored and compared; undefined if it is no e-mail address. */
export function normalEmail(text: string): string | undefined {
  const trimmed = text.trim();
  // The lower case of a letter outside ASCII may be one of ASCII (the sign of Kelvin), and so of another address.
  if (asciiOf(trimmed.toLowerCase()) !== asciiOf(trimmed).toLowerCase()) return undefined;
  if (UNSEEN.test(trimmed)) return undefined;
  const email = trimmed.toLowerCase();
  return email.length <= CONFIG_LIMITS.userEmailLength && isEmail(email) ? email : undefined;
}

/** Control, format and unassigned characters: with one, an address would show as that of another user. */
const UNSEEN = /\p{C}/u;
const asciiOf = (text: string): string => text.replaceAll(/[^\0-\x7f]/g, '');

/** @param by the admin of some games who adds the user; without it an operator or an admin of all games does */
export function newUser(
  email: string,
  grants: readonly Grant[],
  clock: Pick<Clock, 'wallMs'>,
  ids: Ids,
  by?: { email: string; proves: readonly RolePlace[] },
): UserDocument {
  const createdAt = clock.wallMs();
  return {
    id: ids.uuidv7(createdAt),
    email,
    grants: [...grants],
    proved: by?.proves ?? [{ game: '*', environment: '*' }],
    ...(by === undefined ? {} : { addedBy: by.email }),
    password: null,
    links: [],
    sessions: [],
    createdAt,
    updatedAt: createdAt,
  };
}

export function userOfEmail(config: Pick<ConfigStore, 'list'>, email: string): ConfigEntry<'user'> | undefined {
  // Two processes may add one address at the same time: the older document counts.
  return config
    .list('user')
    .filter(({ document }) => document.email === email)
    .toSorted((a, b) => a.document.createdAt - b.document.createdAt)[0];
}

export type TokenKind = 'link' | 'session';
const PREFIXES = { link: 'cl', session: 'cs' } as const;
const FIELDS = { link: 'links', session: 'sessions' } as const;
const MOST = { link: CONFIG_LIMITS.userLinks, session: CONFIG_LIMITS.userSessions } as const;
const ID_LENGTH = 36;
const SECRET_BYTES = 32;
/** Base64url of the secret. */
const SECRET_LENGTH = 43;

/**
 * A user with a further link or session. `token` is returned once and not stored.
 * @param proves what the use of a link proves; without it everything
 */
export function withToken(
  user: UserDocument,
  kind: TokenKind,
  lifeMs: number,
  clock: Pick<Clock, 'wallMs'>,
  ids: Ids,
  proves?: readonly RolePlace[],
): { user: UserDocument; token: string; expiresAt: number } {
  const nowMs = clock.wallMs();
  const token = `${PREFIXES[kind]}_${user.id}.${Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64url')}`;
  const added: UserToken = {
    hash: hashToken(token),
    createdAt: nowMs,
    expiresAt: nowMs + lifeMs,
    ...(proves === undefined ? {} : { proves }),
  };
  const held = user[FIELDS[kind]].filter(({ expiresAt }) => expiresAt > nowMs);
  const kept = [...held, added].slice(-MOST[kind]);
  return { user: { ...user, [FIELDS[kind]]: kept, updatedAt: nowMs }, token, expiresAt: added.expiresAt };
}

/** The id of the user in a text, if the text has the form of a token. */
export function userIdIn(text: string, kind: TokenKind): string | undefined {
  const prefix = `${PREFIXES[kind]}_`;
  const dot = prefix.length + ID_LENGTH;
  if (text.length !== dot + 1 + SECRET_LENGTH || !text.startsWith(prefix) || text[dot] !== '.') return undefined;
  return text.slice(prefix.length, dot);
}

/** The stored token of a text; undefined if it is unknown or expired. */
export function tokenIn(
  user: UserDocument,
  kind: TokenKind,
  text: string,
  clock: Pick<Clock, 'wallMs'>,
): UserToken | undefined {
  const hash = Buffer.from(hashToken(text), 'latin1');
  const held = user[FIELDS[kind]].find((token) => {
    const other = Buffer.from(token.hash, 'latin1');
    return other.length === hash.length && timingSafeEqual(other, hash);
  });
  return held !== undefined && held.expiresAt > clock.wallMs() ? held : undefined;
}

/** The user without a token; without `hash`, without all tokens of the kind. */
export function withoutToken(user: UserDocument, kind: TokenKind, hash?: string): UserDocument {
  const kept = hash === undefined ? [] : user[FIELDS[kind]].filter((token) => token.hash !== hash);
  return { ...user, [FIELDS[kind]]: kept };
}

function hashToken(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
