import type { ChildProcess } from 'node:child_process';
import { CONFIG_ERROR_EXIT } from '../../settings/config.ts';
import { sleep, within, type Cancel, type Clock } from '../../../core/kernel/clock.ts';
import { type ChildSpec, endGroup, launchChild } from './launch-child.ts';
import { SUPERVISOR_LIMITS } from './limits.ts';

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
    startedAtMs = clock.monotonicMs();
    const end = Promise.withResolvers<void>();
    const launched = launchChild(spec, report, (how, exitCode) => {
      if (child !== launched) return;
      child = undefined;
      endGroup(launched.pid);
      onPid();
      end.resolve();
      died(how, exitCode);
    });
    child = launched;
    exited = end.promise;
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

function seeLog(spec: ChildSpec): string {
  return spec.logFile === undefined ? '; see its log lines above' : `; see ${spec.logFile}`;
}
