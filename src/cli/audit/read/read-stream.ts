import { jetstream, jetstreamManager, DeliverPolicy } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { AuditError } from '../audit-error.ts';

/** A stream as it is at one moment. */
export interface StreamBounds {
  /** Epoch milliseconds. */
  createdMs: number;
  firstSequence: number;
  lastSequence: number;
}

export interface StreamRecord {
  subject: string;
  sequence: number;
  data: Uint8Array;
  /** When the broker stored it, epoch milliseconds. */
  storedAtMs: number;
}

/** Bytes on their way from the broker. */
const READ_AHEAD_BYTES = 8 * 1024 ** 2;
/** The broker answers idle readers this often; without one of these answers twice, reading fails. */
const HEARTBEAT_MS = 10_000;

export async function streamBounds(nats: NatsConnection, stream: string): Promise<StreamBounds> {
  const manager = await jetstreamManager(nats);
  const { created, state } = await manager.streams.info(stream);
  return { createdMs: Date.parse(created), firstSequence: state.first_seq, lastSequence: state.last_seq };
}

/** The records of a stream up to `last`, in order. Records that are trimmed meanwhile are left out. */
export async function* readStream(
  nats: NatsConnection,
  stream: string,
  { from, last }: { from: number; last: number },
): AsyncGenerator<StreamRecord> {
  if (from > last) return;
  const deliver = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from };
  const consumer = await jetstream(nats).consumers.get(stream, deliver);
  const messages = await consumer.consume({ max_bytes: READ_AHEAD_BYTES, idle_heartbeat: HEARTBEAT_MS });
  const failed = watchSilence(messages.status(), () => void messages.close());
  let seen = 0;
  try {
    for await (const message of messages) {
      const { seq: sequence, subject, data, time } = message;
      if (sequence > last) break;
      if (sequence <= seen) continue;
      seen = sequence;
      yield { subject, sequence, data, storedAtMs: time.getTime() };
      if (sequence === last || message.info.pending === 0) break;
    }
  } finally {
    await messages.close();
  }
  if (failed.missed) throw new AuditError(`NATS stopped sending ${stream} at the sequence ${seen}.`);
}

/** A reader without heartbeats would wait forever. */
function watchSilence(status: AsyncIterable<{ type: string }>, stop: () => void): { missed: boolean } {
  const state = { missed: false };
  void (async () => {
    let count = 0;
    for await (const { type } of status) {
      if (type !== 'heartbeats_missed') continue;
      count += 1;
      if (count < 3) continue;
      state.missed = true;
      stop();
    }
  })();
  return state;
}

/** The newest value of each key of a bucket, by key. */
export async function readBucket(nats: NatsConnection, bucket: string): Promise<Map<string, Uint8Array>> {
  const values = new Map<string, Uint8Array>();
  const stream = `KV_${bucket}`;
  const { firstSequence, lastSequence } = await streamBounds(nats, stream);
  const prefix = `$KV.${bucket}.`;
  for await (const { subject, data } of readStream(nats, stream, { from: firstSequence, last: lastSequence })) {
    const key = subject.slice(prefix.length);
    if (data.length === 0) values.delete(key);
    else values.set(key, data);
  }
  return values;
}
