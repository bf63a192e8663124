import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Ends our children when we die, however we die. A shell in its own session reads a pipe whose other end only this process
 * holds: each line lists the process groups to end, and the end of the pipe is our death, `kill -9` included. It needs
 * nothing of the children (nats-server knows nothing of us) and ends stopped ones too.
 */
export interface Guard {
  /** From now on, these process groups are ended with us. */
  watch(groups: readonly number[]): void;
  /** Lets everything live and ends the guard. */
  dismiss(): void;
}

const SCRIPT = `
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0`;

/** Starts a guard for this process. A guard that is ended by somebody is replaced at once. */
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
      tell();
    });
    child.unref();
    return child;
  }

  function tell(): void {
    shell.stdin?.write(`${watched.join(' ')}\n`);
  }

  return {
    watch(groups) {
      watched = groups;
      tell();
    },
    dismiss() {
      dismissed = true;
      shell.stdin?.end('\n');
    },
  };
}
