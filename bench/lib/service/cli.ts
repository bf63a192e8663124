import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError, type Bench } from '../bench.ts';
import type { LocalService } from './service.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/**
 * Runs an operator's command against a service. Throws if it fails.
 * @param nodeArguments arguments to Node before the script
 * @returns what it printed
 */
export async function runCli(
  { signal }: Pick<Bench, 'signal'>,
  { dataDir }: Pick<LocalService, 'dataDir'>,
  command: readonly string[],
  onStart: (pid: number) => void = () => {},
  nodeArguments: readonly string[] = [],
): Promise<string> {
  const child = spawn(process.execPath, [...nodeArguments, CLI, ...command], {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  if (child.pid !== undefined) onStart(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new BenchError(`${command.join(' ')} ended with ${String(code)}: ${output}`);
  return output.trim();
}
