import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the bench's own, apart so that its CPU time is seen apart. */
export interface Helper {
  readonly pid: number;
  /** The next thing it says, as JSON text. Rejects when it ends without saying anything more. */
  next(): Promise<string>;
  /** Asks it for news (see `onAsked`). @param what is asked for, where there are several things */
  ask(what?: string): void;
  /** Ends it and waits until it is gone. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a helper process: a script that calls `helperSpec`. It ends with this process at the latest.
 * @param spec handed over as JSON
 */
export function startHelper(script: URL, spec: object): Helper {
  const child = fork(fileURLToPath(script), [JSON.stringify(spec)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const said: string[] = [];
  let ended = false;
  let wake: () => void = () => {};
  child.on('message', (text) => {
    if (typeof text === 'string') said.push(text);
    wake();
  });
  const gone = once(child, 'exit').then(() => {
    ended = true;
    wake();
  });
  return {
    pid: child.pid ?? 0,
    async next() {
      for (;;) {
        const text = said.shift();
        if (text !== undefined) return text;
        if (ended) throw new Error(`${script.pathname} ended before it said what it was asked for`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    ask(what = '') {
      if (child.connected) child.send(what);
    },
    async stop() {
      if (!ended) child.kill('SIGKILL');
      await gone;
    },
  };
}
