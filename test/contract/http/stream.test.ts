import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { STREAM_API_LIMITS } from '../../../src/api/stream/limits.ts';
import { playerIn, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const STREAM = '/v1/events/events/stream';

/** Reads the text of a stream as it arrives. */
async function open(path = STREAM, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(gateway.url + path, {
    headers: { 'X-API-Key': key, Accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  const stream = { response, text: '', ended: false, close: () => abort.abort() };
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  const pump = async (): Promise<void> => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done || value === undefined) break;
      stream.text += decoder.decode(value, { stream: true });
    }
    stream.ended = true;
  };
  pump().catch(() => {
    stream.ended = true;
  });
  return stream;
}

/** A connection that reads nothing after its request. */
async function openStalled(): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${STREAM} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
  socket.pause();
  await until('the stalled reader is attached', () => gateway.feed.attached.length > 0);
  return socket;
}

/** Removes the chunk sizes of the transfer encoding. */
function dechunk(text: string): string {
  let body = '';
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
  return body;
}

describe('the event stream', () => {
  it('has the correct headers and passes messages on unchanged', async () => {
    const stream = await open();
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.response.headers.get('x-request-id')).not.toBeNull();
    const { reader } = gateway.feed.attached[0]!;
    expect(reader.write(Buffer.from('id: 1\ndata: {"type":"event"}\n\n'))).toBe(true);
    expect(reader.bufferedBytes()).toBe(0);
    await until('both messages came', () => stream.text.endsWith('"event"}\n\n'));
    expect(stream.text).toBe('data: {"type":"connected","game_id":"demo"}\n\nid: 1\ndata: {"type":"event"}\n\n');
    stream.close();
    await until('the reader is detached', () => gateway.feed.readers === 0);
  });

  it('passes filters and Last-Event-ID to the feed', async () => {
    const stream = await open(`${STREAM}?event_name=a&event_name=b%20c&player_id=${playerIn(0).toUpperCase()}`, {
      'Last-Event-ID': 'abc-1-2',
    });
    expect(gateway.feed.attached[0]?.request).toEqual({
      key: expect.any(String),
      game: 'demo',
      environment: 'live',
      eventNames: ['a', 'b c'],
      playerId: playerIn(0),
      lastEventId: 'abc-1-2',
    });
    expect(stream.response.headers.get('x-ignored-fields')).toBeNull();
    stream.close();
  });

  it('accepts last_event_id as a parameter too; the header takes precedence', async () => {
    const streams = [
      await open(`${STREAM}?last_event_id=abc-1-2`),
      await open(`${STREAM}?last_event_id=abc-1-2`, { 'Last-Event-ID': 'abc-3-4' }),
      await open(`${STREAM}?last_event_id=`),
    ];
    const lastEventIds = gateway.feed.attached.map(({ request }) => request.lastEventId);
    expect(lastEventIds).toEqual(['abc-1-2', 'abc-3-4', undefined]);
    for (const stream of streams) stream.close();
  });

  it('is an event stream whatever Accept says', async () => {
    const stream = await open(STREAM, { Accept: 'application/json' });
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    stream.close();
  });

  it('refuses invalid filters', async () => {
    const long = `event_name=${'x'.repeat(129)}`;
    for (const query of ['player_id=42', 'event_name=', long, 'player_id=a&player_id=b', 'event_name=a&x=1']) {
      expect((await gateway.call(key, 'GET', `${STREAM}?${query}`)).status).toBe(400);
    }
    expect(gateway.feed.attached).toEqual([]);
  });

  it('is refused at the maximum number of readers', async () => {
    gateway.feed.readers = SHARED_LIMITS.streamReaders;
    const response = await gateway.call(key, 'GET', STREAM);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
    gateway.feed.readers = 0;
  });

  it('is refused to a key with the maximum number of streams of its tier, and to no other key', async () => {
    key = await gateway.key({ tier: 'growth' });
    const streams = await Promise.all(
      Array.from({ length: STREAM_API_LIMITS.streamReadersOfKey.growth }, () => open()),
    );
    const refused = await gateway.call(key, 'GET', STREAM);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } });
    const other = await gateway.call(await gateway.key({ tier: 'growth' }), 'GET', STREAM);
    expect(other.status).toBe(200);
    await other.body?.cancel();
    streams.pop()?.close();
    await until('the reader is detached', () => gateway.feed.readers < streams.length + 1);
    const again = await open();
    expect(again.response.status).toBe(200);
    for (const stream of [...streams, again]) stream.close();
  });

  it('ends when the feed says so', async () => {
    const stream = await open();
    gateway.feed.attached[0]?.reader.end();
    await until('the stream ended', () => stream.ended);
    expect(gateway.feed.readers).toBe(0);
  });

  it('ends when its key is revoked; other streams continue', async () => {
    const stream = await open();
    const revoked = key;
    key = await gateway.key();
    const other = await open();
    await gateway.revoke(revoked);
    await until('the stream ended', () => stream.ended);
    expect(other.ended).toBe(false);
    other.close();
  });

  it('ends when the server closes', async () => {
    const stream = await open();
    await gateway.close();
    await until('the stream ended', () => stream.ended);
  });
});

describe('a slow reader', () => {
  const message = Buffer.alloc(64 * 1024, 0x61);

  it('is detected, and catches up in order when it reads again', async () => {
    const socket = await openStalled();
    const { reader } = gateway.feed.attached[0]!;
    let sent = 0;
    while (reader.write(message)) sent += 1;
    sent += 1;
    const stuck = reader.bufferedBytes();
    expect(stuck).toBeGreaterThan(0);
    for (let more = 0; more < 5; more++) expect(reader.write(Buffer.alloc(1000, 0x62))).toBe(false);
    expect(reader.bufferedBytes()).toBe(stuck + 5000);
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.resume();
    await until('everything was taken', () => reader.bufferedBytes() === 0);
    expect(reader.write(Buffer.from('end'))).toBe(true);
    await until('the last message came', () => text.includes('end'));
    const body = dechunk(text.slice(text.indexOf('\r\n\r\n') + 4));
    const expected = `data: {"type":"connected","game_id":"demo"}\n\n${'a'.repeat(sent * message.length)}${'b'.repeat(5000)}end`;
    expect(body.length).toBe(expected.length);
    expect(body === expected).toBe(true);
    socket.destroy();
  });

  it('is disconnected at the byte limit', async () => {
    const socket = await openStalled();
    const entry = gateway.feed.attached[0]!;
    let written = 0;
    while (!entry.detached && written < 1000) {
      entry.reader.write(message);
      written += 1;
    }
    expect(entry.detached).toBe(true);
    expect(gateway.feed.readers).toBe(0);
    socket.resume();
    await new Promise<void>((resolve) => socket.on('close', () => resolve()));
  });

  it('delays no request', async () => {
    const socket = await openStalled();
    const { reader } = gateway.feed.attached[0]!;
    while (reader.write(message));
    const response = await gateway.call(key, 'GET', '/healthz');
    expect(response.status).toBe(200);
    reader.end();
    expect(gateway.feed.readers).toBe(0);
    socket.destroy();
  });
});
