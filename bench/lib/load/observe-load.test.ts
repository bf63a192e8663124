import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Stage } from '../stage.ts';
import { observeLoad } from './observe-load.ts';

const { signal } = new AbortController();

/** A stage without a service behind it. @param log what was read, in order */
function stageOf(log: string[]): Stage {
  let messages = 100;
  return {
    service: {
      kind: 'local',
      // Nothing listens there: the bench goes on without metrics.
      baseUrl: 'http://127.0.0.1:9',
      key: 'a-key',
      pids: () => ({ own: process.pid }),
      brokerMonitor: undefined,
      async countRows() {
        log.push('rows');
        return 3;
      },
    },
    hasBare: true,
    ledger: { acknowledged: 0 },
    baseUrlOf: () => '',
    pidsOf: () => ({ own: process.pid }),
    async counters() {
      log.push('counters');
      return { messages: (messages += 7) };
    },
  };
}

async function observe(target: 'bare' | 'service') {
  const log: string[] = [];
  const { observed } = await observeLoad(stageOf(log), signal, {
    target,
    seconds: 0.1,
    async start() {
      log.push('load begins');
      // Enough turns of the event loop for rows to be counted meanwhile.
      for (let turn = 0; turn < 10; turn++) await setImmediate();
      log.push('load ends');
      return { startedMs: Date.now() - 100 };
    },
    eventsIn: () => 3,
  });
  return { log, run: observed({}) };
}

test('counters are read before a load and when ClickHouse has its events; rows are counted after the load', async () => {
  const { log, run } = await observe('service');
  expect(log.slice(0, 4)).toEqual(['counters', 'load begins', 'load ends', 'rows']);
  expect(log.at(-1)).toBe('counters');
  expect(run).toMatchObject({ counted: { messages: 7 }, clickhouse: { rows: 3, exact: true }, errors: {} });
});

test('the counters are those of the service: a load on the bare server has none', async () => {
  const { log, run } = await observe('bare');
  expect(log).toEqual(['load begins', 'load ends']);
  expect(run).not.toHaveProperty('counted');
});
