import { measureOf } from '../../../../core/vocabulary/metrics/metrics.ts';
import type { PlayersQuestion } from '../../../../clickhouse-schema/queries/questions/asked.ts';
import type { QuestionRow } from '../../../../clickhouse-schema/queries/questions/statement-of.ts';
import { formatTimestampOrNull } from '../../../../core/kernel/text/timestamp.ts';
import { cursorOf } from '../../input/player-cursor.ts';

/** A page of players. One more than `limit` is asked for: it shows whether there is another page. */
export function playersAnswer({ of, limit }: PlayersQuestion, rows: readonly QuestionRow[]) {
  const shown = rows.slice(0, limit - 1);
  const last = shown.at(-1);
  return {
    counts_players: of.kind !== 'measured' || measureOf(of.part.measure).countsPlayers === true,
    total: Number(rows[0]?.['total'] ?? 0),
    players: shown.map(playerIn),
    next_cursor: last === undefined || rows.length < limit ? null : cursorOf(String(last['player_id'])),
  };
}

/** What is not known of a player yet, because its snapshot follows later, is null. */
function playerIn(row: QuestionRow) {
  const isKnown = row['external_id'] !== '';
  const of = (value: unknown) => (isKnown ? value : null);
  return {
    player_id: String(row['player_id']),
    external_id: of(row['external_id']),
    lifecycle_stage: of(row['lifecycle_stage']),
    country: of(row['country']),
    total_revenue: of(row['revenue']),
    last_seen_at: isKnown && Number(row['last_ms']) > 0 ? formatTimestampOrNull(Number(row['last_ms'])) : null,
  };
}
