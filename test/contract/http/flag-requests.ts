import { afterEach, beforeEach } from 'vitest';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

export const PATH = '/v1/flags/flags';

/** The example of a definition from the API documentation. */
export const EXAMPLE = {
  key: 'button_color',
  name: 'Button color',
  flag_type: 'multivariate',
  variants: [
    { key: 'control', value: 'blue', weight: 50 },
    { key: 'variant_a', value: 'green', weight: 50 },
  ],
  enabled: true,
  targeting_rules: [{ name: 'All', segment_id: null, value: true, percentage: 100, priority: 1 }],
};
export const SWITCH = { key: 'switch', flag_type: 'boolean' };
export const rule = (some: object) => ({ ...EXAMPLE, targeting_rules: [{ ...EXAMPLE.targeting_rules[0], ...some }] });
export const variants = (...some: object[]) => ({ ...EXAMPLE, variants: some });

/** Starts a gateway for each test, and sends requests with a key. */
export function setUpFlags() {
  const world = {
    get gateway(): Gateway {
      if (gateway === undefined) throw new Error('the gateway runs during tests only');
      return gateway;
    },
    /** The key of the next requests: a server key until a test sets another one. */
    key: '',
    call: async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const response = await world.gateway.call(world.key, method, path, body, headers);
      return { status: response.status, headers: response.headers, body: await bodyOf(response) };
    },
    create: (body: unknown, headers?: Record<string, string>) => world.call('POST', PATH, body, headers),
    stored: () => world.gateway.config.list('flag').map((entry) => entry.document),
    /** Creates a segment. @returns its id */
    aSegment: async (): Promise<string> => {
      const segment = { key: 'spenders', conditions: { is_payer: true } };
      const { body } = await world.call('POST', '/v1/segments/segments', segment);
      return String(body.data['segment_id']);
    },
  };
  let gateway: Gateway | undefined;
  beforeEach(async () => {
    gateway = await startGateway();
    gateway.backend.reply = createFakeLedger();
    world.key = await gateway.key();
  });
  afterEach(() => gateway?.close());
  return world;
}
