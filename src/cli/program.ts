import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { clickhouseCommand } from './clickhouse.ts';
import { deploymentCommand } from './deployment.ts';
import { exportCommand } from './export.ts';
import { gamesCommand } from './games.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { modelCommand } from './model.ts';
import { secretsCommand } from './secrets.ts';
import { segmentsCommand } from './segments.ts';
import { sqlCommand } from './sql.ts';
import { traceCommand } from './trace.ts';
import { usersCommand } from './users.ts';

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
