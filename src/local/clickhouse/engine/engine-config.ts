import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hiddenColumnsIn } from '../../../../clickhouse-schema/hidden-columns.ts';
import { gameGrants, gameTables, rowsOfGame } from '../../../../clickhouse-schema/game-tables.ts';
import { quoteIdentifier } from '../../../../clickhouse-schema/quoting.ts';

/**
 * Writes the engine's configuration below `directory` and returns the path of its main file.
 *
 * The engine has one user. Each connection takes one role before it runs a caller's statement: `service` may read and
 * change tables, `analyst` may read one database, `game_analyst` the tables of games in it. None of them has a source
 * grant, so ClickHouse refuses table functions such as file(), url(), remote() and s3(). A caller cannot change its
 * role, because `approve-statement.ts` refuses SET
 * ROLE. Every folder whose files a statement could name is empty.
 *
 * The engine compares its memory use with its limits once a second: 20 times a second were a quarter of its work at
 * rest.
 */
export function writeEngineConfig(directory: string, database: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const usersPath = join(directory, 'users.xml');
  const configPath = join(directory, 'config.xml');
  writeFileSync(usersPath, usersXml(database), { mode: 0o600 });
  const emptyPath = join(directory, 'empty');
  mkdirSync(emptyPath, { recursive: true, mode: 0o500 });
  writeFileSync(configPath, configXml(usersPath, `${emptyPath}/`), { mode: 0o600 });
  return configPath;
}

function configXml(usersPath: string, emptyPath: string): string {
  const empty = escapeXml(emptyPath);
  return `<clickhouse>
  <users_config>${escapeXml(usersPath)}</users_config>
  <user_files_path>${empty}</user_files_path>
  <user_scripts_path>${empty}</user_scripts_path>
  <format_schema_path>${empty}</format_schema_path>
  <dictionaries_lib_path>${empty}</dictionaries_lib_path>
  <top_level_domains_path>${empty}</top_level_domains_path>
  <allow_introspection_functions>0</allow_introspection_functions>
  <remote_url_allow_hosts></remote_url_allow_hosts>
  <memory_worker_period_ms>1000</memory_worker_period_ms>
</clickhouse>
`;
}

function usersXml(database: string): string {
  return `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <roles>
    <control><grants>
      <query>GRANT CREATE DATABASE ON *.*</query>
      <query>GRANT KILL QUERY ON *.*</query>
    </grants></control>
    <service><grants>
      <query>GRANT SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP, TRUNCATE, OPTIMIZE, SHOW ON *.*</query>
      <query>GRANT SYSTEM MERGES ON *.*</query>
    </grants></service>
    <analyst><grants>
      <query>GRANT SELECT, SHOW ON ${escapeXml(quoteIdentifier(database))}.*</query>
${hiddenColumns(database)}
      <query>GRANT SHOW ON system.*</query>
    </grants></analyst>
    <game_analyst><grants>
${gameGrants(database, '')
  .map((statement) => `      <query>${escapeXml(statement.replace(/ (?:TO|FROM) $/, ''))}</query>`)
  .join('\n')}
      <query>GRANT SHOW ON system.*</query>
    </grants></game_analyst>
  </roles>
  <users>
    <default>
      <password/>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
${policies(database)}      <grants><query>GRANT control, service, analyst, game_analyst</query></grants>
    </default>
  </users>
</clickhouse>
`;
}

/** The setting that holds the game of a connection; empty: all games. It has no effect by itself. */
export const GAME_SETTING = 'query_cache_tag';

/** Whether a database can have readers of one game: its name is a tag of the configuration. */
export const canHaveGameReaders = (database: string): boolean => /^[A-Za-z_][\w-]*$/.test(database);

/**
 * The rows of tables by the game of the connection. A row policy comes before all conditions of a statement. The
 * setting `additional_table_filters` does not: a statement can fail on another game's value and show it in the error.
 */
function policies(database: string): string {
  if (!canHaveGameReaders(database)) return '';
  const filter = `getSetting('${GAME_SETTING}') = '' OR game_id = getSetting('${GAME_SETTING}')`;
  const tables = gameTables().tables.map(
    (table) => `<${table}><filter>${rowsOfGame(table, filter)}</filter></${table}>`,
  );
  return `      <databases><${database}>${tables.join('')}</${database}></databases>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function hiddenColumns(database: string): string {
  return hiddenColumnsIn(database)
    .map(({ columns, table }) => `      <query>${escapeXml(`REVOKE SELECT(${columns}) ON ${table}`)}</query>`)
    .join('\n');
}
