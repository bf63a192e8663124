import type { LiveReader } from '../../../streams/live-feed.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { endStream, startStream, type Exchange } from '../http/exchange.ts';

/** Headers that stop caches, compressors and nginx from buffering messages. */
const PROXY_HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };

/**
 * Opens an SSE connection: an open exchange that a feed writes to.
 *
 * When the socket accepts no more bytes, messages wait here (by reference: all readers of a message share its bytes),
 * and the library's buffer holds at most the rest of one message. So `bufferedBytes` is exact.
 * @param attach adds the reader to its feed; returns what removes it
 * @returns the function that ends the connection
 */
export function openSse(exchange: Exchange, attach: (reader: LiveReader) => () => void, onEnd: () => void): () => void {
  const { res } = exchange;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  /** Bytes of the message that the socket has accepted only partly; 0 if there is none. */
  let stuckBytes = 0;
  let attached = true;
  let detach: () => void = () => {};

  function close(): void {
    if (!attached) return;
    attached = false;
    waiting = [];
    waitingBytes = 0;
    detach();
    onEnd();
  }

  function finish(): void {
    if (exchange.open) {
      exchange.open = false;
      // With unsent messages, an orderly end would wait for a reader that does not read.
      if (stuckBytes > 0) res.close();
      else endStream(exchange);
      exchange.onClosed(exchange, 'streamed');
    }
    close();
  }

  function flush(): boolean {
    stuckBytes = 0;
    let index = 0;
    res.cork(() => {
      while (index < waiting.length && stuckBytes === 0) {
        const bytes = waiting[index++];
        if (bytes === undefined) break;
        waitingBytes -= bytes.length;
        if (!res.write(bytes)) stuckBytes = bytes.length;
      }
    });
    waiting.splice(0, index);
    return true;
  }

  /** @returns false: the feed should not send more for now */
  function queue(messages: readonly Uint8Array[]): false {
    for (const bytes of messages) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
    }
    if (waitingBytes > GATEWAY_LIMITS.streamQueueBytes) finish();
    return false;
  }

  const reader: LiveReader = {
    write(...messages) {
      if (!exchange.open) return false;
      let index = 0;
      if (stuckBytes === 0) {
        res.cork(() => {
          while (index < messages.length && stuckBytes === 0) {
            const bytes = messages[index++];
            if (bytes !== undefined && !res.write(bytes)) stuckBytes = bytes.length;
          }
        });
      }
      return index === messages.length && stuckBytes === 0 ? true : queue(messages.slice(index));
    },
    bufferedBytes: () => stuckBytes + waitingBytes,
    end: finish,
  };

  startStream(exchange, 'text/event-stream', PROXY_HEADERS);
  res.onWritable(() => (exchange.open ? flush() : true));
  exchange.release = close;
  detach = attach(reader);
  // The feed may have ended the reader during `attach`.
  if (!attached) detach();
  return finish;
}
