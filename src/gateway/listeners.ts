import { us_listen_socket_close, us_socket_local_port, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    /**
     * The published types lack this overload. `options` 1 refuses a port that another process listens on; 0 shares it
     * with processes that share it too (SO_REUSEPORT).
     */
    listen(
      host: string,
      port: number,
      options: number,
      onListening: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}
const SHARED_PORT = 0;
const EXCLUSIVE_PORT = 1;

/** The sockets on which the apps of one process accept connections. */
export interface Listeners {
  /**
   * Resolves to the port, which differs from `port` if that is 0. Rejects if it is in use.
   * @param isShared whether other processes listen on the same port
   */
  open(app: TemplatedApp, host: string, port: number, isShared?: boolean): Promise<number>;
  /** Accepts no more connections. */
  close(): void;
}

export function createListeners(): Listeners {
  const sockets: us_listen_socket[] = [];
  return {
    async open(app, host, port, isShared = false) {
      const socket = await new Promise<us_listen_socket | false>((resolve) => {
        app.listen(host, port, isShared ? SHARED_PORT : EXCLUSIVE_PORT, resolve);
      });
      if (socket === false) throw new Error(`cannot listen on ${host}:${port}: the port is in use or not permitted`);
      sockets.push(socket);
      return us_socket_local_port(socket);
    },
    close() {
      for (const socket of sockets.splice(0)) us_listen_socket_close(socket);
    },
  };
}
