import { InvalidArgumentError, type Command } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/ids.ts';
import { CliError } from './cli-error.ts';
import { clickhouseTarget, withConfigStore } from './connect.ts';
import { createProgram } from './program.ts';

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
  return createProgram({
    ...tools,
    dataDir: config.dataDir,
    modelPath: config.modelPath,
    withConfigStore: withConfigStore(config, tools),
    withDeployment: withConfigStore(config, tools),
    clickhouse: () => clickhouseTarget(config),
  });
}

try {
  await program().parseAsync();
  process.exit(process.exitCode ?? 0);
} catch (error) {
  const isExpected = error instanceof CliError || error instanceof ConfigError || error instanceof InvalidArgumentError;
  console.error(isExpected ? error.message : error);
  process.exit(1);
}
