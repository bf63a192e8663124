import { describe, expect, it } from 'vitest';
import { readMessages, type StreamMessage } from '../server/outbox/server-sent-events.ts';

async function* chunks(...parts: Uint8Array[]) {
  yield* parts;
}

async function messagesOf(...parts: (string | Uint8Array)[]): Promise<StreamMessage[]> {
  const encoder = new TextEncoder();
  const bytes = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const messages: StreamMessage[] = [];
  for await (const message of readMessages(chunks(...bytes))) messages.push(message);
  return messages;
}

describe('a stream of Server-Sent Events', () => {
  it('is read the same however it is cut into pieces, and with every end of a line', async () => {
    const text =
      ': hello\nid: 7\nevent: changed\ndata: {"a":1}\n\ndata: grüße 🎮\ndata\ndata:  two\n\nretry: x\n\nevent: none\n\n';
    const expected = [
      { event: 'changed', data: '{"a":1}', id: '7' },
      { event: 'message', data: 'grüße 🎮\n\n two', id: undefined },
    ];
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const bytes = new TextEncoder().encode(`${text.replaceAll('\n', lineEnd)}: end\n`);
      expect(await messagesOf(bytes)).toEqual(expected);
      expect(await messagesOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    }
  });

  it('costs little when a long line comes in small pieces', async () => {
    // Searched again with each piece, they took ten seconds.
    const pieces = Array.from({ length: 6_000 }, () => 'x'.repeat(100));
    expect((await messagesOf('data: ', ...pieces, '\n\n'))[0]?.data).toHaveLength(600_000);
  });

  it('gives nothing of a message that was cut off', async () => {
    expect(await messagesOf('data: 1\n\ndata: 2\n')).toEqual([{ event: 'message', data: '1', id: undefined }]);
  });

  it('says how long to wait, and ends at a message without an end', async () => {
    const waits: number[] = [];
    const body = chunks(new TextEncoder().encode('retry: 1500\n\n'));
    for await (const _ of readMessages(body, { onRetry: (delayMs) => void waits.push(delayMs) })) continue;
    expect(waits).toEqual([1500]);
    const long = 'x'.repeat(1_000_000);
    await expect(messagesOf('data: ', long, long, long, long, long)).rejects.toThrow('exceeds');
    await expect(messagesOf(...Array.from({ length: 5 }, () => `data: ${long}\n`))).rejects.toThrow('exceeds');
  });
});
