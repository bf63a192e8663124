import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { ExportedPlayer } from '../../../core/vocabulary/commands/replies.ts';

/** Fields that the Player resource contains, and fields that only describe how the player is stored. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'kind',
  'id',
  'externalId',
  'deviceId',
  'email',
  'lifecycleStage',
  'sessionCount',
  'totalRevenue',
  'isPayer',
  'isTestPlayer',
  'firstSeenAt',
  'lastSeenAt',
  'attributes',
  'lastSeq',
  'bornSeq',
]);
/** Amounts, held as integer ten-thousandths. */
const MONEY: ReadonlySet<string> = new Set(['totalRevenue', 'amount', 'refunded', 'remaining']);
const MONEY_SCALE = 10_000;
/** Names of times in epoch milliseconds, such as `openedAt` and `since`; 0 means never. */
const TIME = /At$|^(?:at|since)$/;

/**
 * The live state of a player besides its resource, with the API's conventions: snake_case names, ISO 8601 times, money
 * in units. It converts every field generically, so the export includes fields that are added to the state later.
 */
export function exportedState(player: ExportedPlayer): Record<string, unknown> {
  const entries = Object.entries(player).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [snake(name), shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => shown('', item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snake(key), shown(key, inner)]));
  }
  if (typeof value !== 'number') return value;
  if (MONEY.has(name)) return value / MONEY_SCALE;
  if (!TIME.test(name)) return value;
  return value === 0 ? null : formatTimestamp(value);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
