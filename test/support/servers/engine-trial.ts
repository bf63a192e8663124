import { openEngine } from '../../../src/local/clickhouse/engine/engine.ts';

/**
 * A process that runs statements directly in the engine, without the checks of the HTTP interface, as both callers.
 * Arguments: a data directory, then statements. Prints a JSON array of `{ caller, sql, error }`; `error` is null on
 * success.
 */
const [dataDir = '', ...statements] = process.argv.slice(2);
const engine = await openEngine({ dataDir, database: 'default' });
const outcomes: { caller: string; sql: string; error: string | null }[] = [];
for (const caller of ['service', 'analyst'] as const) {
  for (const sql of statements) {
    const connection = await engine.connect({
      caller,
      game: undefined,
      database: 'default',
      settings: new Map(),
      parameters: new Map(),
      showsSettings: false,
    });
    const error = await connection.run(sql, 'TabSeparated').then(
      () => null,
      (thrown: unknown) => String(thrown),
    );
    outcomes.push({ caller, sql, error });
    connection.close();
  }
}
process.stdout.write(JSON.stringify(outcomes));
process.exit(0);
