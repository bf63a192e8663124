import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Events of the economy and of levels: what views cannot read is tracked, and said. */

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.key();
});
afterAll(() => gateway.close());

const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

it.each([
  ['currency_spent', { currency: 'gold', amount: 5 }, []],
  ['currency_spent', { currency: 'gold', amount: '5' }, ['/amount']],
  ['currency_earned', { amount: -5 }, ['/currency', '/amount']],
  ['level_failed', { level: 12 }, []],
  ['level_completed', { level: [12] }, ['/level']],
  ['match_end', { amount: 'x' }, []],
])('%s with %j is tracked, with these warnings: %j', async (event_name, properties, paths) => {
  const event = { player_id: PLAYER, event_name, properties };
  const response = await gateway.call(key, 'POST', '/v1/events/events', event);
  expect(response.status).toBeLessThan(300);
  const { warnings = [] } = (await bodyOf(response)).data;
  expect(Array.isArray(warnings) && warnings.map(({ path }) => path)).toEqual(paths);
});
