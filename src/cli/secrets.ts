import { Command } from 'commander';
import { rewriteSecrets } from '../../streams/config/rewrite-secrets.ts';
import { CliError } from './cli-error.ts';
import type { CliContext } from './context.ts';

/** `secrets seal|unseal` */
export function secretsCommand(context: CliContext): Command {
  const rewrite = (sealed: boolean) => () =>
    context.withConfigStore(
      async (store) => {
        const { written, failed } = await rewriteSecrets(store);
        if (failed > 0) throw new CliError(`${failed} documents could not be written; run the command again.`);
        context.note(`${written} documents written ${sealed ? 'with sealed secrets' : 'with secrets in the clear'}.`);
      },
      { sealed },
    );
  const command = new Command('secrets').description(
    'Encrypt or decrypt the stored secrets of webhooks and player tokens.',
  );
  command
    .command('seal')
    .description('Encrypt every secret with SECRETS_KEY. A start of the service does the same.')
    .action(rewrite(true));
  command
    .command('unseal')
    .description('Store every secret in the clear, for an older version of the service. Stop the service right after.')
    .action(rewrite(false));
  return command;
}
