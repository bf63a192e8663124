import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createResponseReader } from './response-reader.ts';

/** One keep-alive connection of the load generator; one request at a time. */
export interface LoadConnection {
  /** Sends one whole request. Only after the last one was answered. */
  send(request: Buffer, wantsBody: boolean): void;
  close(): void;
}

export interface ConnectionEvents {
  /** @param body of an answer whose body was wanted; empty otherwise */
  onAnswer: (status: number, body: string) => void;
  /** It is gone for good; what was under way gets no answer. */
  onClosed: (reason: string) => void;
}

/**
 * Every read of every connection into the same memory: nothing to collect, whatever the rate, and ten thousand connections
 * take no more than one. A read is handed over before the next one begins.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** Connects; resolves when requests can be sent. Rejects when the connection cannot be made. */
export function openConnection(url: URL, events: ConnectionEvents): Promise<LoadConnection> {
  const reader = createResponseReader();
  const secure = url.protocol === 'https:';
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (secure ? 443 : 80)) };

  return new Promise((resolve, reject) => {
    let reason = 'closed by the server';
    let opened = false;
    function receive(bytes: Buffer): void {
      const status = reader.push(bytes);
      if (status !== undefined) events.onAnswer(status, reader.body);
    }
    const socket: Socket = secure
      ? connectTls({ ...at, servername: at.host }).on('data', receive)
      : connectPlain({
          ...at,
          onread: {
            buffer: READ_BUFFER,
            callback(sizeBytes) {
              receive(READ_BUFFER.subarray(0, sizeBytes));
              return true;
            },
          },
        });
    socket.setNoDelay(true);
    socket.on('error', (error) => {
      reason = error.message;
      reject(error);
    });
    // One that never stood is told by the rejection alone.
    socket.on('close', () => opened && events.onClosed(reason));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      opened = true;
      resolve({
        send(request, wantsBody) {
          if (wantsBody) reader.wantBody();
          socket.write(request);
        },
        close: () => void socket.destroy(),
      });
    });
  });
}
