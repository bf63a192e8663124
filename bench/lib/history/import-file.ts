import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError, type Bench } from '../bench.ts';
import type { LocalService } from '../service/service.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs the operator's `import` of a file into the demo game. Throws with its output when it fails. */
export async function importFile(
  bench: Bench,
  service: LocalService,
  kind: 'players' | 'events',
  path: string,
): Promise<void> {
  const child = spawn(process.execPath, [CLI, 'import', kind, path, '--game', 'demo'], {
    env: { PATH: process.env['PATH'], DATA_DIR: service.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: bench.signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new BenchError(`the import of ${kind} ended with ${String(code)}: ${output}`);
}
