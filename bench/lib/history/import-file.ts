import type { Bench } from '../bench.ts';
import { runCli } from '../service/cli.ts';
import type { LocalService } from '../service/service.ts';

/** Imports a file into the game `demo` with the operator's command. */
export async function importFile(
  bench: Bench,
  service: LocalService,
  kind: 'players' | 'events',
  path: string,
): Promise<void> {
  await runCli(bench, service, ['import', kind, path, '--game', 'demo']);
}
