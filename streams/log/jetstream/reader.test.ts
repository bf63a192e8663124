import { headers as makeHeaders, type Msg } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { silentLogger } from '../../../test/support/silent-logger.ts';
import type { Answer, Link } from './link.ts';
import { openReader } from './reader.ts';

const INFO = 'STREAM.INFO.FACTS';
const DESCRIPTION = {
  config: {},
  created: '2026-01-01T00:00:00Z',
  state: { messages: 2, bytes: 20, first_seq: 1, last_seq: 2, last_ts: '2026-01-01T00:00:01Z' },
};
const NEWEST = { message: { subject: 'facts.0', seq: 2, time: DESCRIPTION.state.last_ts } };

const answerOf = (value: object): Answer => ({ kind: 'answer', data: Buffer.from(JSON.stringify(value)) });

/** A broker of a few words: what it answers is up to a test, and what it delivers too. */
function scriptedLink(answerTo: (subject: string) => Answer | 'silence') {
  const waiting: ((answer: Answer) => void)[] = [];
  const sent: string[] = [];
  /** Reply subjects of requests for more. */
  const replies: string[] = [];
  let deliver: (message: Msg) => void = () => {};
  let closed = false;
  const link: Link = {
    server: undefined,
    get up() {
      return !closed;
    },
    get closed() {
      return closed;
    },
    request(subject) {
      const answer = closed ? none() : answerTo(subject.replace('$JS.API.', ''));
      if (answer !== 'silence') return Promise.resolve(answer);
      return new Promise((resolve) => waiting.push(resolve));
    },
    send(subject, _data, reply) {
      sent.push(subject);
      if (subject.includes('CONSUMER.MSG.NEXT')) replies.push(reply ?? '');
    },
    subscribe(_subject, onMessage) {
      deliver = onMessage;
      return { unsubscribe: () => {} };
    },
    onChange: () => () => {},
    close() {
      closed = true;
      for (const settle of waiting) settle(none());
      return Promise.resolve();
    },
  };
  return { link, deliver: (message: Partial<Msg>) => deliver({ ...EMPTY, ...message }), waiting, sent, replies };
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
const none = (): Answer => ({ kind: 'none', why: 'the log is closed' });
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
    let refusals = 1;
    const { link, deliver, sent } = scriptedLink((subject) => {
      if (subject !== INFO) return answerOf({ num_pending: 2 });
      if (refusals-- > 0) return answerOf({ error: { code: 500, err_code: 10118, description: 'stream is offline' } });
      return answerOf(DESCRIPTION);
    });
    const reader = openReader(link, clock, silentLogger, 'FACTS', { from: 1, onWaiting: () => {} });
    await clock.advance(5_000);
    expect(sent.filter((subject) => subject.includes('CONSUMER.DELETE'))).toHaveLength(1);
    expect(sent.filter((subject) => subject.includes('CONSUMER.MSG.NEXT'))).toHaveLength(1);
    deliver(record(1, 1));
    await clock.settle();
    expect(reader.take().map(({ sequence }) => sequence)).toEqual([1]);
    reader.stop();
  });

  it('a record held in doubt is verified again when the stream could not be described', async () => {
    let described = 0;
    const { link, deliver } = scriptedLink((subject) => {
      if (subject.startsWith('STREAM.MSG.GET')) return answerOf(NEWEST);
      if (subject !== INFO) return answerOf({ num_pending: 2 });
      described += 1;
      if (described === 2) return answerOf({ error: { code: 500, err_code: 10118, description: 'stream is offline' } });
      return answerOf(DESCRIPTION);
    });
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
    const { link, deliver, replies } = scriptedLink((subject) =>
      subject === INFO ? answerOf(DESCRIPTION) : answerOf({ num_pending: 2 }),
    );
    const reader = openReader(link, clock, silentLogger, 'FACTS', { from: 1, onWaiting: () => {} });
    await clock.advance(100);
    for (let sequence = 1; sequence <= LIMITS.readerBufferRecords; sequence++) deliver(record(sequence, sequence));
    expect(reader.take()).toHaveLength(LIMITS.readerBufferRecords);
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
    let described = 0;
    const { link, deliver, waiting } = scriptedLink((subject) => {
      if (subject !== INFO) return answerOf({ num_pending: 0 });
      described += 1;
      return described === 1 ? answerOf(DESCRIPTION) : 'silence';
    });
    const options = { from: 3, subjects: ['facts.0'], onWaiting: () => {} };
    openReader(link, clock, silentLogger, 'FACTS', options);
    await clock.advance(100);
    deliver(idle);
    await clock.settle();
    expect(waiting).toHaveLength(1);
    await link.close();
    await clock.settle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  });
});
