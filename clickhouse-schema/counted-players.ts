/**
 * The condition for rows of players whom figures count: all but test players. Every figure has it, of a view or of a
 * query; lists of rows do not.
 *
 * It is asked when a figure is read: so it covers what players did before they were marked, and unmarking brings all of
 * it back. While there are no marks the engine folds it to 1, and reads no ids of players for it.
 * @param table the alias of the rows, where `player_id` alone is ambiguous
 * @param scope a condition of test players' game and environment, for which alone they are looked up; ids are of one
 * game and environment, so the figures are the same without it
 */
export function countedPlayers(table = '', scope = ''): string {
  const marked = `FROM test_players FINAL${scope === '' ? '' : ` WHERE ${scope}`}`;
  const player = `${table === '' ? '' : `${table}.`}player_id`;
  return `((SELECT count() ${marked}) = 0 OR ${player} NOT IN (SELECT player_id ${marked}))`;
}
