import { type AnswerOf, call, type Scope } from '../../frame/api.ts';
import { download } from '../../parts/lists/csv.ts';

type Page = AnswerOf<'GET /v1/players/players/{id}/export'>;
const ROWS_OF_PAGE = 1_000;

/**
 * Reads all pages of an export and saves them as one file.
 * @param onRows called with the number of rows read so far
 */
export async function exportPlayer(
  scope: Scope,
  playerId: string,
  externalId: string,
  onRows: (rows: number) => void,
): Promise<void> {
  const rows: Record<string, unknown[]> = {};
  let first: Page | undefined;
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await call(scope, 'GET /v1/players/players/{id}/export', {
      path: { id: playerId },
      query: { limit: ROWS_OF_PAGE, cursor },
    });
    first ??= page;
    for (const [table, found] of Object.entries(page.rows)) {
      if (!Array.isArray(found)) continue;
      (rows[table] ??= []).push(...found);
      count += found.length;
    }
    onRows(count);
    cursor = page.next_cursor;
  }
  const { exported_at: exportedAt, player, state } = first ?? {};
  download(
    `player-${fileName(externalId)}.json`,
    JSON.stringify({ exported_at: exportedAt, player, state, rows }, null, 2),
    'application/json',
  );
}

/** An external id is any text of the game; a file's name must be plain. */
function fileName(text: string): string {
  return text.slice(0, 80).replaceAll(/[^\w.-]/g, '_');
}
