import { Command } from 'commander';
import { BenchError } from './bench-error.ts';
import type { Bench } from './bench.ts';
import { createCleanup } from './cleanup.ts';
import { flagsCommand } from './flags/flags-command.ts';
import { gameCommand } from './game/game-command.ts';
import { ingestCommand } from './ingest/ingest-command.ts';
import { microCommands } from './micro/micro-commands.ts';
import { outputsCommand } from './outputs/outputs-command.ts';
import { profileCommand } from './profile/profile-command.ts';
import { queriesCommand } from './queries/queries-command.ts';
import { scoringCommand } from './scoring/scoring-command.ts';

/**
 * Runs a bench and ends all it started, however it ends: done, failed, Ctrl-C, SIGTERM. (`kill -9` too: the service has a
 * guard, and the bench's own processes end with their parent.)
 */
async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const cleanup = createCleanup();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!stopping.signal.aborted) console.error('stopping …');
      stopping.abort();
    });
  }
  try {
    await work({ cleanup, signal: stopping.signal, report: (line) => console.log(line) });
  } catch (error) {
    process.exitCode = 1;
    if (!stopping.signal.aborted) console.error(error instanceof BenchError ? error.message : error);
  } finally {
    await cleanup.run();
  }
}

const program = new Command('bench')
  .description('Measure the service beside a reference in the same run. What it starts, it ends.')
  .showHelpAfterError()

  .addCommand(ingestCommand(withBench))
  .addCommand(flagsCommand(withBench))
  .addCommand(gameCommand(withBench))
  .addCommand(scoringCommand(withBench))
  .addCommand(outputsCommand(withBench))
  .addCommand(queriesCommand(withBench))
  .addCommand(profileCommand(withBench));
for (const command of microCommands((line) => console.log(line))) program.addCommand(command);
await program.parseAsync();
process.exit(process.exitCode ?? 0);
