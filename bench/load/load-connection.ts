import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createResponseReader } from './response-reader.ts';

/** One keep-alive connection of the load generator; one request at a time. */
export interface LoadConnection {
  /** Sends one whole request. Only after the last one was answered. */
  send(request: Buffer): void;
  close(): void;
}

export interface ConnectionEvents {
  onAnswer: (status: number) => void;
  /** It is gone for good; what was under way gets no answer. */
  onClosed: (reason: string) => void;
}

const READ_BUFFER_BYTES = 64 * 1024;

/** Connects; resolves when requests can be sent. Rejects when the connection cannot be made. */
export function openConnection(url: URL, events: ConnectionEvents): Promise<LoadConnection> {
  const reader = createResponseReader();
  const secure = url.protocol === 'https:';
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (secure ? 443 : 80)) };

  return new Promise((resolve, reject) => {
    let reason = 'closed by the server';
    function receive(bytes: Buffer): void {
      const status = reader.push(bytes);
      if (status !== undefined) events.onAnswer(status);
    }
    const socket: Socket = secure
      ? connectTls({ ...at, servername: at.host }).on('data', receive)
      : connectPlain({
          ...at,
          // Every read into the same memory: nothing to collect, whatever the rate.
          onread: {
            buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
            callback(sizeBytes, buffer) {
              receive(Buffer.from(buffer.buffer, buffer.byteOffset, sizeBytes));
              return true;
            },
          },
        });
    socket.setNoDelay(true);
    socket.on('error', (error) => {
      reason = error.message;
      reject(error);
    });
    socket.on('close', () => events.onClosed(reason));
    socket.once(secure ? 'secureConnect' : 'connect', () =>
      resolve({
        send: (request) => void socket.write(request),
        close: () => void socket.destroy(),
      }),
    );
  });
}
