import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Kills the children of this process when it dies, `kill -9` included. A shell in its own session reads a pipe whose
 * other end only this process holds. Each line lists the process groups to kill; the end of the pipe means that this
 * process died. It needs no support from the children and also kills stopped ones.
 */
export interface Guard {
  /** Replaces the list of process groups to kill. */
  watch(groups: readonly number[]): void;
  /** Ends the guard without killing anything. */
  dismiss(): void;
}

const SCRIPT = `
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0`;

/** Starts a guard for this process. If the guard's shell is killed, a new one starts at once. */
export function startGuard(): Guard {
  let watched: readonly number[] = [];
  let dismissed = false;
  let shell = launch();

  function launch(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    child.on('exit', () => {
      if (dismissed) return;
      shell = launch();
      sendGroups();
    });
    child.unref();
    return child;
  }

  function sendGroups(): void {
    shell.stdin?.write(`${watched.join(' ')}\n`);
  }

  return {
    watch(groups) {
      watched = groups;
      sendGroups();
    },
    dismiss() {
      dismissed = true;
      shell.stdin?.end('\n');
    },
  };
}
