import { Command, InvalidArgumentError, Option } from 'commander';
import type { ConfigEntry, ConfigStore } from '../../streams/config/config-store.ts';
import type { GameDocument } from '../../streams/config/documents.ts';
import { gameAddress } from '../../streams/config/games.ts';
import { newPlayerTokenSecret, rotated } from '../../streams/config/player-tokens.ts';
import { LIMITS } from '../kernel/limits.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';

const HOUR_MS = 60 * 60 * 1_000;
const OVERLAP_HOURS = 24;

/** `games player-tokens create|rotate|disable` */
export function playerTokensCommand(context: CliContext): Command {
  const { clock, ids, print, note } = context;
  const command = new Command('player-tokens').description(
    'The secret with which a game server signs player tokens (JWT, HS256); games set --require-player-token asks for them.',
  );
  command
    .command('create')
    .description('Make the secret; prints it, once.')
    .argument('<id>', 'the game')
    .action((id: string) =>
      context.withConfigStore(async (store) => {
        const entry = gameOf(store, id);
        if (entry.document.playerTokens !== undefined) {
          throw new CliError(`The game ${id} has a secret; change it with games player-tokens rotate ${id}.`);
        }
        const secret = newPlayerTokenSecret(ids);
        await put(store, entry, { ...entry.document, playerTokens: { secret } });
        note('The secret is shown only now:');
        print(secret);
      }),
    );
  command
    .command('rotate')
    .description('Make a new secret; prints it, once. What the one before signed stays good for a while.')
    .argument('<id>', 'the game')
    .addOption(
      new Option('--overlap-hours <hours>', 'how long that is; 0 ends it at once')
        .argParser(parseHours)
        .default(OVERLAP_HOURS),
    )
    .action((id: string, { overlapHours }: { overlapHours: number }) =>
      context.withConfigStore(async (store) => {
        const entry = gameOf(store, id);
        const held = entry.document.playerTokens;
        if (held === undefined) throw noSecret(id);
        const playerTokens = rotated(held, ids, clock.wallMs(), overlapHours * HOUR_MS);
        await put(store, entry, { ...entry.document, playerTokens });
        note('The secret is shown only now:');
        print(playerTokens.secret);
      }),
    );
  command
    .command('disable')
    .description('Forget the secret: player tokens are refused, and none is needed any more.')
    .argument('<id>', 'the game')
    .action((id: string) =>
      context.withConfigStore(async (store) => {
        const entry = gameOf(store, id);
        const { playerTokens, requirePlayerToken: _, ...rest } = entry.document;
        if (playerTokens === undefined) throw noSecret(id);
        await put(store, entry, rest);
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

function noSecret(id: string): CliError {
  return new CliError(
    `The game ${id} has no secret for player tokens; make one with games player-tokens create ${id}.`,
  );
}

async function put(store: ConfigStore, entry: ConfigEntry<'game'>, document: GameDocument): Promise<void> {
  const written = await store.put(gameAddress(entry.game), document, entry.revision);
  if (written.kind === 'conflict') throw new CliError('Somebody changed the game at the same moment; try again.');
  if (written.kind === 'unavailable') throw new CliError('NATS did not confirm the write; try again.');
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() === '' || !Number.isFinite(hours) || hours < 0 || hours > LIMITS.playerTokenOverlapHours) {
    throw new InvalidArgumentError(`It is a number from 0 to ${LIMITS.playerTokenOverlapHours}.`);
  }
  return hours;
}
