import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CONFIG_ERROR_EXIT } from '../config.ts';
import { sleep, within, type Cancel, type Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';

/** How a child is started and how one sees that it is ready. */
export interface ChildSpec {
  name: 'nats' | 'clickhouse' | 'service';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** File its output goes to; left out: our own standard output. */
  logFile?: string;
  /** Called repeatedly after a start. */
  isReady: () => Promise<boolean>;
}

export interface ChildOptions {
  clock: Clock;
  /** Called when its process id changes. */
  onPid: () => void;
  report: (line: string) => void;
}

/** How a start went: `failed` means it ended by itself, again and again, before it was ever ready. */
export type StartOutcome = { kind: 'ready' } | { kind: 'failed'; message: string } | { kind: 'stopped' };

/**
 * One child process, kept running.
 *
 * Owns the process and its group: what a child leaves behind in its group is ended with it.
 * States: idle → running ⇄ waiting (dead, to be started again) → stopped. `stopped` is final.
 */
export interface Child {
  readonly name: ChildSpec['name'];
  /** The process that runs now. */
  readonly pid: number | undefined;
  /** Starts it and keeps it running; resolves when it is ready for the first time, or when that has become hopeless. */
  start(): Promise<StartOutcome>;
  /** Ends it (SIGTERM, after `graceMs` SIGKILL) and lets it start again. */
  restart(graceMs: number): void;
  /** Ends it for good; resolves when it is gone. */
  stop(graceMs: number): Promise<void>;
}

/** Deaths by its own exit code before it was ever ready, after which another try would not help. */
const HOPELESS_EXITS = 3;
/** Stands for the exit code of a command that could not be run. */
const NOT_STARTED = -1;
const POLL_MS = 50;

export function createChild(spec: ChildSpec, { clock, onPid, report }: ChildOptions): Child {
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  let stopped = false;
  let restarting = false;
  let everReady = false;
  let recentDeaths = 0;
  let exitsBeforeReady = 0;
  let startedAtMs = 0;
  let cancelRestart: Cancel = () => {};
  let settleStart: (outcome: StartOutcome) => void = () => {};

  function launch(): void {
    const output = spec.logFile === undefined ? 'inherit' : openLog(spec.logFile);
    startedAtMs = clock.monotonicMs();
    const launched = spawn(spec.command, spec.args, {
      env: spec.env,
      // Its own process group: a signal to ours must not reach it before its turn in the order of stopping. The pipe is
      // a second way, besides the guard, to learn of our death.
      detached: true,
      stdio: ['pipe', output, output],
    });
    if (typeof output === 'number') closeSync(output);
    launched.stdin?.on('error', () => {});
    child = launched;
    exited = new Promise((resolve) => {
      const once = (how: string, exitCode: number | undefined) => {
        if (child !== launched) return;
        child = undefined;
        endGroup(launched.pid);
        onPid();
        resolve();
        died(how, exitCode);
      };
      launched.on('error', (error) => once(error.message, NOT_STARTED));
      launched.on('exit', (code, signal) => once(signal ?? `exit code ${code}`, code ?? undefined));
    });
    onPid();
    void watchReadiness(launched);
  }

  async function watchReadiness(launched: ChildProcess): Promise<void> {
    const isCurrent = () => child === launched && !stopped;
    while (isCurrent()) {
      if ((await spec.isReady()) && isCurrent()) {
        const tookSeconds = ((clock.monotonicMs() - startedAtMs) / 1000).toFixed(1);
        report(`${spec.name} is ready (pid ${launched.pid}, after ${tookSeconds} s)`);
        everReady = true;
        settleStart({ kind: 'ready' });
        return;
      }
      await sleep(clock, POLL_MS);
    }
  }

  /** @param exitCode undefined when a signal ended it */
  function died(how: string, exitCode: number | undefined): void {
    if (stopped) return;
    if (restarting) {
      restarting = false;
      launch();
      return;
    }
    if (exitCode === CONFIG_ERROR_EXIT && !everReady) {
      stopped = true;
      const why = spec.logFile === undefined ? 'its last line above says why' : `${spec.logFile} says why`;
      settleStart({ kind: 'failed', message: `${spec.name} cannot start with this configuration; ${why}` });
      return;
    }
    if (exitCode !== undefined && !everReady) exitsBeforeReady += 1;
    if (exitsBeforeReady >= HOPELESS_EXITS) {
      stopped = true;
      settleStart({ kind: 'failed', message: `${spec.name} ended with ${how} before it was ready${seeLog(spec)}` });
      return;
    }
    recentDeaths = clock.monotonicMs() - startedAtMs >= LIMITS.restartSettledMs ? 0 : recentDeaths;
    const delayMs = Math.min(LIMITS.restartDelayMs * 2 ** recentDeaths, LIMITS.restartDelayMaxMs);
    recentDeaths += 1;
    report(`${spec.name} ended (${how}); starting it again`);
    cancelRestart = clock.timer(delayMs, launch);
  }

  async function end(graceMs: number): Promise<void> {
    const ending = child;
    if (ending === undefined) return;
    ending.kill('SIGTERM');
    const gone = await within(
      clock,
      graceMs,
      exited.then(() => true),
    );
    if (gone !== true) endGroup(ending.pid);
    await exited;
  }

  return {
    name: spec.name,
    get pid() {
      return child?.pid;
    },
    start() {
      return new Promise((resolve) => {
        settleStart = resolve;
        if (stopped) resolve({ kind: 'stopped' });
        else launch();
      });
    },
    restart(graceMs) {
      if (stopped || restarting) return;
      if (child === undefined) return;
      restarting = true;
      void end(graceMs);
    },
    async stop(graceMs) {
      stopped = true;
      cancelRestart();
      await end(graceMs);
      settleStart({ kind: 'stopped' });
    },
  };
}

/** Ends a child's process group. Its leader may be gone: then this ends what it left. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left, which is what is wanted.
  }
}

/** Opens a log for appending, after moving one that has grown too large aside. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes > LIMITS.childLogBytes) renameSync(path, `${path}.old`);
  return openSync(path, 'a');
}

function seeLog(spec: ChildSpec): string {
  return spec.logFile === undefined ? '; its own lines above say why' : `; see ${spec.logFile}`;
}
