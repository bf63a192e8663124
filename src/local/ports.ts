import { createServer, type Server } from 'node:net';
import { sleep, type Clock } from '../../core/kernel/clock.ts';
import { lockName } from './data-dir-lock.ts';

/** A required port, and the variable that changes it. */
export interface PortClaim {
  host: string;
  port: number;
  variable: string;
  /** Several processes will listen on it (SO_REUSEPORT). */
  shared?: boolean;
}

/**
 * Listens on all ports at the same time, so two claims of one port are found as well.
 * @param options `patienceMs`: how long a port may take to become free. The sockets of a killed process close shortly
 *   after the process disappears.
 * @returns a message for each port that cannot be used; empty if all are free
 */
export async function checkPorts(
  claims: readonly PortClaim[],
  { clock, patienceMs }: { clock: Clock; patienceMs: number },
): Promise<string[]> {
  const deadlineMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    const faults = await tryAll(claims);
    if (faults.length === 0 || clock.monotonicMs() >= deadlineMs) return faults;
    await sleep(clock, RETRY_MS);
  }
}

const RETRY_MS = 20;

/**
 * Claims the shared ports until `release` or the end of this process. The kernel lets any process of this user join a
 * shared port, so without claims two services that start at the same time would silently share one.
 * @returns a message for a port that another process claimed
 */
export async function claimSharedPorts(
  claims: readonly PortClaim[],
): Promise<{ kind: 'claimed'; release: () => void } | { kind: 'refused'; message: string }> {
  const locks: (() => void)[] = [];
  for (const claim of claims.filter(({ shared }) => shared === true)) {
    const lock = await lockName(`port ${claim.host} ${claim.port}`);
    if (lock.kind === 'held') {
      for (const release of locks) release();
      return { kind: 'refused', message: inUse(claim) };
    }
    locks.push(lock.release);
  }
  return { kind: 'claimed', release: () => locks.forEach((release) => release()) };
}

function inUse({ host, port, variable }: PortClaim): string {
  return `Port ${port} on ${host} is in use. Stop the program that uses it, or set ${variable} to another port.`;
}

async function tryAll(claims: readonly PortClaim[]): Promise<string[]> {
  const servers: Server[] = [];
  const faults: string[] = [];
  for (const claim of claims) {
    const outcome = await tryListen(claim);
    if (typeof outcome === 'string') faults.push(outcome);
    else servers.push(outcome);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return faults;
}

function tryListen(claim: PortClaim): Promise<Server | string> {
  const { host, port, variable } = claim;
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => {
      resolve(
        error.code === 'EADDRINUSE'
          ? inUse(claim)
          : `Port ${port} on ${host} cannot be used (${error.code ?? error.message}). Set ${variable} to another port.`,
      );
    });
    server.listen(port, host, () => resolve(server));
  });
}
