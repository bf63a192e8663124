import { Command, Option } from 'commander';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createListLoader } from '../../api/segments/lists/list-loader.ts';
import type { NameKind } from '../../api/segments/lists/list-port.ts';
import { refuseEmpty, readNames, type ListFormat } from '../../api/segments/lists/read-names.ts';
import { playerIdOf } from '../../api/players/player-id.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { withOwners } from '../import/send/history-client.ts';
import { fileKindOf, openFile } from '../import/files/open-source.ts';
import { grouped } from '../import/progress-line.ts';
import { printable } from '../printable.ts';
import { reasonOption } from '../reason-option.ts';
import { table } from '../table.ts';

interface LoadOptions {
  game: string;
  environment: Environment;
  format?: Exclude<ListFormat, 'json'>;
  ids: NameKind;
  allowEmpty?: boolean;
  reason: string;
}

/** `segments load KEY FILE` */
export function segmentsCommand(context: CliContext): Command {
  const command = new Command('segments').description('Load the lists of static segments.');
  command
    .command('load')
    .description(
      'Replace the list of a static segment by the players in a file. The list takes effect at once, or not at all.',
    )
    .argument('<key>', 'key of the segment')
    .argument('<file>', '.csv, .txt (one id a line), .ndjson or .jsonl; also with .gz')
    .requiredOption('--game <id>', 'game of the segment')
    .addOption(new Option('--environment <environment>').choices(['live', 'test']).default('live'))
    .addOption(new Option('--format <format>', 'of a file whose name does not tell it').choices(['csv', 'ndjson']))
    .addOption(
      new Option('--ids <kind>', 'what ids without a column name are')
        .choices(['external_id', 'player_id'])
        .default('external_id'),
    )
    .option('--allow-empty', 'clear the list when the file has no ids; otherwise such a file is refused')
    .addOption(reasonOption())
    .action((key: string, file: string, options: LoadOptions) => load(key, file, options, context));
  return command;
}

async function load(key: string, path: string, options: LoadOptions, context: CliContext): Promise<void> {
  const { game, environment, ids } = options;
  const format = options.format ?? formatOf(path);
  await context.withDeployment(
    async (store, log) => {
      const namespace = store.get(gameAddress(game))?.document.namespace;
      if (namespace === undefined) throw new CliError(`There is no game ${game}; see games list.`);
      const segment = store.list('segment', game, environment).find(({ document }) => document.key === key);
      if (segment === undefined) throw new CliError(`There is no segment ${key} in ${game}, ${environment}.`);
      await withOwners({ store, log, context }, async (backend) => {
        const loader = createListLoader({ backend, config: store, clock: context.clock, ids: context.ids });
        const { chunks } = await openFile(path, format);
        const loaded = await loader.load(
          {
            address: { game, environment, kind: 'segment', key: segment.key },
            idOf: ({ kind, text }) =>
              kind === 'player_id' ? text.toLowerCase() : playerIdOf({ namespace, environment }, text),
          },
          options.allowEmpty === true ? readNames(chunks, format, ids) : refuseEmpty(readNames(chunks, format, ids)),
        );
        if (loaded.kind === 'failure') throw new CliError(loaded.message ?? loaded.code);
        const { received, duplicates, tally } = loaded;
        const counts = [received, tally.members, duplicates, tally.unknown].map(grouped);
        context.print(table(['ids', 'players in the list', 'duplicates', 'unknown'], [counts]));
        if (tally.unknownNames.length > 0)
          context.note(
            `Unknown: ${tally.unknownNames
              .slice(0, UNKNOWN_SHOWN)
              .map((name) => printable(name))
              .join(', ')}`,
          );
      });
    },
    { reason: options.reason },
  );
}

const UNKNOWN_SHOWN = 10;

function formatOf(path: string): 'csv' | 'ndjson' {
  const kind = /\.txt(\.gz)?$/i.test(path) ? 'csv' : fileKindOf(path);
  if (kind === 'csv' || kind === 'ndjson') return kind;
  throw new CliError(`The name of ${path} does not tell its format. Name it with --format.`);
}
