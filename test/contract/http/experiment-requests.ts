import { afterAll, beforeAll } from 'vitest';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

export const FLAGS = '/v1/flags/flags';
export const PATH = '/v1/experiments/experiments';
export const HALVES = [
  { key: 'a', weight: 50 },
  { key: 'b', weight: 50 },
];

/** Starts a gateway for the tests of a file, and sends requests with a server key. */
export function setUpExperiments() {
  const world = {
    get gateway(): Gateway {
      if (gateway === undefined) throw new Error('the gateway runs during tests only');
      return gateway;
    },
    server: '',
    call: async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const response = await world.gateway.call(world.server, method, path, body, headers);
      const { data, error } = await bodyOf(response);
      return { status: response.status, etag: response.headers.get('etag'), data, error, headers: response.headers };
    },
    /** The status, and what an error says. */
    message: async (answer: Promise<{ status: number; error?: unknown }>): Promise<string> => {
      const { status, error } = await answer;
      return `${status} ${String(Object(error).message)}`;
    },
  };
  let gateway: Gateway | undefined;

  beforeAll(async () => {
    gateway = await startGateway();
    gateway.backend.reply = createFakeLedger();
    world.server = await gateway.key();
  });
  afterAll(() => gateway?.close());
  return world;
}
