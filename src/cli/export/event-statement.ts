import type { Scope } from '../../../core/vocabulary/documents/scope.ts';
import { PURCHASE_EVENT, REFUND_EVENT, SESSION_EVENT } from '../../../core/vocabulary/service-events.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { literal } from './clickhouse-rows.ts';

/** The statement that exports events of some hours, and the condition that both of its kinds share. */

/** Columns that `import events` reads, and what analysts need of the player at that time. */
const BEFORE = 'event_id, external_id, event_name, timestamp, session_id, properties';
const BEHIND =
  'player_id, game_id, environment, received_at, lifecycle_stage, is_payer, country, platform, app_version, build';

export function eventStatement(scope: Scope, fromMs: number, toMs: number): string {
  const rows = receivedIn(scope, fromMs, toMs);
  return (
    `SELECT ${BEFORE}, if(source = 'import' AND (${isRecord(rows)}), 'service', source) AS source, ${BEHIND} ` +
    `FROM events WHERE ${rows} ORDER BY received_at, facts_sequence, facts_index`
  );
}

/** Rows of any table of a game and environment that were received in a range. */
export function receivedIn({ game, environment }: Scope, fromMs: number, toMs: number): string {
  return (
    `game_id = ${literal(game)} AND environment = ${literal(environment)} AND ` +
    `received_at >= ${timeLiteral(fromMs)} AND received_at < ${timeLiteral(toMs)}`
  );
}

/**
 * Whether an imported event counts as a session, purchase or refund: there is a row of it, of the same player, time and
 * id. Other products' events may have the same names.
 */
function isRecord(rows: string): string {
  const is = (names: readonly string[], field: string, table: string, id: string): string =>
    `event_name IN (${names.map(literal).join(', ')}) AND (player_id, received_at, ${idIn(field)}) IN ` +
    `(SELECT player_id, received_at, ${id} FROM ${table} WHERE ${rows})`;
  const sessions = is([SESSION_EVENT], 'session_id', 'sessions', 'session_id');
  const purchases = is([PURCHASE_EVENT, REFUND_EVENT], 'transaction_id', 'purchases', `ifNull(transaction_id, '')`);
  return `${sessions} OR ${purchases}`;
}

/** An id as the import reads it: a text, or the digits of a number. */
function idIn(field: string): string {
  const [text, raw] = ['String', 'Raw'].map((type) => `JSONExtract${type}(properties, '${field}')`);
  return `if(${raw} IN ('null', '""') OR ${text} != '', ${text}, ${raw})`;
}

function timeLiteral(epochMs: number): string {
  return `toDateTime64(${literal(formatTimestamp(epochMs).slice(0, -1).replace('T', ' '))}, 3, 'UTC')`;
}
