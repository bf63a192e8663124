import { JetStreamApiError } from '@nats-io/jetstream';
import { headers as makeHeaders, TimeoutError, type Msg } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { LOG_LIMITS } from '../../limits.ts';
import { silentLogger } from '../../../../test/support/in-memory/silent-logger.ts';
import { createUnanswered } from '../unanswered.ts';
import type { Link } from '../link.ts';
import { openReader } from './reader.ts';

const DESCRIPTION = {
  config: { max_bytes: -1 },
  created: '2026-01-01T00:00:00Z',
  state: { messages: 2, bytes: 20, first_seq: 1, last_seq: 2, last_ts: '2026-01-01T00:00:01Z' },
};
const NEWEST = {
  subject: 'facts.0',
  seq: 2,
  timestamp: DESCRIPTION.state.last_ts,
  data: new Uint8Array(),
  header: makeHeaders(),
};
const OFFLINE = new JetStreamApiError({ code: 500, err_code: 10118, description: 'stream is offline' });
const never = () => Promise.reject(new Error('not called by a reader'));

/** What a broker answers when a stream is described for the `count`th time. */
type Describe = (count: number) => typeof DESCRIPTION | Error | 'silence';

/** A broker whose answers and deliveries the test decides. */
function scriptedLink(describeStream: Describe, pending: number) {
  const waiting: ((reason: Error) => void)[] = [];
  /** Calls of the API, in order. */
  const called: string[] = [];
  /** Reply subjects of requests for more. */
  const replies: string[] = [];
  const listeners = new Set<(up: boolean) => void>();
  let described = 0;
  let deliver: (message: Msg) => void = () => {};
  let closed = false;
  const link: Link = {
    server: undefined,
    unanswered: createUnanswered(createFakeClock()),
    ping: never,
    get up() {
      return !closed;
    },
    get closed() {
      return closed;
    },
    manager: {
      streams: {
        info() {
          const answer = describeStream((described += 1));
          if (answer === 'silence') return new Promise((_, reject) => waiting.push(reject));
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
        getMessage: () => Promise.resolve(NEWEST),
        add: never,
        update: never,
        purge: never,
      },
      consumers: {
        add: () => Promise.resolve({ num_pending: pending }),
        info: () => Promise.resolve({ num_pending: pending }),
        update: never,
        delete() {
          called.push('CONSUMER.DELETE');
          return Promise.resolve(true);
        },
      },
    },
    request: never,
    send(subject, _data, reply) {
      if (!subject.includes('CONSUMER.MSG.NEXT')) return;
      called.push('CONSUMER.MSG.NEXT');
      replies.push(reply ?? '');
    },
    subscribe(_subject, onMessage) {
      deliver = onMessage;
      return { unsubscribe: () => {} };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      closed = true;
      for (const reject of waiting) reject(new TimeoutError());
      for (const listener of listeners) listener(false);
      return Promise.resolve();
    },
  };
  return { link, deliver: (message: Partial<Msg>) => deliver({ ...EMPTY, ...message }), waiting, called, replies };
}

const EMPTY: Msg = {
  subject: '',
  sid: 1,
  data: new Uint8Array(),
  respond: () => false,
  json: () => {
    throw new Error('unread');
  },
  string: () => '',
};
const idle = { headers: makeHeaders(100, 'Idle Heartbeat') };
/** Delivery `consumerSequence` of a consumer: the record `sequence`. */
const record = (sequence: number, consumerSequence: number) => ({
  subject: 'facts.0',
  data: Buffer.from(`record ${sequence}`),
  reply: `$JS.ACK.FACTS.c.1.${sequence}.${consumerSequence}.1767225600000000000.0`,
});

describe('a reader over a broker that falters', () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => void rejections.push(reason);
  const clock = createFakeClock();

  beforeEach(() => {
    rejections.length = 0;
    process.on('unhandledRejection', onRejection);
  });
  afterEach(() => void process.off('unhandledRejection', onRejection));

  it('goes on after the stream could not be described: a leader was being elected, or moved', async () => {
    const { link, deliver, called } = scriptedLink((count) => (count === 1 ? OFFLINE : DESCRIPTION), 2);
    const reader = openReader(link, clock, silentLogger, 'FACTS', { from: 1, onWaiting: () => {} });
    await clock.advance(5_000);
    expect(called).toEqual(['CONSUMER.DELETE', 'CONSUMER.MSG.NEXT']);
    deliver(record(1, 1));
    await clock.flush();
    expect(reader.take().map(({ sequence }) => sequence)).toEqual([1]);
    reader.stop();
  });

  it('a record held in doubt is verified again when the stream could not be described', async () => {
    const { link, deliver } = scriptedLink((count) => (count === 2 ? OFFLINE : DESCRIPTION), 2);
    const reader = openReader(link, clock, silentLogger, 'FACTS', { from: 1, onWaiting: () => {} });
    await clock.advance(100);
    // Record 1 was passed over: trimmed, or of another subject?
    deliver(record(2, 1));
    await clock.advance(5_000);
    deliver(record(2, 1));
    await clock.advance(100);
    expect(reader.take().map(({ sequence }) => sequence)).toEqual([2]);
    expect(rejections).toEqual([]);
    reader.stop();
  });

  it('asks once for what it has room for, although the end of an earlier request comes late', async () => {
    const { link, deliver, replies } = scriptedLink(() => DESCRIPTION, 2);
    const reader = openReader(link, clock, silentLogger, 'FACTS', { from: 1, onWaiting: () => {} });
    await clock.advance(100);
    for (let sequence = 1; sequence <= LOG_LIMITS.readerBufferRecords; sequence++) deliver(record(sequence, sequence));
    expect(reader.take()).toHaveLength(LOG_LIMITS.readerBufferRecords);
    expect(replies).toHaveLength(2);
    const over = (reply: string | undefined) => ({
      subject: reply ?? '',
      headers: makeHeaders(408, 'Request Timeout'),
    });
    deliver(over(replies[0]));
    expect(replies).toHaveLength(2);
    deliver(over(replies[1]));
    expect(replies).toHaveLength(3);
    expect(new Set(replies).size).toBe(3);
    reader.stop();
  });

  it('lets go quietly when the log is closed while it looks ahead', async () => {
    const { link, deliver, waiting } = scriptedLink((count) => (count === 1 ? DESCRIPTION : 'silence'), 0);
    const options = { from: 3, subjects: ['facts.0'], onWaiting: () => {} };
    openReader(link, clock, silentLogger, 'FACTS', options);
    await clock.advance(100);
    deliver(idle);
    await clock.flush();
    expect(waiting).toHaveLength(1);
    await link.close();
    await clock.flush();
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  });
});
