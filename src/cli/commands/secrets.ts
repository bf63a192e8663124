import { Command } from 'commander';
import { rewriteSecrets } from '../../../streams/config/rewrite-secrets.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';

/** `secrets seal|unseal` */
export function secretsCommand(context: CliContext): Command {
  const rewrite = (sealed: boolean) => () =>
    context.withConfigStore(
      async (store) => {
        const { written, failed } = await rewriteSecrets(store);
        if (failed > 0) throw new CliError(`${failed} documents could not be written. Run the command again.`);
        context.note(`Wrote ${written} documents with ${sealed ? 'sealed secrets' : 'secrets in plain text'}.`);
      },
      { sealed },
    );
  const command = new Command('secrets').description(
    'Encrypt or decrypt the stored secrets of webhooks and player tokens.',
  );
  command
    .command('seal')
    .description('Encrypt every secret with SECRETS_KEY. The service does the same at each start.')
    .action(rewrite(true));
  command
    .command('unseal')
    .description('Decrypt every secret, for a downgrade of the service. Stop the service right after.')
    .action(rewrite(false));
  return command;
}
