import type { Bench } from '../bench.ts';
import type { BareRelaySpec } from './bare-relay-main.ts';
import { startOwnHelper } from './own-helper.ts';

const SCRIPT = new URL('./bare-relay-main.ts', import.meta.url);

/** The reference of the outputs in a process of its own. */
export interface BareRelay {
  baseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts it; resolves when it listens. */
export async function startBareRelay(
  bench: Pick<Bench, 'cleanup' | 'signal'>,
  spec: BareRelaySpec,
): Promise<BareRelay> {
  const helper = startOwnHelper(bench, SCRIPT, spec);
  const { port }: { port: number } = JSON.parse(await helper.next());
  return { baseUrl: `http://127.0.0.1:${port}`, pid: helper.pid, stop: () => helper.stop() };
}
