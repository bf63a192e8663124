import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the engine's configuration below `directory` and answers the path of its main file.
 *
 * The engine has one user. What a connection may do is decided by the one role it takes before any statement of a caller
 * runs: `service` may do everything, `analyst` may read one database and holds no source grant, so that the table functions
 * file(), url(), remote(), s3() and their kind are refused by ClickHouse itself. A caller cannot change its role:
 * SET ROLE never passes the gate in `read-only-gate.ts`.
 */
export function writeEngineConfig(directory: string, database: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const usersPath = join(directory, 'users.xml');
  const configPath = join(directory, 'config.xml');
  writeFileSync(usersPath, usersXml(database), { mode: 0o600 });
  writeFileSync(configPath, configXml(usersPath), { mode: 0o600 });
  return configPath;
}

function configXml(usersPath: string): string {
  return `<clickhouse>
  <users_config>${escapeXml(usersPath)}</users_config>
</clickhouse>
`;
}

function usersXml(database: string): string {
  return `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <roles>
    <service><grants><query>GRANT ALL ON *.*</query></grants></service>
    <analyst><grants>
      <query>GRANT SELECT, SHOW ON ${escapeXml(quoteIdentifier(database))}.*</query>
      <query>GRANT SHOW ON system.*</query>
    </grants></analyst>
  </roles>
  <users>
    <default>
      <password/>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT service</query><query>GRANT analyst</query></grants>
    </default>
  </users>
</clickhouse>
`;
}

/** A name between backticks, as ClickHouse quotes it. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** A text between single quotes, as ClickHouse quotes it. */
export function quoteString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
