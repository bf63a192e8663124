import { readdirSync, readFileSync } from 'node:fs';
import { hiddenColumnsIn } from './hidden-columns.ts';
import { quoteIdentifier, quoteString } from './quoting.ts';
import { statementsOf } from './schema-record.ts';

/** What a reader of one game may read. */
export interface GameTables {
  /** Tables with a column `game_id`. All others are closed to the reader. */
  tables: readonly string[];
  views: readonly string[];
}

/** By the files of migrations and views, so that a new table is closed until it has the column. */
export function gameTables(): GameTables {
  const ofGames = new Set<string>();
  for (const sql of statementsIn('migrations')) {
    const [table, as, source = ''] = wordsAfter(sql, 'CREATE TABLE IF NOT EXISTS ');
    if (table === undefined) continue;
    if (as === 'AS' ? ofGames.has(source) : sql.split('\n').some((line) => line.trim().startsWith('game_id '))) {
      ofGames.add(table);
    }
  }
  const views = statementsIn('views').flatMap((sql) => wordsAfter(sql, 'CREATE OR REPLACE VIEW ').slice(0, 1));
  return { tables: [...ofGames], views };
}

/** The words of the first line behind `start`; none for another statement. */
const wordsAfter = (sql: string, start: string): string[] =>
  sql.startsWith(start) ? (sql.slice(start.length).split('\n')[0] ?? '').split(' ') : [];

function statementsIn(folder: 'migrations' | 'views'): string[] {
  const url = new URL(`${folder}/`, import.meta.url);
  const files = readdirSync(url).filter((name) => name.endsWith('.sql'));
  return files.toSorted().flatMap((name) => statementsOf(readFileSync(new URL(name, url), 'utf8')));
}

/** Tables whose row without a game says something of every game: how far the builder of days has looked. */
const ALSO_OF_NO_GAME: readonly string[] = ['player_days_builds'];

/** The rows of a table that a reader of one game reads, as SQL. @param ofGame the condition on a row of the game */
export function rowsOfGame(table: string, ofGame: string): string {
  return ALSO_OF_NO_GAME.includes(table) ? `${ofGame} OR game_id = ''` : ofGame;
}

/** Tables that views read and that hold no rows of games: the scoring model's distributions. */
const OF_NO_GAME = ['model_references'];

/** The statements that let `grantee` read the tables and views, without the hidden columns. */
export function gameGrants(database: string, grantee: string): string[] {
  const { tables, views } = gameTables();
  const hidden = hiddenColumnsIn(database);
  return [
    ...[...tables, ...views, ...OF_NO_GAME].map(
      (name) => `GRANT SELECT, SHOW ON ${quoteIdentifier(database)}.${name} TO ${grantee}`,
    ),
    ...hidden.map(({ columns, table }) => `REVOKE SELECT(${columns}) ON ${table} FROM ${grantee}`),
  ];
}

/** The statements that create an account on a ClickHouse server which reads the rows of one game. */
export function gameReaderStatements(game: string, database: string, password: string): string[] {
  const user = quoteIdentifier(`reader_${game}`);
  const { tables } = gameTables();
  const on = (table: string): string => `ON ${quoteIdentifier(database)}.${table}`;
  return [
    'CREATE ROLE IF NOT EXISTS game_readers',
    // A table with a policy may show nothing to those without one, as the server is configured.
    ...tables.map((table) => `CREATE ROW POLICY IF NOT EXISTS others ${on(table)} USING 1 TO ALL EXCEPT game_readers`),
    `CREATE USER IF NOT EXISTS ${user} IDENTIFIED BY ${quoteString(password)} ` +
      'SETTINGS readonly = 2, max_memory_usage = 1000000000, max_execution_time = 60',
    `GRANT game_readers TO ${user}`,
    ...tables.map(
      (table) =>
        `CREATE ROW POLICY IF NOT EXISTS ${user} ${on(table)} ` +
        `USING ${rowsOfGame(table, `game_id = ${quoteString(game)}`)} TO ${user}`,
    ),
    ...gameGrants(database, user),
    `CREATE QUOTA IF NOT EXISTS ${user} FOR INTERVAL 1 hour MAX queries = 5000, execution_time = 1200 TO ${user}`,
  ];
}
