import type { Platform } from '../../src/platform.ts';

/** The service's stream of changed flags, by hand. */
export interface ModelStream {
  stream: NonNullable<Platform['stream']>;
  /** Connections, the latest last. */
  readonly connections: readonly Connection[];
  /** The latest connection. */
  last(): Connection;
}

export interface Connection {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly isOpen: boolean;
  /** Sends the first message. */
  connected(revision: number, retryMs?: number): void;
  changed(revision: number, spreadMs?: number): void;
  send(text: string): void;
  /** Ends the connection as a network does, or as an answer other than 200. */
  fail(): void;
}

export function modelStream(): ModelStream {
  const connections: Connection[] = [];
  return {
    connections,
    last() {
      const last = connections.at(-1);
      if (last === undefined) throw new Error('no stream was opened');
      return last;
    },
    stream: (url, headers, signal, received) =>
      new Promise((_, reject) => {
        let isOver = false;
        const send = (text: string) => !isOver && !signal.aborted && received(text);
        connections.push({
          url: new URL(url),
          headers,
          get isOpen() {
            return !isOver && !signal.aborted;
          },
          connected: (revision, retryMs = 2_000) =>
            void send(`retry: ${retryMs}\nid: ${revision}\nevent: connected\ndata: {"revision":${revision}}\n\n`),
          changed: (revision, spreadMs = 100) =>
            void send(
              `id: ${revision}\nevent: flags_changed\ndata: {"revision":${revision},"spread_ms":${spreadMs}}\n\n`,
            ),
          send: (text) => void send(text),
          fail() {
            isOver = true;
            reject(new Error('The network is gone.'));
          },
        });
      }),
  };
}
