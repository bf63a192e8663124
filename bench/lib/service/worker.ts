import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BenchError, type Owner } from '../bench.ts';

/** What a worker can be asked for, by name. */
type Methods = Readonly<Record<string, () => unknown>>;

/** A process of the bench. It is a process of its own so that its CPU time is measured apart. */
export interface WorkerProcess<M extends Methods> {
  readonly pid: number;
  /** Rejects when the method throws, and when the process ends first. */
  ask<Name extends keyof M & string>(name: Name): Promise<Awaited<ReturnType<M[Name]>>>;
  /** Kills the process and waits until it is gone. Idempotent. */
  stop(): Promise<void>;
}

export interface Worker<Spec, M extends Methods> {
  /** Starts the process; resolves when it is ready. The process ends with its owner, and at once on the signal. */
  start(owner: Owner, spec: Spec): Promise<WorkerProcess<M>>;
  /** Starts the process, lets `use` ask it, and ends it. */
  use<T>(signal: AbortSignal, spec: Spec, use: (process: WorkerProcess<M>) => Promise<T>): Promise<T>;
}

/**
 * Declares a worker: both sides stand in one module, which is the process's script. `begin` runs in that process only.
 * @param url `import.meta.url` of the module
 * @param begin makes the worker ready; the methods answer with JSON values
 */
export function defineWorker<Spec, M extends Methods>(
  url: string,
  begin: (spec: Spec) => Promise<M> | M,
): Worker<Spec, M> {
  const script = fileURLToPath(url);
  // The rest of the module is evaluated first: `begin` uses its constants.
  if (process.argv[1] === script) {
    setImmediate(() =>
      serve((text) => {
        const spec: Spec = JSON.parse(text);
        return begin(spec);
      }),
    );
  }

  async function launch(signal: AbortSignal, spec: Spec): Promise<WorkerProcess<M>> {
    signal.throwIfAborted();
    const started = startProcess<M>(script, signal);
    try {
      await started.ready(JSON.stringify(spec) ?? 'null');
    } catch (error) {
      await started.worker.stop();
      throw error;
    }
    return started.worker;
  }

  return {
    async start({ cleanup, signal }, spec) {
      const worker = await launch(signal, spec);
      cleanup.add(() => worker.stop());
      return worker;
    },
    async use(signal, spec, use) {
      const worker = await launch(signal, spec);
      try {
        return await use(worker);
      } finally {
        await worker.stop();
      }
    },
  };
}

interface Reply {
  id: number;
  value?: unknown;
  fault?: string;
}

function startProcess<M extends Methods>(script: string, signal: AbortSignal) {
  const child = fork(script, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let ended = false;
  child.on('message', (text) => {
    const reply: Reply = JSON.parse(asText(text));
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.fault === undefined) asked?.resolve(JSON.stringify(reply.value ?? null));
    else asked?.reject(new BenchError(reply.fault));
  });
  const gone = once(child, 'exit').then(() => {
    ended = true;
    signal.removeEventListener('abort', kill);
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended before it answered`));
  });
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);

  /** @returns the answer as JSON text */
  function exchange(what: string): Promise<string> {
    const id = (lastId += 1);
    return new Promise((resolve, reject) => {
      if (ended) return reject(new Error(`${script} has ended`));
      waiting.set(id, { resolve, reject });
      child.send(JSON.stringify({ id, what }));
    });
  }

  const worker: WorkerProcess<M> = {
    pid: child.pid ?? 0,
    ask: async (name) => JSON.parse(await exchange(name)),
    async stop() {
      if (!ended) kill();
      await gone;
    },
  };
  return { worker, ready: exchange };
}

/** The process's side: the first message is the specification, every other one names a method. */
function serve(begin: (spec: string) => Promise<Methods> | Methods): void {
  // The parent's death ends the process, however the parent died.
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole foreground group; the parent then ends its workers in order.
  process.on('SIGINT', () => {});
  let methods: Methods | undefined;

  async function handle(what: string): Promise<unknown> {
    if (methods !== undefined) return methods[what]?.();
    methods = await begin(what);
    return null;
  }

  process.on('message', (text) => {
    const { id, what }: { id: number; what: string } = JSON.parse(asText(text));
    handle(what).then(
      (value) => process.send?.(JSON.stringify({ id, value })),
      (error: unknown) => process.send?.(JSON.stringify({ id, fault: faultOf(error) })),
    );
  });
}

/** Both sides send text. */
function asText(message: unknown): string {
  return typeof message === 'string' ? message : '';
}

function faultOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
