import { supervise, type SuperviseOptions, type Supervisor, type Plan } from './supervisor.ts';

export interface RunOptions extends Omit<SuperviseOptions, 'signal'> {
  /** Called when the service is ready. Returns a function that is called before the stop. */
  onRunning: (supervisor: Supervisor, plan: Plan) => () => void;
}

/**
 * Supervises until this process receives SIGTERM, SIGINT or SIGHUP, then stops all children in order.
 * @returns the exit code: 0 after an orderly stop, 1 if the start failed (the reason is on standard error)
 */
export async function runUntilStopped(options: RunOptions): Promise<0 | 1> {
  const stopRequest = new AbortController();
  // A signal often arrives twice, from the terminal and from npm; the second one has no effect.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stopRequest.abort());
  // The reader of the output may end before this process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  const supervision = await supervise({ ...options, signal: stopRequest.signal });
  if (supervision.kind === 'refused') {
    console.error(supervision.message);
    return 1;
  }
  if (supervision.kind === 'aborted') return 0;

  const beforeStop = options.onRunning(supervision.supervisor, supervision.plan);
  await new Promise<void>((resolve) => {
    if (stopRequest.signal.aborted) resolve();
    stopRequest.signal.addEventListener('abort', () => resolve());
  });
  beforeStop();
  options.report('stopping …');
  await supervision.supervisor.stop();
  options.report('stopped');
  return 0;
}
