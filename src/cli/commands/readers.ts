import { Command } from 'commander';
import { gameReaderStatements } from '../../../clickhouse-schema/game-tables.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { digestOf, gameReaders, writeGameReaders } from '../../local/clickhouse/game-readers.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { table } from '../table.ts';

/** `readers create|list|remove|statements` */
export function readersCommand(context: CliContext): Command {
  const command = new Command('readers').description('Manage accounts that read the rows of one game in ClickHouse.');
  command
    .command('create')
    .description('Create a reader of the embedded ClickHouse, and print its token.')
    .requiredOption('--game <id>', 'the only game whose rows it reads')
    .option('--name <name>', 'name of the user; default: reader_ and the game')
    .action(({ game, name = `reader_${game}` }: { game: string; name?: string }) =>
      context.withConfigStore(async (store) => {
        await Promise.resolve();
        if (store.get(gameAddress(game)) === undefined) {
          throw new CliError(`There is no game ${game}. List the games with games list.`);
        }
        if (!/^[\w.-]{1,100}$/.test(name) || ['default', 'service'].includes(name)) {
          throw new CliError(`"${name}" is no name of a reader. Use letters, digits, _, - and dots.`);
        }
        const readers = gameReaders(context.dataDir);
        if (readers.length >= MOST_READERS) throw new CliError(`There are ${MOST_READERS} readers, the maximum.`);
        if (readers.some((reader) => reader.name === name)) throw new CliError(`There is a reader ${name} already.`);
        const token = `rdr_${Buffer.from(context.ids.bytes(24)).toString('base64url')}`;
        writeGameReaders(context.dataDir, [...readers, { name, game, digest: digestOf(token) }]);
        context.note(`The user is ${name}, and this is its password. It is shown once:`);
        context.print(token);
      }),
    );
  command
    .command('list')
    .description('List the readers of the embedded ClickHouse.')
    .action(() => {
      const rows = gameReaders(context.dataDir).map(({ name, game }) => [name, game]);
      context.print(table(['name', 'game'], rows));
    });
  command
    .command('remove')
    .description('Remove a reader of the embedded ClickHouse, at once.')
    .argument('<name>', 'its name')
    .action((name: string) => {
      const readers = gameReaders(context.dataDir);
      const left = readers.filter((reader) => reader.name !== name);
      if (left.length === readers.length)
        throw new CliError(`There is no reader ${name}. List them with readers list.`);
      writeGameReaders(context.dataDir, left);
      context.note(`Removed ${name}.`);
    });
  command
    .command('statements')
    .description('Print the statements that create a reader of one game on your own ClickHouse server.')
    .requiredOption('--game <id>', 'the only game whose rows it reads')
    .option('--database <name>', 'default: CLICKHOUSE_DATABASE')
    .option('--password <text>', 'default: a placeholder that you replace')
    .action(({ game, database, password = '…' }: { game: string; database?: string; password?: string }) => {
      const statements = gameReaderStatements(game, database ?? context.clickhouse().database, password);
      context.print(statements.map((statement) => `${statement};`).join('\n'));
    });
  return command;
}

/** Each request with a token compares it with all of them. */
const MOST_READERS = 1000;
