import { afterAll, beforeAll, expect, it } from 'vitest';
import { gameAddress } from '../../../streams/config/games.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Which changes of experiments wait for a second person. */

let gateway: Gateway;
let ann: SignedInPerson;
let bob: SignedInPerson;

beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  const people = createPeople(gateway);
  const grant = { game: 'demo', environment: '*', role: 'editor' } as const;
  [ann, bob] = [await people.signedIn(grant), await people.signedIn(grant)];
  const held = gateway.config.get(gameAddress('demo'));
  if (held === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...held.document, approval: true });
  await gateway.call(await gateway.key(), 'POST', '/v1/flags/flags', { key: 'shop', flag_type: 'boolean' });
});
afterAll(() => gateway.close());

const PATH = '/v1/experiments/experiments';

/** The status, and the id under which the change waits. */
async function asked(method: string, path: string, body?: unknown): Promise<[number, string | undefined]> {
  const response = await ann.call(method, path, body);
  const { error } = await bodyOf(response);
  return [response.status, Object(Object(error).details).approval_id];
}
async function approved(method: string, path: string, body?: unknown): Promise<void> {
  const [status, id] = await asked(method, path, body);
  expect([status, id]).toEqual([409, expect.any(String)]);
  const response = await bob.call('POST', `/v1/console/approvals/${id}/approve`);
  expect(response.status).toBe(200);
}
const stored = () =>
  gateway.config.get({ game: 'demo', environment: 'live', kind: 'experiment', key: 'wide' })?.document;

it('drafts are free; what changes what players get waits, and is made once by the person who approves it', async () => {
  const variants = [
    { key: 'false', weight: 1 },
    { key: 'true', weight: 1 },
  ];
  expect(await asked('POST', PATH, { key: 'wide', flag_key: 'shop', variants })).toEqual([201, undefined]);
  expect(await asked('PATCH', `${PATH}/wide`, { traffic: 10 })).toEqual([200, undefined]);
  await approved('POST', `${PATH}/wide/start`);
  expect(stored()).toMatchObject({ state: 'running', traffic: 10 });
  await approved('PATCH', `${PATH}/wide`, { traffic: 50 });
  expect(stored()).toMatchObject({ traffic: 50 });
  await approved('POST', `${PATH}/wide/pause`);
  await approved('POST', `${PATH}/wide/ship`, { variant: 'true' });
  expect(stored()).toMatchObject({ state: 'shipped', winner: 'true' });
  expect(gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: 'shop' })?.document).toMatchObject({
    version: 2,
    defaultServe: { value: true },
  });
  expect(await asked('PATCH', `${PATH}/wide`, { note: 'done' })).toEqual([200, undefined]);
  await approved('POST', `${PATH}/wide/undo`);
  expect(stored()).toMatchObject({ state: 'stopped', note: 'done' });
  expect(await asked('POST', `${PATH}/wide/discard`)).toEqual([200, undefined]);
});
