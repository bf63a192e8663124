import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { createResponseReader } from './response-reader.ts';

/** The outcome of requests. A token is the value that the caller gave `send` with the request. */
export interface RequestEvents<Token> {
  /** @param body of an answer whose body was wanted; empty otherwise */
  onAnswer: (token: Token, status: number, body: string) => void;
  /** The connection was lost, or `close` came first. */
  onFailed: (token: Token, reason: string) => void;
}

/** A fixed number of keep-alive connections with at most one request under way each; a lost one is opened again. */
export interface Connections<Token> {
  readonly hasIdle: boolean;
  /** Sends on the connection that has been idle longest; false when none is idle. */
  send(request: Buffer, token: Token, wantsBody?: boolean): boolean;
  /** Closes all; requests under way fail. */
  close(): void;
}

const RECONNECT_MS = 100;
/** Connections opened at a time: a server's accept queue holds a few hundred. */
const OPENED_AT_ONCE = 256;

interface Slot<Token> {
  socket: Socket | undefined;
  reader: ReturnType<typeof createResponseReader>;
  /** The request under way. */
  current: { token: Token } | undefined;
}

/** Opens the connections; resolves when all are open, rejects when one cannot be opened. */
export async function openConnections<Token>(
  url: URL,
  count: number,
  events: RequestEvents<Token>,
): Promise<Connections<Token>> {
  const slots = Array.from({ length: count }, (): Slot<Token> => ({
    socket: undefined,
    reader: createResponseReader(),
    current: undefined,
  }));
  const idle: Slot<Token>[] = [];
  let closed = false;

  async function open(slot: Slot<Token>): Promise<void> {
    slot.reader = createResponseReader();
    slot.socket = await openSocket(url, {
      onBytes(bytes) {
        const status = slot.reader.push(bytes);
        if (status === undefined) return;
        const { current } = slot;
        slot.current = undefined;
        idle.push(slot);
        if (current !== undefined) events.onAnswer(current.token, status, slot.reader.body);
      },
      onClosed(reason) {
        slot.socket = undefined;
        if (closed) return;
        if (slot.current === undefined) idle.splice(idle.indexOf(slot), 1);
        else fail(slot, reason);
        void reopen(slot);
      },
    });
    idle.push(slot);
  }

  async function reopen(slot: Slot<Token>): Promise<void> {
    for (;;) {
      await sleep(RECONNECT_MS);
      if (closed) return;
      try {
        await open(slot);
        return;
      } catch {
        // The server may be coming back. Requests that are due meanwhile wait, and their waiting is measured.
      }
    }
  }

  function fail(slot: Slot<Token>, reason: string): void {
    const { current } = slot;
    slot.current = undefined;
    if (current !== undefined) events.onFailed(current.token, reason);
  }

  for (let at = 0; at < count; at += OPENED_AT_ONCE) await Promise.all(slots.slice(at, at + OPENED_AT_ONCE).map(open));
  return {
    get hasIdle() {
      return idle.length > 0;
    },
    send(request, token, wantsBody = false) {
      const slot = idle.shift();
      if (slot === undefined) return false;
      slot.current = { token };
      if (wantsBody) slot.reader.wantBody();
      slot.socket?.write(request);
      return true;
    },
    close() {
      closed = true;
      for (const slot of slots) {
        fail(slot, 'unanswered');
        slot.socket?.destroy();
      }
    },
  };
}

/** Makes whole POST requests to a path, ready to be written. */
export function postRequests(url: URL, key: string, path: string): (body: string) => Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n` +
    `X-API-Key: ${key}\r\nContent-Length: `;
  return (body) => Buffer.from(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/**
 * Every connection reads into the same memory: there is nothing to collect at any rate, and ten thousand connections
 * take no more than one. A read is handled before the next one begins.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

interface SocketEvents {
  onBytes: (bytes: Buffer) => void;
  /** Only after the connection was open. */
  onClosed: (reason: string) => void;
}

function openSocket(url: URL, { onBytes, onClosed }: SocketEvents): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const at = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (secure ? 443 : 80)) };
  return new Promise((resolve, reject) => {
    let reason = 'closed by the server';
    let opened = false;
    const socket: Socket = secure
      ? connectTls({ ...at, servername: at.host }).on('data', onBytes)
      : connectPlain({
          ...at,
          onread: {
            buffer: READ_BUFFER,
            callback(sizeBytes) {
              onBytes(READ_BUFFER.subarray(0, sizeBytes));
              return true;
            },
          },
        });
    socket.setNoDelay(true);
    socket.on('error', (error) => {
      reason = error.message;
      reject(error);
    });
    socket.on('close', () => opened && onClosed(reason));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      opened = true;
      resolve(socket);
    });
  });
}
