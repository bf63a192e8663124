import { Command } from 'commander';
import type { ClientAttributes } from '../../../core/vocabulary/documents/game.ts';
import { createGame, currencyIn, extractedOf, gameAddress, isGameId, zoneOf } from '../../../streams/config/games.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { playerTokensCommand } from './player-tokens.ts';
import { gameRatesCommand } from '../game-rates.ts';
import { setGameCommand } from '../set-game.ts';
import { table } from '../table.ts';

/** `games create|list|set|rates|player-tokens` */
export function gamesCommand(context: CliContext): Command {
  const command = new Command('games').description('Manage games. Players, keys and definitions belong to a game.');
  command
    .command('create')
    .description('Create a game and print its id.')
    .argument('<id>', 'up to 63 lower-case letters, digits and dashes; it appears in ClickHouse and cannot change')
    .option('--name <name>', 'name for people (default: the id)')
    .option('--tenant <tenant>', 'organisation that owns the game (default: the id)')
    .action((id: string, options: { name?: string; tenant?: string }) =>
      context.withConfigStore(async (store) => {
        if (!isGameId(id)) {
          throw new CliError(`"${id}" cannot be a game's id. Use 1 to 63 lower-case letters, digits and dashes.`);
        }
        const game = createGame(options.name ?? id, options.tenant ?? id, context.clock, context.ids);
        const written = await store.put(gameAddress(id), game, 0);
        if (written.kind === 'conflict') throw new CliError(`The game ${id} already exists.`);
        if (written.kind === 'unavailable') {
          throw new CliError('NATS did not confirm the write. Check with games list whether the game exists.');
        }
        context.print(id);
      }),
    );
  command
    .command('list')
    .description('List all games with their settings.')
    .action(() =>
      context.withConfigStore(async (store) => {
        const rows = store
          .list('game')
          .map(({ game, document }) => [
            game,
            document.name,
            document.tenant,
            new Date(document.createdAt).toISOString(),
            document.clientPurchases === false ? 'off' : 'on',
            shownAttributes(document.clientAttributes),
            document.requirePlayerToken === true ? 'required' : 'not required',
            zoneOf(document),
            currencyIn(document) ?? 'none',
            extractedOf(document).join(', ') || 'none',
          ]);
        const settings = [
          'client purchases',
          'client attributes',
          'player tokens',
          'time zone',
          'currency',
          'extracted',
        ];
        context.print(table(['id', 'name', 'tenant', 'created', ...settings], rows));
      }),
    );
  return command
    .addCommand(setGameCommand(context))
    .addCommand(gameRatesCommand(context))
    .addCommand(playerTokensCommand(context));
}

function shownAttributes(allowed: ClientAttributes = 'all'): string {
  return typeof allowed === 'string' ? allowed : allowed.listed.join(', ');
}
