import type { ConfigEnvironment, DocumentAddress, Documents } from '../../core/vocabulary/documents/documents.ts';
import { secretsOf, type DocumentKind } from '../../core/vocabulary/documents/document-kinds.ts';
import type { Grant, UserDocument } from '../../core/vocabulary/documents/users.ts';
import { HIDDEN, hiddenPath, hiddenValues } from '../config/hidden-texts.ts';
import { passkeysOf } from '../config/people/passkeys.ts';
import { allRoles } from '../config/people/proof.ts';
import type { AuditedChange } from './audit-trail.ts';
import { boundedTexts, type Shown } from './bounded-texts.ts';
import { definitionVersion } from './definition-version.ts';

/*
 * What the audit says about a write to CONFIG: where it belongs, what happened, and the document before and after.
 *
 * Invariants
 * 1. No secret, hash of a password or token, and no player's id is in the texts.
 * 2. An entry in a game shows of a user only the roles in that game.
 */

/** The changes that a write makes: one, except for users, whose roles span games. */
export function changesOf<K extends DocumentKind>(
  { game, environment, kind, key }: DocumentAddress<K>,
  before: Documents[K] | undefined,
  after: Documents[K] | undefined,
): AuditedChange[] {
  if (kind === 'user') return userChanges(key, asUser(before), asUser(after));
  const [then, now] = [shown(kind, before), shown(kind, after)];
  markSecrets(kind, before, after, now);
  const named = kind === 'key' ? idOf(after ?? before, key) : key;
  const change = changeIn({ game, environment, kind, key: named, action: actionOf(kind, then, now) }, then, now);
  const definition = definitionVersion(kind, before, after, (document, leftOut) => shownOf(kind, document, leftOut));
  return [definition === undefined ? change : { ...change, definition }];
}

type Place = Pick<AuditedChange, 'kind' | 'key' | 'action'> & { game: string; environment: ConfigEnvironment };

function changeIn(place: Place, before: Shown | undefined, after: Shown | undefined): AuditedChange {
  return { ...place, playerId: '', ...boundedTexts(before, after) };
}

const CHANGED = '[hidden, changed]';

/** Fields that are left out, because they are bookkeeping or tell nothing to people. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'writes',
  'salt',
  'periods',
  'createdRevision',
  'updatedAt',
  'effective',
  'shippedBy',
]);
/** Fields with ids of players: only their number is shown, since a player may be erased later. */
const PLAYERS: ReadonlySet<string> = new Set(['includes', 'excludes']);
/** The same in the body of a proposal. */
const PROPOSED_PLAYERS: ReadonlySet<string> = new Set([...PLAYERS, 'player_ids', 'external_ids']);

const shown = (kind: DocumentKind, document: object | undefined): Shown | undefined =>
  document && shownOf(kind, document, LEFT_OUT);

function shownOf(kind: DocumentKind, document: object, leftOut: ReadonlySet<string>): Shown {
  const fields = Object.entries(document).filter(([name]) => !leftOut.has(name));
  return Object.fromEntries(
    fields.map(([name, value]: [string, unknown]) => {
      if (isSecret(kind, name)) return [name, hidden(value)];
      if (isAddress(kind, name, value)) return [name, hiddenPath(value)];
      if (kind === 'segment') return [name, counted(PLAYERS, name, value)];
      if (kind === 'proposal' && name === 'body' && value instanceof Object) return [name, bodyShown(value)];
      return [name, value];
    }),
  );
}

const counted = (lists: ReadonlySet<string>, name: string, value: unknown): unknown =>
  lists.has(name) && Array.isArray(value) ? { players: value.length } : value;

const bodyShown = (body: object): Shown =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => [name, counted(PROPOSED_PLAYERS, name, value)]),
  );

/** The address of a webhook, whose path may be a secret. */
function isAddress(kind: DocumentKind, name: string, value: unknown): value is string {
  return kind === 'webhook' && name === 'url' && typeof value === 'string';
}

const holdsSecrets = (kind: DocumentKind): boolean => secretsOf(kind).length > 0;
/** The fields with a secret, or with a secret in each of their values. */
const isSecret = (kind: DocumentKind, name: string): boolean =>
  secretsOf(kind).some((path) => path === name || path.startsWith(`${name}.`));

/** Hides a text, or every value of an object. */
function hidden(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? hiddenValues(value) : HIDDEN;
}

/** Says which hidden fields a write changed. */
function markSecrets(kind: DocumentKind, before: object | undefined, after: object | undefined, now?: Shown): void {
  if (before === undefined || after === undefined || now === undefined || !holdsSecrets(kind)) return;
  const earlier = new Map<string, unknown>(Object.entries(before));
  for (const [name, value] of Object.entries(after)) {
    if (JSON.stringify(earlier.get(name)) === JSON.stringify(value)) continue;
    if (isAddress(kind, name, value) && now[name] === hiddenPath(String(earlier.get(name)))) {
      now[name] = `${hiddenPath(value)} ${CHANGED}`;
    }
    if (!isSecret(kind, name)) continue;
    now[name] = typeof value === 'object' ? { ...hiddenValues(value ?? {}), $: CHANGED } : CHANGED;
  }
}

