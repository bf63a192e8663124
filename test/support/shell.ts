import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.ts';

/** An interactive shell, as a person uses it: with job control, one paragraph after another. */
export interface Shell {
  /** Types lines and waits until they are done; returns their output, both streams. */
  type(lines: string): Promise<string>;
  /** The output so far, including that of background jobs. */
  printed(): string;
  /** Ends it and its background jobs. */
  close(): Promise<void>;
}

export function openShell(options: { cwd: string; env: Readonly<Record<string, string | undefined>> }): Shell {
  const child = spawn('bash', ['--norc'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  // Job control, as in a terminal: background jobs get their own process groups, and `kill %1` works.
  child.stdin.write('set -m\n');
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString()));
  let typed = 0;
  return {
    async type(lines) {
      typed += 1;
      const from = printed.length;
      const mark = `typed-${typed}-done`;
      child.stdin.write(`${lines}\necho ${mark}\n`);
      await until(`the shell is done with: ${lines}`, () => printed.includes(`${mark}\n`, from), 30_000);
      return printed.slice(from).replace(`${mark}\n`, '');
    },
    printed: () => printed,
    async close() {
      child.stdin.end('jobs -p | while read -r job; do kill -- -$job; done; wait\n');
      await ended;
    },
  };
}
