import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { clickhouseCommand } from './commands/clickhouse.ts';
import { deploymentCommand } from './commands/deployment.ts';
import { exportCommand } from './commands/export.ts';
import { gamesCommand } from './commands/games.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { migrateCommand } from './commands/migrate.ts';
import { modelCommand } from './commands/model.ts';
import { secretsCommand } from './commands/secrets.ts';
import { segmentsCommand } from './commands/segments.ts';
import { sqlCommand } from './commands/sql.ts';
import { traceCommand } from './commands/trace.ts';
import { usersCommand } from './commands/users.ts';

/** All commands of `npm run cli --`. */
export function createProgram(context: CliContext): Command {
  return new Command('npm run cli --')
    .description(
      'Operate a running deployment: the one on DATA_DIR (default .data), or the one at NATS_URL and CLICKHOUSE_URL.',
    )
    .showHelpAfterError()
    .addCommand(keysCommand(context))
    .addCommand(gamesCommand(context))
    .addCommand(usersCommand(context))
    .addCommand(deploymentCommand(context))
    .addCommand(clickhouseCommand(context))
    .addCommand(modelCommand(context))
    .addCommand(secretsCommand(context))
    .addCommand(importCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(segmentsCommand(context))
    .addCommand(traceCommand(context))
    .addCommand(sqlCommand(context))
    .addCommand(migrateCommand(context));
}