function actionOf(kind: DocumentKind, before: Shown | undefined, after: Shown | undefined): string {
  if (before === undefined) return 'created';
  if (after === undefined) return 'deleted';
  if (kind === 'key' && before['revokedAt'] === null && after['revokedAt'] !== null) return 'revoked';
  if (kind === 'key' && JSON.stringify(before['rotated']) !== JSON.stringify(after['rotated'])) return 'rotated';
  if (kind === 'flag' && before['archivedAt'] === null && after['archivedAt'] !== null) return 'archived';
  if (kind === 'experiment' && before['state'] !== after['state']) return String(after['state']);
  if (holdsSecrets(kind) && after['secret'] === CHANGED) return 'secret_rotated';
  if (kind === 'proposal') return after['approving'] === undefined ? 'waits_on' : 'approved';
  if (typeof after['enabled'] === 'boolean' && before['enabled'] !== after['enabled']) {
    return after['enabled'] ? 'enabled' : 'disabled';
  }
  return 'changed';
}

/** Keys of the API are stored under the digest of their text; people know them by their id. */
function idOf(document: object | undefined, fallback: string): string {
  return document !== undefined && 'id' in document && typeof document.id === 'string' ? document.id : fallback;
}

const asUser = (document: object | undefined): UserDocument | undefined =>
  document !== undefined && isUser(document) ? document : undefined;

const isUser = (document: object): document is UserDocument => 'grants' in document && 'sessions' in document;

function userChanges(key: string, before: UserDocument | undefined, after: UserDocument | undefined): AuditedChange[] {
  const [then, now] = [userShown(before), userShown(after)];
  const action = userAction(before, after);
  const place = { environment: '_', kind: 'user', key } as const;
  const everywhere = changeIn({ ...place, game: '_', action }, then, now);
  const email = (after ?? before)?.email ?? '';
  const within = [...new Set([...gamesOf(before), ...gamesOf(after)])].flatMap((game) => {
    const [held, given] = [rolesShown(game, email, before), rolesShown(game, email, after)];
    if (JSON.stringify(held) === JSON.stringify(given)) return [];
    return [changeIn({ ...place, game, action: 'roles_changed' }, held, given)];
  });
  return [everywhere, ...within];
}

const gamesOf = (user: UserDocument | undefined): string[] =>
  user === undefined
    ? []
    : allRoles(user)
        .map(({ game }) => game)
        .filter((game) => game !== '*');

/** The roles of a user in a game; undefined: it has none there. */
function rolesShown(game: string, email: string, user: UserDocument | undefined): Shown | undefined {
  const [grants, pending] = [rolesIn(game, user?.grants), rolesIn(game, user?.pending)];
  if (grants.length + pending.length === 0) return undefined;
  return { email, grants, ...(pending.length === 0 ? {} : { pending }) };
}

const rolesIn = (game: string, grants: readonly Grant[] = []): Grant[] =>
  grants
    .filter((grant) => grant.game === game)
    .map(({ environment, role }) => ({ game, environment, role }))
    .toSorted((one, other) => (one.environment < other.environment ? -1 : 1));

function userShown(user: UserDocument | undefined): Shown | undefined {
  if (user === undefined) return undefined;
  const { id, email, grants, pending, proved, addedBy, password, links, sessions, createdAt } = user;
  const passkeys = passkeysOf(user).map(({ name }) => name);
  const ways = { has_password: password !== null, passkeys, links: links.length, sessions: sessions.length };
  const waiting = pending === undefined ? {} : { pending };
  return { id, email, grants, ...waiting, proved, ...(addedBy === undefined ? {} : { addedBy }), ...ways, createdAt };
}

function userAction(before: UserDocument | undefined, after: UserDocument | undefined): string {
  if (before === undefined) return 'created';
  if (after === undefined) return 'deleted';
  if (rolesText(before) !== rolesText(after)) return 'roles_changed';
  // An admin's link also removes passkeys, and what matters is who could sign in with it.
  if (hasNew(before.links, after.links)) return 'link_made';
  if (after.sessions.length > 0 && JSON.stringify(before.proved) !== JSON.stringify(after.proved))
    return 'address_proved';
  const [held, kept] = [passkeysOf(before).length, passkeysOf(after).length];
  if (held !== kept) return held < kept ? 'passkey_added' : 'passkey_removed';
  if (hasNew(before.sessions, after.sessions)) return 'signed_in';
  if (before.password !== after.password) return 'password_changed';
  return before.sessions.length > after.sessions.length ? 'signed_out' : 'changed';
}

/** The roles in any order and whether they wait: a proof moves them. */
const rolesText = (user: UserDocument): string =>
  allRoles(user)
    .map((grant) => JSON.stringify(grant))
    .toSorted()
    .join();

type Tokens = UserDocument['links'];
const hasNew = (before: Tokens, after: Tokens): boolean =>
  after.some(({ hash }) => before.every((token) => token.hash !== hash));
