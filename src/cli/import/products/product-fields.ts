import { hash } from 'node:crypto';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import { BROKEN_ID, isPlaceholderId } from '../../../../core/kernel/text/broken-id.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { foreignTime } from '../../../../core/kernel/text/timestamp.ts';
import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import type { ImportedSession } from '../../../../core/vocabulary/commands/import.ts';
import type { PlayedWith } from '../../../../core/vocabulary/state/device.ts';
import { PLAYER_API_LIMITS } from '../../../api/players/limits.ts';
import type { LineContext } from '../files/file-format.ts';
import { type Fields, LineFault, optionalText } from '../files/line-fields.ts';

/* What readers of other products' lines share. */

/** An object in a field, which some files hold as a text with JSON; empty for anything else. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (isPlainObject(value)) return value;
  if (typeof value !== 'string' || !value.startsWith('{')) return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isPlainObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** An id that may be a player's; `undefined` if it is missing or stands for a missing one. A long one is its digest. */
export function personIn(fields: Fields, name: string): string | undefined {
  const id = optionalText(fields, name, LONGEST_ID);
  if (id === undefined || isPlaceholderId(id)) return undefined;
  return id.length <= TEXT_LIMITS.externalIdLength ? id : `sha256:${hash('sha256', id)}`;
}

/** What lines are checked for before they are hashed. */
const LONGEST_ID = 8_192;

/** The player of a line: its user, the user that its anonymous id became, or the anonymous id. */
export function playerOf(
  { survey }: Pick<LineContext, 'survey'>,
  user: string | undefined,
  anonymous: string | undefined,
): string | undefined {
  if (user !== undefined) return survey.userOf(user) ?? user;
  return anonymous === undefined ? undefined : (survey.userOf(anonymous) ?? anonymous);
}

/** The player, or a fault that says which ids the line lacks. */
export function requiredPlayer(player: string | undefined, fields: Fields, names: readonly string[]): string {
  if (player !== undefined) return player;
  const sent = names.find((name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== '');
  if (sent !== undefined) throw new LineFault(`\`${sent}\` ${BROKEN_ID}.`, NO_PLAYER);
  const all = names.map((name) => `\`${name}\``).join(' and ');
  throw new LineFault(`${all} ${names.length === 1 ? 'is' : 'are'} missing.`, NO_PLAYER);
}

const NO_PLAYER = 'The product does not know the player either: leave the line out.';

/** A time for the survey, where faulty lines say nothing. */
export const timeIn = (fields: Fields, name: string): number | undefined => foreignTime(fields[name]);

/** UUID namespace of ids made of several fields. Never change it: a repeat would have other ids. */
const PRODUCT_IDS = '9c6d7a52-43f1-4d0c-8d5e-7c1b1f3a60e4';

/** The id of an event that its product identifies by several fields. */
export const idOf = (product: string, parts: readonly unknown[]): string =>
  uuidv5(PRODUCT_IDS, `${product}\n${JSON.stringify(parts)}`);

/** A session that all of its lines together make, at the first of them. */
export function surveyedSession(
  { survey, place }: LineContext,
  key: string | undefined,
  sessionId: string | null,
  playedWith: PlayedWith | undefined,
): { session?: ImportedSession } {
  if (key === undefined || sessionId === null) return {};
  const seconds = survey.sessionSeconds(key, place);
  if (seconds === undefined) return {};
  // A longer one is the result of a clock that was changed.
  const durationSeconds = Math.max(0, Math.min(seconds, PLAYER_API_LIMITS.recordedSessionSeconds));
  return { session: { sessionId, durationSeconds, ...playedWith } };
}

export const sessionKey = (owner: string | undefined, session: string | null | undefined): string | undefined =>
  owner === undefined || session === null || session === undefined ? undefined : `${owner}\n${session}`;

/** Refuses a line that another product wrote, by a field that each line of this one has. */
export function requireShape(isOwn: boolean, product: string, needed: string, fields: Fields): void {
  if (isOwn) return;
  const other = SHAPES.find(({ has }) => has(fields))?.name;
  const hint = other === undefined || other === product ? '' : ` It looks like one of ${other}.`;
  throw new LineFault(
    `The line is none of an export of ${product}: ${needed}.${hint}`,
    other === undefined || other === product
      ? 'Check which product wrote the file, and name it with --from.'
      : `Import the file of ${other} by itself, with its own --from.`,
  );
}

const isIn = (fields: Fields, ...names: string[]): boolean => names.every((name) => Object.hasOwn(fields, name));

/** How lines of each product can be told; the most particular first. */
const SHAPES: readonly { name: string; has: (fields: Fields) => boolean }[] = [
  { name: 'Firebase', has: (fields) => isIn(fields, 'event_timestamp', 'event_params') },
  { name: 'GameAnalytics', has: (fields) => isIn(objectIn(fields, 'data'), 'category', 'client_ts') },
  { name: 'Amplitude', has: (fields) => isIn(fields, 'event_type', 'event_time') },
  { name: 'PostHog', has: (fields) => isIn(fields, 'event', 'distinct_id', 'timestamp') },
  { name: 'Mixpanel', has: (fields) => isIn(fields, 'event') && isIn(objectIn(fields, 'properties'), 'time') },
  { name: 'Unity', has: (fields) => isIn(fields, 'ts', 'userid') || isIn(fields, 'EVENT_NAME') },
  { name: 'Segment', has: (fields) => isIn(fields, 'messageId') || isIn(fields, 'received_at', 'id') },
  { name: 'native', has: (fields) => isIn(fields, 'external_id') },
];
