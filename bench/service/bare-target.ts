import type { BareServerSpec } from '../bare-server.ts';
import { startHelper } from '../helpers/start-helper.ts';

const SCRIPT = new URL('../bare-server.ts', import.meta.url);

/** The bare server in a process of its own. */
export interface BareTarget {
  baseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts it; resolves when it listens. */
export async function startBareTarget(spec: BareServerSpec): Promise<BareTarget> {
  const helper = startHelper(SCRIPT, spec);
  const { port }: { port: number } = JSON.parse(await helper.next());
  return { baseUrl: `http://127.0.0.1:${port}`, pid: helper.pid, stop: () => helper.stop() };
}
