import { Command } from 'commander';
import { migrate } from '../../clickhouse-schema/migrations/migrate.ts';
import type { CliContext } from './context.ts';

/** `migrate` */
export function migrateCommand(context: CliContext): Command {
  return new Command('migrate')
    .description('Apply the numbered migrations of clickhouse-schema/ that are missing; prints their names.')
    .action(async () => {
      const applied = await migrate(context.clickhouse());
      if (applied.length === 0) context.note('Nothing to apply.');
      for (const name of applied) context.print(name);
    });
}
