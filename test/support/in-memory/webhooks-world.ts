import { createMetrics } from '../../../src/parts/metrics.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { decodeDeliveryRecords, decodeDisablings } from '../../../core/codec/codec.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { createMemoryBroker, type MemoryBrokerOptions } from '../../../streams/log/memory/log-memory.ts';
import type { DeliveryRecord } from '../../../core/vocabulary/records/delivery-record.ts';
import type { WebhookDisabling } from '../../../core/vocabulary/records/webhook-disabling.ts';
import { createFakeConfig, createFakeSender } from '../../../streams/sinks/webhooks/testing-webhooks.ts';
import { createWebhookOperations } from '../../../streams/sinks/webhooks/recovery/operations.ts';
import { createWebhooks } from '../../../streams/sinks/webhooks/webhooks.ts';
import { createFakeClock } from './fake-clock.ts';
import { silentLogger } from './silent-logger.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const SCHEDULE_MS = [1, 5, 30, 120].map((minutes) => minutes * MINUTE_MS);

type WorldOptions = Partial<MemoryBrokerOptions> & {
  deliveriesBytes?: number;
  pendingPerWebhook?: number;
};

/** The webhooks sink in any number of processes, over a log in memory and simulated receivers. */
export function createWebhooksWorld(options: WorldOptions = {}) {
  const { deliveriesBytes, pendingPerWebhook, ...brokerOptions } = options;
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock, ...brokerOptions });
  const writer = broker.connect('writer');
  const config = createFakeConfig(clock);
  const metrics = createMetrics();

  /** Starts a process of the sink. */
  const process = (name: string, definitions = config) => {
    const log = broker.connect(name);
    const node = clock.node();
    const sender = createFakeSender(() => clock.monotonicMs());
    const webhooks = createWebhooks({
      log,
      config: definitions,
      clock: node,
      ids: systemIds,
      logger: silentLogger,
      metrics,
      node: name,
      retryDelaysMs: SCHEDULE_MS,
      timeoutMs: 30_000,
      allowPrivateHosts: [],
      sender,
      ...(deliveriesBytes === undefined ? {} : { deliveriesBytes }),
      ...(pendingPerWebhook === undefined ? {} : { pendingPerWebhook }),
    });
    webhooks.start();
    const kill = () => {
      log.kill();
      node.kill();
    };
    return { log, node, sender, webhooks, kill };
  };

  /** The webhook operations of a gateway. */
  const operations = () => {
    const sender = createFakeSender(() => clock.monotonicMs());
    const log = broker.connect('gateway');
    const started = createWebhookOperations({
      log,
      clock,
      ids: systemIds,
      timeoutMs: 30_000,
      allowPrivateHosts: [],
      sender,
    });
    return { ...started, log, sender };
  };

  const outcomes = async () => {
    const { values } = await metrics.deliveries.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  };

  const held = (stream: 'DELIVERIES' | 'RECORDS') => {
    const { firstSequence, lastSequence } = broker.stream(stream).bounds();
    const records = [];
    for (let sequence = firstSequence; sequence <= lastSequence; sequence++) {
      const record = broker.stream(stream).get(sequence);
      if (record !== undefined) records.push(record);
    }
    return records;
  };

  /** Number of deliveries in DELIVERIES. */
  const waiting = () => held('DELIVERIES').length;

  /** The records of the attempt log, in order. */
  const logged = (): DeliveryRecord[] =>
    held('RECORDS')
      .filter(({ subject }) => subject.startsWith('records.deliveries.'))
      .flatMap(({ data }) => decodeDeliveryRecords(data));

  /** The records of disabled webhooks. */
  const disablings = (): WebhookDisabling[] =>
    held('RECORDS')
      .filter(({ subject }) => subject.startsWith('records.disablings.'))
      .flatMap(({ data }) => decodeDisablings(data));

  const webhook = (key: string): WebhookDocument | undefined => entry(key)?.document;
  const entry = (key: string): ConfigEntry<'webhook'> | undefined =>
    config.get({ game: 'demo', environment: 'live', kind: 'webhook', key });

  /** Advances the clock until a promise resolves, and returns its value. */
  const resolved = async <T>(promise: Promise<T>): Promise<T> => {
    let result: { value: T } | undefined;
    void promise.then((value) => (result = { value }));
    await clock.advanceUntil(() => result !== undefined, 60_000, 10);
    if (result === undefined) throw new Error('the promise did not resolve within 60 s');
    return result.value;
  };

  return {
    clock,
    broker,
    writer,
    config,
    metrics,
    process,
    operations,
    outcomes,
    waiting,
    logged,
    disablings,
    webhook,
    entry,
    resolved,
  };
}

/** `level` of an event's properties, by which tests identify events. */
export function levelOf(data: Record<string, unknown>): unknown {
  const properties: unknown = data['properties'];
  return typeof properties === 'object' && properties !== null && 'level' in properties ? properties.level : undefined;
}
