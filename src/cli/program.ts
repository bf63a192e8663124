import { Command } from 'commander';
import type { CliContext } from './context.ts';

type MakeCommand = (context: CliContext) => Command;

/** By name: the sources of one command are a fifth to two thirds of all. */
const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  keys: async () => (await import('./commands/keys.ts')).keysCommand,
  games: async () => (await import('./commands/games.ts')).gamesCommand,
  users: async () => (await import('./commands/users.ts')).usersCommand,
  deployment: async () => (await import('./commands/deployment.ts')).deploymentCommand,
  clickhouse: async () => (await import('./commands/clickhouse.ts')).clickhouseCommand,
  readers: async () => (await import('./commands/readers.ts')).readersCommand,
  model: async () => (await import('./commands/model.ts')).modelCommand,
  secrets: async () => (await import('./commands/secrets.ts')).secretsCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  plan: async () => (await import('./definitions/commands.ts')).planCommand,
  apply: async () => (await import('./definitions/commands.ts')).applyCommand,
  promote: async () => (await import('./definitions/commands.ts')).promoteCommand,
  segments: async () => (await import('./commands/segments.ts')).segmentsCommand,
  trace: async () => (await import('./commands/trace.ts')).traceCommand,
  sql: async () => (await import('./commands/sql.ts')).sqlCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
};

/**
 * The commands of `npm run cli --`.
 * @param name the only command that is needed; all if it names none, so that help and suggestions list them
 */
export async function createProgram(context: CliContext, name?: string): Promise<Command> {
  const program = new Command('npm run cli --')
    .description(
      'Operate a running deployment: the one on DATA_DIR (default .data), or the one at NATS_URL and CLICKHOUSE_URL.',
    )
    .showHelpAfterError();
  const only = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  const makers = await Promise.all((only === undefined ? Object.values(COMMANDS) : [only]).map((load) => load()));
  for (const make of makers) program.addCommand(make(context));
  return program;
}
