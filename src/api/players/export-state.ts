import { formatTimestamp } from '../../kernel/timestamp.ts';
import type { ExportedPlayer } from '../../../actors/vocabulary/replies.ts';

/** Fields that the Player resource shows already, and what only tells how the player is stored. */
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
  'firstSeenAt',
  'lastSeenAt',
  'attributes',
  'lastSeq',
]);
/** Held as integer ten-thousandths. */
const MONEY: ReadonlySet<string> = new Set(['totalRevenue', 'amount']);
const MONEY_SCALE = 10_000;
/** Epoch milliseconds: `openedAt`, `since`. 0 is never. */
const TIME = /At$|^(?:at|since)$/;

/**
 * What is held of a player beside its resource, in the words of the wire: names in snake_case, times as ISO 8601, money in units.
 * It goes over whatever there is, so that a field that is added to the state is in the export without anybody thinking of it.
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
