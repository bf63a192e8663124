import type { ChildSpec, ServiceName } from './processes/launch-child.ts';

/** The name of a process of the service by its number, from 1. */
export const serviceName = (number: number): ServiceName => (number === 1 ? 'service' : `service-${number}`);

export const isServiceName = (name: ChildSpec['name']): name is ServiceName => name !== 'nats' && name !== 'clickhouse';

const processNumber = (name: ServiceName): string => (name === 'service' ? '1' : name.slice('service-'.length));

/** A message from a process of the service to its supervisor: it listens on a port of its own. */
export interface OwnPortMessage {
  kind: 'own_port';
  port: number;
}

/**
 * The ports that the processes of the service have for themselves when several share PORT: there each one answers
 * `/readyz` and `/metrics` for itself. The system chooses a port at each start of a process, which reports it.
 */
export interface OwnPorts {
  /** The address of a process; undefined: it has not reported one since its start. */
  urlOf(name: ServiceName): string | undefined;
  /** The addresses by the numbers of the processes. */
  all(): Record<string, string>;
  /** Handles a message of a process. Returns whether it was one about its port. */
  reported(name: ServiceName, message: unknown): boolean;
  /** The process has ended. Returns whether it had an address. */
  ended(name: ServiceName): boolean;
}

export function createOwnPorts(): OwnPorts {
  const urls = new Map<ServiceName, string>();
  return {
    urlOf: (name) => urls.get(name),
    all: () => Object.fromEntries([...urls].map(([name, url]) => [processNumber(name), url])),
    reported(name, message) {
      const port = portIn(message);
      if (port === undefined) return false;
      urls.set(name, `http://127.0.0.1:${port}`);
      return true;
    },
    ended: (name) => urls.delete(name),
  };
}

function portIn(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message) || !('port' in message)) return undefined;
  return message.kind === 'own_port' && typeof message.port === 'number' ? message.port : undefined;
}
