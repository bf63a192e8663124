import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { readBrokerCounters } from '../../../bench/lib/service/counters.ts';
import { exporterMetrics } from '../../support/browser/monitoring-files.ts';
import { startTestNats } from '../../support/servers/nats.ts';
import { reservedPort } from '../../support/servers/reserved-port.ts';

const CONFIG = fileURLToPath(new URL('../../../streams/nats/nats-server.conf', import.meta.url));

test("a bench and a dashboard find what they count in the real nats-server's monitoring", async () => {
  const port = await reservedPort();
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-'));
  const config = join(folder, 'nats.conf');
  writeFileSync(config, `${readFileSync(CONFIG, 'utf8')}\nhttp: "127.0.0.1:${port}"\n`);
  const nats = await startTestNats(config);
  try {
    const connection = await connect({ servers: nats.url });
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: 'S', subjects: ['s'], storage: 'file' });
    await streams.add({ name: 'M', subjects: ['m'], storage: 'memory' });
    const before = await readBrokerCounters(`http://127.0.0.1:${port}`);
    for (const subject of ['s', 's', 's', 'm']) await jetstream(connection).publish(subject, new Uint8Array(1_000));
    const after = await readBrokerCounters(`http://127.0.0.1:${port}`);
    await connection.close();

    // The exporter of NATS names its metrics after these fields.
    const varz: Record<string, unknown> = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/varz`)).text());
    const fields = [...exporterMetrics().keys()].flatMap((name) => /^gnatsd_varz_(.+)$/.exec(name)?.[1] ?? []);
    expect(fields.length).toBeGreaterThan(5);
    expect(fields.filter((field) => typeof varz[field] !== 'number')).toEqual([]);

    const added = (name: string): number => (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN);
    expect([added('appends S'), added('appends M'), added('fsyncs')]).toEqual([3, 1, 3]);
    // The publishes, and an acknowledgement for each.
    expect([added('messages in'), added('messages out')]).toEqual([4, 4]);
    expect(added('bytes in')).toBeGreaterThanOrEqual(4_000);
  } finally {
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
