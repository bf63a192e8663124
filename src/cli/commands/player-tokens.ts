import { Command, InvalidArgumentError, Option } from 'commander';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { newPlayerTokenSecret, playerTokensAddress, rotated } from '../../../streams/config/player-tokens.ts';
import { CLI_LIMITS } from '../limits.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';

const HOUR_MS = 60 * 60 * 1_000;
const OVERLAP_HOURS = 24;

/** `games player-tokens create|rotate|disable` */
export function playerTokensCommand(context: CliContext): Command {
  const { clock, ids, print, note } = context;
  const command = new Command('player-tokens').description(
    'Manage the secret that signs player tokens (JWT, HS256) on a game server. See games set --require-player-token.',
  );
  command
    .command('create')
    .description('Create the secret and print it once.')
    .argument('<id>', 'the game')
    .action((id: string) =>
      context.withConfigStore(async (store) => {
        gameOf(store, id);
        if (store.get(playerTokensAddress(id)) !== undefined) {
          throw new CliError(
            `The game ${id} already has a secret for player tokens. Change it with games player-tokens rotate ${id}.`,
          );
        }
        const secret = newPlayerTokenSecret(ids);
        confirm(await store.put(playerTokensAddress(id), { secret }, 0));
        note('The secret is shown only now:');
        print(secret);
      }),
    );
  command
    .command('rotate')
    .description('Create a new secret and print it once. Tokens of the previous secret stay valid for the overlap.')
    .argument('<id>', 'the game')
    .addOption(
      new Option('--overlap-hours <hours>', 'hours that tokens of the previous secret stay valid; 0 ends them at once')
        .argParser(parseHours)
        .default(OVERLAP_HOURS),
    )
    .action((id: string, { overlapHours }: { overlapHours: number }) =>
      context.withConfigStore(async (store) => {
        const held = secretsOf(store, id);
        const secrets = rotated(held.document, ids, clock.wallMs(), overlapHours * HOUR_MS);
        confirm(await store.put(playerTokensAddress(id), secrets, held.revision));
        note('The secret is shown only now:');
        print(secrets.secret);
      }),
    );
  command
    .command('disable')
    .description('Delete the secret. Player tokens are then refused and not required.')
    .argument('<id>', 'the game')
    .action((id: string) =>
      context.withConfigStore(async (store) => {
        const held = secretsOf(store, id);
        const { document, revision } = gameOf(store, id);
        const { requirePlayerToken: _, ...rest } = document;
        confirm(await store.put(gameAddress(id), rest, revision));
        const isDeleted = await store.delete(playerTokensAddress(id), held.revision);
        if (!isDeleted)
          throw new CliError(
            'Player tokens are no longer required, but the secret could not be deleted. Run disable again.',
          );
        print(id);
      }),
    );
  return command;
}

function gameOf(store: ConfigStore, id: string): ConfigEntry<'game'> {
  const entry = store.get(gameAddress(id));
  if (entry === undefined) throw new CliError(`There is no game ${id}.`);
  return entry;
}

function secretsOf(store: ConfigStore, id: string): ConfigEntry<'player_tokens'> {
  gameOf(store, id);
  const entry = store.get(playerTokensAddress(id));
  if (entry !== undefined) return entry;
  throw new CliError(
    `The game ${id} has no secret for player tokens. Create one with games player-tokens create ${id}.`,
  );
}

function confirm({ kind }: { kind: 'written' | 'conflict' | 'unavailable' }): void {
  if (kind === 'conflict') throw new CliError('Another command changed the game at the same time. Try again.');
  if (kind === 'unavailable') throw new CliError('NATS did not confirm the write. Try again.');
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() === '' || !Number.isFinite(hours) || hours < 0 || hours > CLI_LIMITS.playerTokenOverlapHours) {
    throw new InvalidArgumentError(`Hours must be a number from 0 to ${CLI_LIMITS.playerTokenOverlapHours}.`);
  }
  return hours;
}
