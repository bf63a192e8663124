import { Command } from 'commander';
import { migrate } from '../../../clickhouse-schema/migrations/migrate.ts';
import type { CliContext } from '../context.ts';

/** `migrate` */
export function migrateCommand(context: CliContext): Command {
  return new Command('migrate')
    .description('Apply the pending ClickHouse migrations and changed views, and print their names.')
    .action(async () => {
      const applied = await migrate(context.clickhouse());
      if (applied.length === 0) context.note('No migration is pending.');
      for (const name of applied) context.print(name);
    });
}
