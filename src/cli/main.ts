import { InvalidArgumentError, type Command } from 'commander';
import { ConfigError, readConfig } from '../settings/config.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { keepFilesPrivate } from '../local/data-dir.ts';
import { readEndpoints } from '../local/processes/run-files.ts';
import { CliError } from './cli-error.ts';
import { clickhouseTarget, withConfigStore } from './connect.ts';
import { createProgram } from './program.ts';

/**
 * `npm run cli -- …`: commands for the operator of a running deployment. Only results go to standard output, so scripts
 * can read them. A failure is one line on standard error and exit code 1.
 */
function program(): Promise<Command> {
  const config = readConfig();
  const tools = {
    clock: systemClock,
    ids: systemIds,
    print: (line: string) => process.stdout.write(`${line}\n`),
    note: (line: string) => process.stderr.write(`${line}\n`),
  };
  const context = {
    ...tools,
    dataDir: config.dataDir,
    modelPath: config.modelPath,
    withConfigStore: withConfigStore(config, tools),
    withDeployment: withConfigStore(config, tools),
    baseUrl: () => readEndpoints(config.dataDir)?.base_url,
    clickhouse: () => clickhouseTarget(config),
  };
  return createProgram(context, process.argv[2]);
}

keepFilesPrivate();
// A reader that has enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  console.error(error.message);
  process.exit(1);
});

try {
  await (await program()).parseAsync();
  process.exit(process.exitCode ?? 0);
} catch (error) {
  const isExpected = error instanceof CliError || error instanceof ConfigError || error instanceof InvalidArgumentError;
  console.error(isExpected || isFileError(error) ? error.message : error);
  process.exit(1);
}

/** Errors of the system about a file name it: the operator gave it. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
