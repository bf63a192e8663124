import { createServer, type Server } from 'node:net';

/*
 * Ports of services that tests start. Services are given a port before they listen on it, and listen on it again after
 * a restart, so a port must stay with its test in between.
 *
 * Invariants
 * 1. A port is given out once on this machine while the process that asked lives: that process listens on a guard port
 *    beside it, which the operating system frees when the process ends.
 * 2. No outgoing connection is given such a port: operating systems take theirs from 32768 upwards.
 */

const FIRST_PORT = 20_000;
const PORTS = 6_000;
const TRIES = 1_000;

/** Reserves a TCP port on 127.0.0.1 for as long as this process lives. */
export async function reservedPort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const guard = await listen(port + PORTS);
    if (guard === undefined) continue;
    const service = await listen(port);
    if (service !== undefined) {
      await new Promise((resolve) => service.close(resolve));
      guard.unref();
      return port;
    }
    guard.close();
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`);
}

/** `undefined`: another process listens on that port. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}
