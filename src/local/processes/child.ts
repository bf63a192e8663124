import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CONFIG_ERROR_EXIT } from '../../settings/config.ts';
import { sleep, within, type Cancel, type Clock } from '../../../core/kernel/clock.ts';
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

export interface ChildOptions {
  clock: Clock;
  /** Called when its process id changes. */
  onPid: () => void;
  report: (line: string) => void;
}

/** The outcome of a start. `failed`: the child exited several times before it was ever ready. */
export type StartOutcome = { kind: 'ready' } | { kind: 'failed'; message: string } | { kind: 'stopped' };

/**
 * One child process that is restarted whenever it dies.
 *
 * Owns the process and its process group: when the child ends, the rest of its group is killed.
 * States: idle → running ⇄ waiting (dead, restart is scheduled) → stopped. `stopped` is final.
 */
export interface Child {
  readonly name: ChildSpec['name'];
  /** The id of the running process. */
  readonly pid: number | undefined;
  /** Starts the child and keeps it running. Resolves when it is ready for the first time, or when the start failed. */
  start(): Promise<StartOutcome>;
  /** Ends the process (SIGTERM, after `graceMs` SIGKILL) and starts a new one. */
  restart(graceMs: number): void;
  /** Ends the process without a restart. Resolves when it is gone. */
  stop(graceMs: number): Promise<void>;
}

/** A start fails after this many exits (not signals) before the child was ever ready. */
const EXITS_BEFORE_FAILURE = 3;
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
  let completeStart: (outcome: StartOutcome) => void = () => {};

  function launch(): void {
    const output = spec.logFile === undefined ? 'inherit' : openOutput(spec.logFile);
    startedAtMs = clock.monotonicMs();
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

  /** Without its log, e.g. on a full disk, a child runs all the same. */
  function openOutput(path: string): number | 'ignore' {
    try {
      return openLog(path);
    } catch (error) {
      report(`${spec.name} runs without a log: ${error instanceof Error ? error.message : String(error)}`);
      return 'ignore';
    }
  }

  async function watchReadiness(launched: ChildProcess): Promise<void> {
    const isCurrent = () => child === launched && !stopped;
    while (isCurrent()) {
      if ((await spec.isReady()) && isCurrent()) {
        const tookSeconds = ((clock.monotonicMs() - startedAtMs) / 1000).toFixed(1);
        report(`${spec.name} is ready (pid ${launched.pid}, after ${tookSeconds} s)`);
        everReady = true;
        completeStart({ kind: 'ready' });
        void watchSilence(launched);
        return;
      }
      await sleep(clock, POLL_MS);
    }
  }

  async function watchSilence(launched: ChildProcess): Promise<void> {
    const isCurrent = () => child === launched && !stopped && !restarting;
    const { isSilent } = spec;
    if (isSilent === undefined) return;
    while (isCurrent()) {
      // Asks a second time: after a pause of this process, its timer may have ended the first question too early.
      if ((await isSilent(SUPERVISOR_LIMITS.childSilentMs)) && (await isSilent(SUPERVISOR_LIMITS.childConfirmMs))) {
        if (!isCurrent()) return;
        report(`${spec.name} does not answer; replacing it (pid ${launched.pid})`);
        restart(0);
        return;
      }
      await sleep(clock, SUPERVISOR_LIMITS.childProbeMs);
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
      completeStart({ kind: 'failed', message: `${spec.name} refused its configuration${seeLog(spec)}` });
      return;
    }
    if (exitCode !== undefined && !everReady) exitsBeforeReady += 1;
    if (exitsBeforeReady >= EXITS_BEFORE_FAILURE) {
      stopped = true;
      completeStart({ kind: 'failed', message: `${spec.name} ended with ${how} before it was ready${seeLog(spec)}` });
      return;
    }
    recentDeaths = clock.monotonicMs() - startedAtMs >= SUPERVISOR_LIMITS.restartStableMs ? 0 : recentDeaths;
    const delayMs = Math.min(SUPERVISOR_LIMITS.restartDelayMs * 2 ** recentDeaths, SUPERVISOR_LIMITS.restartDelayMaxMs);
    recentDeaths += 1;
    report(`${spec.name} ended (${how}); restarting it`);
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

  function restart(graceMs: number): void {
    if (stopped || restarting || child === undefined) return;
    restarting = true;
    void end(graceMs);
  }

  return {
    name: spec.name,
    get pid() {
      return child?.pid;
    },
    start() {
      return new Promise((resolve) => {
        completeStart = resolve;
        if (stopped) resolve({ kind: 'stopped' });
        else launch();
      });
    },
    restart,
    async stop(graceMs) {
      stopped = true;
      cancelRestart();
      await end(graceMs);
      completeStart({ kind: 'stopped' });
    },
  };
}

/** Kills a child's process group. The child itself may already be gone. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no processes left.
  }
}

/** Opens a log for appending, after renaming one that has grown too large. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes > SUPERVISOR_LIMITS.childLogBytes) renameSync(path, `${path}.old`);
  return openSync(path, 'a');
}

function seeLog(spec: ChildSpec): string {
  return spec.logFile === undefined ? '; see its log lines above' : `; see ${spec.logFile}`;
}
