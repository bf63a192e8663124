import { createServer } from 'node:net';

const given = new Set<number>();

/** A TCP port on 127.0.0.1 that is free now, chosen by the operating system. A process gets each port once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await portOfSystem();
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}

function portOfSystem(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
