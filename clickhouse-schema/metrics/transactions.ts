/**
 * Purchases as one row for each transaction: `(player_id, first_place, is_imported)` and `columns` of its rows, with
 * what was refunded of it, whenever that was. `first_place` is the time and place in the log of the first report; one
 * without an id is its own.
 * @param where the rows to read; it must keep or leave out all rows of a transaction's first report
 */
export function transactions(columns: string, where: string): string {
  const place = '(happened_at, facts_sequence, facts_index)';
  return `SELECT
        player_id,
        min(${place}) AS first_place,
        argMin(recorded_by, ${place}) = 'import' AS is_imported,
        ${columns}
      FROM purchases
      WHERE ${where}
      GROUP BY player_id, transaction_id, if(transaction_id IS NULL, (facts_sequence, facts_index), (0, 0))
      HAVING sumIf(counts, kind != 'refund') > 0`;
}
