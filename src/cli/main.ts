import { Command, InvalidArgumentError } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/ids.ts';
import { CliError } from './cli-error.ts';
import { clickhouseTarget, withConfigStore } from './connect.ts';
import { deploymentCommand } from './deployment.ts';
import { gamesCommand } from './games.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { modelCommand } from './model.ts';
import { secretsCommand } from './secrets.ts';
import { sqlCommand } from './sql.ts';

/**
 * `npm run cli -- …`: commands for the operator of a running deployment. Only results go to standard output, so scripts
 * can read them. A failure is one line on standard error and exit code 1.
 */
function program(): Command {
  const config = readConfig();
  const tools = {
    clock: systemClock,
    ids: systemIds,
    print: (line: string) => process.stdout.write(`${line}\n`),
    note: (line: string) => process.stderr.write(`${line}\n`),
  };
  const context = {
    ...tools,
    modelPath: config.modelPath,
    withConfigStore: withConfigStore(config, tools),
    withDeployment: withConfigStore(config, tools),
    clickhouse: () => clickhouseTarget(config),
  };
  return new Command('npm run cli --')
    .description(
      'Operate a running deployment: the one on DATA_DIR (default .data), or the one at NATS_URL and CLICKHOUSE_URL.',
    )
    .showHelpAfterError()
    .addCommand(keysCommand(context))
    .addCommand(gamesCommand(context))
    .addCommand(deploymentCommand(context))
    .addCommand(modelCommand(context))
    .addCommand(secretsCommand(context))
    .addCommand(sqlCommand(context))
    .addCommand(migrateCommand(context));
}

try {
  await program().parseAsync();
  process.exit(process.exitCode ?? 0);
} catch (error) {
  const isExpected = error instanceof CliError || error instanceof ConfigError || error instanceof InvalidArgumentError;
  console.error(isExpected ? error.message : error);
  process.exit(1);
}
