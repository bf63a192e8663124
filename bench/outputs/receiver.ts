import type { Bench } from '../bench.ts';
import { observerOf, startOwnHelper, type Observer } from './own-helper.ts';
import type { Behaviour, SickReport } from './receiver-main.ts';

const SCRIPT = new URL('./receiver-main.ts', import.meta.url);

/** A receiver of deliveries in a process of its own. */
export interface Receiver extends Observer {
  /** Where a webhook of that number is to point, so that it is received in that way. */
  urlOf(behaviour: Behaviour, webhook: number): string;
  sick(): Promise<SickReport>;
}

/** Starts it; resolves when it listens. */
export async function startReceiver(bench: Pick<Bench, 'cleanup' | 'signal'>): Promise<Receiver> {
  const helper = startOwnHelper(bench, SCRIPT, {});
  const { port }: { port: number } = JSON.parse(await helper.next());
  return {
    ...observerOf(helper),
    urlOf: (behaviour, webhook) => `http://127.0.0.1:${port}/${behaviour}/${webhook}`,
    async sick() {
      helper.ask('sick');
      const report: SickReport = JSON.parse(await helper.next());
      return report;
    },
  };
}
