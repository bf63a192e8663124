import type { Bench } from '../bench.ts';
import { observerOf, startOwnHelper, type Observer } from './own-helper.ts';
import type { ReadersReport, StreamReadersSpec } from './stream-readers-main.ts';

const SCRIPT = new URL('./stream-readers-main.ts', import.meta.url);
const STREAM = '/v1/events/events/stream';

/** Readers of the event stream in a process of their own; the arrivals are those at the first of them. */
export interface StreamReaders extends Observer {
  report(): Promise<ReadersReport>;
}

/** Connects them; resolves when every stream has begun. */
export async function startStreamReaders(
  bench: Pick<Bench, 'cleanup' | 'signal'>,
  target: { baseUrl: string; key: string },
  readers: number,
  stalled = 0,
): Promise<StreamReaders> {
  const spec: StreamReadersSpec = { url: target.baseUrl + STREAM, key: target.key, readers, stalled };
  const helper = startOwnHelper(bench, SCRIPT, spec);
  await helper.next();
  return {
    ...observerOf(helper),
    async report() {
      helper.ask('report');
      const report: ReadersReport = JSON.parse(await helper.next());
      return report;
    },
  };
}
