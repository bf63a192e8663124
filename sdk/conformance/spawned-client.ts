import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Client, Look } from './client.ts';

/** What it prints besides answers is kept for the message when it ends by itself. */
const MOST_NOTES = 40;
/** Engines take seconds to start on a busy machine. */
const ANSWER_MS = 60_000;

/** Starts a client as a process of its own that reads commands and answers each with a line that begins with `{`. */
export async function spawnClient(command: string, args: readonly string[]): Promise<Client> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const notes: string[] = [];
  const waiting: { resolve: (look: Look) => void; reject: (error: Error) => void }[] = [];
  let isKilled = false;
  const note = (line: string) => void (notes.length < MOST_NOTES && notes.push(line));
  createInterface({ input: child.stderr }).on('line', note);
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Engines print lines of their own.
    if (line.startsWith('{')) waiting.shift()?.resolve(JSON.parse(line));
    else note(line);
  });
  const gone = once(child, 'close').then(() => {
    for (const { reject } of waiting) reject(new Error(`The client ended:\n${notes.join('\n')}`));
  });
  child.stdin.on('error', () => {});
  child.once('error', (error) => note(String(error)));

  return {
    send: (each) =>
      new Promise((resolve, reject) => {
        if (isKilled) return;
        const timer = setTimeout(
          () => reject(new Error(`No answer to ${JSON.stringify(each)}:\n${notes.join('\n')}`)),
          ANSWER_MS,
        );
        const settled = <T>(settle: (value: T) => void) => {
          return (value: T) => {
            clearTimeout(timer);
            settle(value);
          };
        };
        waiting.push({ resolve: settled(resolve), reject: settled(reject) });
        child.stdin.write(`${JSON.stringify(each)}\n`);
      }),
    async kill() {
      isKilled = true;
      waiting.length = 0;
      child.kill('SIGKILL');
      await gone;
    },
  };
}
