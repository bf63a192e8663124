/* The messages of the stream of changed flags. */

type Change = 'flags_changed' | 'definitions_changed';

/**
 * The first message.
 * @param retryMs how long an EventSource waits before it reconnects
 * @param isCurrent whether the reader knows this revision; otherwise only the message that follows has the id, so that
 *   a reader that loses the connection in between does not resume after it
 */
export function connectedMessage(revision: number, retryMs: number, isCurrent: boolean): Uint8Array {
  const id = isCurrent ? `id: ${revision}\n` : '';
  return Buffer.from(`retry: ${retryMs}\n${id}event: connected\ndata: ${JSON.stringify({ revision })}\n\n`, 'utf8');
}

/** Several events in one write. Only the last one has the id, as above. */
export function changedMessage(events: readonly Change[], revision: number, spreadMs: number): Uint8Array {
  const data = JSON.stringify({ revision, spread_ms: spreadMs });
  const texts = events.map((event) => `event: ${event}\ndata: ${data}\n\n`);
  const last = texts.pop() ?? '';
  return Buffer.from(`${texts.join('')}id: ${revision}\n${last}`, 'utf8');
}

/** With the time (offset +00:00), as in the event stream. */
export function heartbeatMessage(nowMs: number): Uint8Array {
  const timestamp = new Date(nowMs).toISOString().replace('Z', '+00:00');
  return Buffer.from(`event: heartbeat\ndata: ${JSON.stringify({ timestamp })}\n\n`, 'utf8');
}
