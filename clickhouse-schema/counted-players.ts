/**
 * The condition for rows of players whom figures count: all but test players. Every figure has it, of a view or of a
 * query; lists of rows do not. A player id is of one game and environment, so the condition needs neither.
 *
 * It is asked when a figure is read: so it covers what players did before they were marked, and unmarking brings all of
 * it back.
 * @param table the alias of the rows, where `player_id` alone is ambiguous
 */
export function countedPlayers(table = ''): string {
  return `${table === '' ? '' : `${table}.`}player_id NOT IN (SELECT player_id FROM test_players FINAL)`;
}
