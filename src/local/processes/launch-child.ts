import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SUPERVISOR_LIMITS } from './limits.ts';

/** The first process of the service, and further ones: `service-2`, … */
export type ServiceName = 'service' | `service-${number}`;

/** How to start a child and how to check that it is ready. */
export interface ChildSpec {
  name: 'nats' | 'clickhouse' | ServiceName;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** The file for its output. Without one, the output goes to the supervisor's standard output. */
  logFile?: string;
  /** Opens a channel to a Node child; called for each message that it sends with `process.send`. */
  onMessage?: (message: unknown) => void;
  /** Called repeatedly after a start until it resolves to true. */
  isReady: () => Promise<boolean>;
  /** Called repeatedly while it is ready: whether it left a request unanswered for this long. It is then replaced. */
  isSilent?: (timeoutMs: number) => Promise<boolean>;
}

/** Stands for the exit code of a command that could not be run. */
const NOT_STARTED = -1;

/**
 * Starts the process of a child, in a process group of its own.
 * @param onEnd called when it ends or could not be run; without an exit code when a signal ended it
 */
export function launchChild(
  spec: ChildSpec,
  report: (line: string) => void,
  onEnd: (how: string, exitCode: number | undefined) => void,
): ChildProcess {
  const output = spec.logFile === undefined ? 'inherit' : openOutput(spec.name, spec.logFile, report);
  const launched = spawn(spec.command, spec.args, {
    env: spec.env,
    // A separate process group: a signal to the supervisor's group must not stop the child out of order. The end of
    // the pipe tells the child that the supervisor died, in addition to the guard.
    detached: true,
    stdio: ['pipe', output, output, ...(spec.onMessage === undefined ? [] : (['ipc'] as const))],
  });
  if (spec.onMessage !== undefined) launched.on('message', spec.onMessage);
  if (typeof output === 'number') closeSync(output);
  launched.stdin?.on('error', () => {});
  launched.on('error', (error) => onEnd(error.message, NOT_STARTED));
  launched.on('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`, code ?? undefined));
  return launched;
}

/** Without its log, e.g. on a full disk, a child runs all the same. */
function openOutput(name: string, path: string, report: (line: string) => void): number | 'ignore' {
  try {
    return openLog(path);
  } catch (error) {
    report(`${name} runs without a log: ${error instanceof Error ? error.message : String(error)}`);
    return 'ignore';
  }
}

/** Opens a log for appending, after renaming one that has grown too large. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes > SUPERVISOR_LIMITS.childLogBytes) renameSync(path, `${path}.old`);
  return openSync(path, 'a');
}

/** Kills a child's process group. The child itself may already be gone. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no processes left.
  }
}
