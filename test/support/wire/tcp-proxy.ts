import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A TCP proxy in front of a local port, which can disconnect one client from a server that others still reach. */
export interface TcpProxy {
  readonly port: number;
  /** The number of connections so far. */
  readonly taken: number;
  /** Breaks every connection and refuses new ones, until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let whole = true;
  let taken = 0;

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    taken += 1;
    if (!whole) {
      client.destroy();
      return;
    }
    const target = keep(connect(targetPort, '127.0.0.1'));
    client.pipe(target).pipe(client);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();

  const cut = () => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get taken() {
      return taken;
    },
    cut,
    mend() {
      whole = true;
    },
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}
