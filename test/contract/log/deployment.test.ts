import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { changeDeployment } from '../../../src/cli/commands/deployment.ts';
import { joinDeployment } from '../../../src/process/join-deployment.ts';
import { JETSTREAM_LIMITS } from '../../../streams/log/jetstream/limits.ts';
import { openConfigStore } from '../../../streams/config/config-store.ts';
import { connectJetStream, type JetStreamLog } from '../../../streams/log/jetstream/log-jetstream.ts';
import { startTestCluster, type TestCluster } from '../../support/servers/nats-cluster.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

/* What a deployment is, on real brokers: no process lowers what another one made. */

const MIB = 1024 * 1024;
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(async () => {
  await cluster?.stop();
});

const opened: JetStreamLog[] = [];
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close();
});

async function open(replicas: 1 | 3, factsMaxBytes: number): Promise<JetStreamLog> {
  const options = {
    url: cluster.url,
    logger: silentLogger,
    clock: systemClock,
    patienceMs: 2 * JETSTREAM_LIMITS.logPatienceMs,
  };
  const log = await connectJetStream({ ...options, replicas, factsMaxBytes });
  opened.push(log);
  return log;
}

interface StreamConfig {
  name: string;
  num_replicas: number;
  max_bytes: number;
}

/** One request to the JetStream API, without our own code. */
async function api<T>(subject: string, body: object | '' = ''): Promise<T> {
  const raw = await connect({ servers: cluster.url.split(',') });
  try {
    const text = body === '' ? '' : JSON.stringify(body);
    const answer: T = (await raw.request(`$JS.API.${subject}`, text, { timeout: 10_000 })).json();
    expect(answer).not.toHaveProperty('error');
    return answer;
  } finally {
    await raw.close();
  }
}

/** The configuration of every stream, as the broker holds it. */
async function configs(): Promise<Map<string, StreamConfig>> {
  const { streams } = await api<{ streams: { config: StreamConfig }[] }>('STREAM.LIST');
  return new Map(streams.map(({ config }) => [config.name, config]));
}

/** Changes a stream as a process of another version does. */
async function change(name: string, changed: object): Promise<void> {
  const { config } = await api<{ config: StreamConfig }>(`STREAM.INFO.${name}`);
  await api(`STREAM.UPDATE.${name}`, { ...config, ...changed });
}

const replicasOf = async (): Promise<number[]> => [...(await configs()).values()].map(({ num_replicas: n }) => n);

/** A process of this version: connects, and takes part in the deployment. */
async function join({ replicas, factsMaxBytes }: { replicas?: 1 | 3; factsMaxBytes?: number }) {
  const log = await open(replicas ?? 1, factsMaxBytes ?? 64 * MIB);
  const configStore = await openConfigStore(log, systemClock, silentLogger);
  const settings = { partitions: undefined, replicas, factsMaxBytes };
  try {
    return await joinDeployment({ log, configStore, settings, clock: systemClock, logger: silentLogger });
  } finally {
    configStore.stop();
  }
}

describe('the streams of a deployment with 3 replicas', () => {
  beforeEach(async () => {
    await open(3, 64 * MIB);
  });

  test('keep them when a process without NATS_REPLICAS starts, and FACTS keeps its size', async () => {
    await open(1, 8 * MIB);
    expect(new Set(await replicasOf())).toEqual(new Set([3]));
    expect((await configs()).get('FACTS')?.max_bytes).toBe(64 * MIB);
  });

  test('keep what a newer version added: subjects, ages, sizes', async () => {
    const { max_bytes: maxBytes = 0 } = (await configs()).get('RECORDS') ?? {};
    const newer = {
      subjects: ['records.*.*', 'newer.*'],
      max_bytes: maxBytes + MIB,
      duplicate_window: 300_000_000_000,
    };
    await change('RECORDS', newer);
    await open(1, 8 * MIB);
    expect((await configs()).get('RECORDS')).toMatchObject(newer);
  });

  test('are recorded by the first process, which lowers nothing', async () => {
    expect(await join({})).toMatchObject({ deployment: { replicas: 3, factsMaxBytes: 64 * MIB } });
    expect(await join({ replicas: 1 })).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/NATS_REPLICAS is 1, but this deployment .* on 3 brokers/),
    });
    expect(new Set(await replicasOf())).toEqual(new Set([3]));
  });

  test('that another program lowered are raised by the next process', async () => {
    await join({});
    await change('FACTS', { num_replicas: 1, max_bytes: 8 * MIB });
    await change('KV_OWNERS', { num_replicas: 1 });
    await join({});
    // A cluster that is short of a node at this moment refuses; the process repeats it.
    await until('all streams are raised', async () => (await replicasOf()).every((replicas) => replicas === 3), 20_000);
    expect((await configs()).get('FACTS')?.max_bytes).toBe(64 * MIB);
  });

  test('are lowered by the operator alone, and stay lowered', async () => {
    await join({});
    const log = await open(1, 8 * MIB);
    const configStore = await openConfigStore(log, systemClock, silentLogger);
    await changeDeployment(configStore, log, { replicas: 1, lower: true }, systemClock);
    configStore.stop();
    expect(new Set(await replicasOf())).toEqual(new Set([1]));
    expect(await join({})).toMatchObject({ deployment: { replicas: 1 } });
    expect(new Set(await replicasOf())).toEqual(new Set([1]));
  });
});
