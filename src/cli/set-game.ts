import { Command, Option } from 'commander';
import type { GameDocument } from '../../streams/config/documents.ts';
import { gameAddress } from '../../streams/config/games.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';
import { lifecycleOptions, thresholdsAfter, type LifecycleOptions } from './lifecycle-options.ts';

interface SetOptions extends LifecycleOptions {
  clientPurchases?: 'on' | 'off';
}

/** `games set`: one option for each setting; what is not named stays. */
export function setGameCommand(context: CliContext): Command {
  const command = new Command('set')
    .description("Change a game's settings; in effect on every node within 200 ms.")
    .argument('<id>', 'the game')
    .addOption(
      new Option(
        '--client-purchases <switch>',
        'whether client keys (pk_) may record purchases; on for a new game',
      ).choices(['on', 'off']),
    )
    .action((id: string, options: SetOptions) =>
      context.withConfigStore(async (store) => {
        const entry = store.get(gameAddress(id));
        if (entry === undefined) throw new CliError(`There is no game ${id}.`);
        const changes = changesOf(entry.document, options);
        if (Object.keys(changes).length === 0) throw new CliError('Name a setting; see games set --help.');
        const written = await store.put(gameAddress(id), { ...entry.document, ...changes }, entry.revision);
        if (written.kind === 'conflict') throw new CliError('Somebody changed the game at the same moment; try again.');
        if (written.kind === 'unavailable') throw new CliError('NATS did not confirm the write; try again.');
        context.print(id);
      }),
    );
  for (const option of lifecycleOptions()) command.addOption(option);
  return command;
}

function changesOf({ lifecycle: before }: GameDocument, options: SetOptions): Partial<GameDocument> {
  const { clientPurchases } = options;
  const lifecycle = thresholdsAfter(before, options);
  return {
    ...(clientPurchases === undefined ? {} : { clientPurchases: clientPurchases === 'on' }),
    ...(lifecycle === undefined ? {} : { lifecycle }),
  };
}
