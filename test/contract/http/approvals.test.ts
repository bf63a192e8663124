import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../actors/vocabulary/users.ts';
import { userAddress } from '../../../streams/config/users.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createPeople, type People, type SignedInPerson } from '../../support/console-people.ts';
import { type Gateway, startGateway } from '../../support/http-gateway.ts';

/* Changes of live flags and campaigns that wait for a second person. */

let gateway: Gateway;
let people: People;
let ann: SignedInPerson;
let bob: SignedInPerson;
let viewer: SignedInPerson;
let flags = 0;
let flag: string;

const grant = (role: Role): Grant => ({ game: 'demo', environment: '*', role });

beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  people = createPeople(gateway);
  [ann, bob, viewer] = [
    await people.signedIn(grant('editor')),
    await people.signedIn(grant('editor')),
    await people.signedIn(grant('viewer')),
  ];
  await setApproval(true);
});
afterAll(() => gateway.close());

async function setApproval(approval: boolean): Promise<void> {
  const held = gateway.config.get(gameAddress('demo'));
  if (held === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...held.document, approval });
}

beforeEach(async () => {
  for (const { game, environment, key } of gateway.config.list('proposal')) {
    await gateway.config.delete({ game, environment, kind: 'proposal', key });
  }
  flags += 1;
  flag = `flag_${flags}`;
  const made = await gateway.call(await gateway.key(), 'POST', '/v1/flags/flags', {
    key: flag,
    name: 'A flag',
    flag_type: 'boolean',
    enabled: false,
  });
  // Keys are no people.
  expect(made.status).toBe(201);
});

const stored = () => gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: flag })?.document;
const enable = (person: SignedInPerson, headers: Record<string, string> = {}) =>
  person.call('PATCH', `/v1/flags/flags/${flag}`, { enabled: true }, headers);

interface Failed {
  error: { code: string; details?: { approval_id: string } };
}

async function proposed(): Promise<string> {
  const response = await enable(ann);
  const { error }: Failed = JSON.parse(await response.text());
  expect([response.status, error.code]).toEqual([409, 'CONFLICT']);
  return error.details?.approval_id ?? '';
}
const approve = (person: SignedInPerson, id: string) => person.call('POST', `/v1/console/approvals/${id}/approve`);
const waiting = () => gateway.config.list('proposal').length;

describe('a live change in a game with approval', () => {
  it('waits, is listed, and is made when another editor approves it', async () => {
    const id = await proposed();
    expect(stored()).toMatchObject({ enabled: false, version: 1 });
    const list = await (await bob.call('GET', '/v1/console/approvals')).text();
    expect(JSON.parse(list)).toMatchObject({
      data: { approvals: [{ id, kind: 'flag', key: flag, version: 1, proposed_by: ann.email, own: false }] },
    });
    expect((await approve(bob, id)).status).toBe(200);
    expect(stored()).toMatchObject({ enabled: true, version: 2 });
    expect(waiting()).toBe(0);
    expect((await approve(bob, id)).status).toBe(404);
  });

  it('is approved neither by whoever proposed it nor by a viewer, nor by a key', async () => {
    const id = await proposed();
    expect((await approve(ann, id)).status).toBe(403);
    expect((await approve(viewer, id)).status).toBe(403);
    const path = `/v1/console/approvals/${id}/approve`;
    expect((await gateway.call(await gateway.key(), 'POST', path)).status).toBe(403);
    const test = { 'X-Environment': 'test' };
    expect((await bob.call('POST', path, undefined, test)).status).toBe(404);
    expect(stored()?.enabled).toBe(false);
  });

  it('is made once, however many approve it at the same time', async () => {
    const carl = await people.signedIn(grant('admin'));
    const id = await proposed();
    const statuses = (await Promise.all([approve(bob, id), approve(carl, id)])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(stored()?.version).toBe(2);
  });

  it('is refused if the flag changed meanwhile, and waits on', async () => {
    const id = await proposed();
    await gateway.call(await gateway.key(), 'PATCH', `/v1/flags/flags/${flag}`, { name: 'Changed' });
    expect((await approve(bob, id)).status).toBe(412);
    expect(stored()).toMatchObject({ enabled: false, version: 2 });
    expect(waiting()).toBe(1);
    expect((await bob.call('DELETE', `/v1/console/approvals/${id}`)).status).toBe(200);
    expect(waiting()).toBe(0);
    expect((await enable(ann, { 'If-Match': '1' })).status).toBe(412);
  });

  it('is worth nothing once its author lost the role', async () => {
    const eve = await people.signedIn(grant('editor'));
    const response = await enable(eve);
    const { error }: Failed = JSON.parse(await response.text());
    const held = people.stored(eve.id);
    if (held === undefined) throw new Error('the user is not stored');
    await gateway.config.put(userAddress(eve.id), { ...held, grants: [grant('viewer')] });
    expect((await approve(bob, error.details?.approval_id ?? '')).status).toBe(409);
    expect(stored()?.enabled).toBe(false);
  });

  it('covers new flags, deletions and campaigns, and an invalid one is refused at once', async () => {
    const body = { key: `new_${flag}`, name: 'New', flag_type: 'boolean' };
    expect((await ann.call('POST', '/v1/flags/flags', body)).status).toBe(409);
    expect((await ann.call('DELETE', `/v1/flags/flags/${flag}`)).status).toBe(409);
    expect((await ann.call('POST', '/v1/flags/flags', { ...body, flag_type: 'none' })).status).toBe(400);
    const campaign = { name: 'Hi', trigger: { event: 'level_up' }, content: { title: 'a', body: 'b', cta: 'c' } };
    expect((await ann.call('DELETE', '/v1/campaigns/campaigns/any')).status).toBe(404);
    expect((await ann.call('DELETE', '/v1/flags/flags/any')).status).toBe(404);
    const made = await ann.call('POST', '/v1/campaigns/campaigns', campaign);
    expect([made.status, await made.text()]).toEqual([409, expect.stringContaining('second person')]);
    expect(waiting()).toBe(3);
    expect((await viewer.call('DELETE', `/v1/flags/flags/${flag}`)).status).toBe(403);
    for (const { document } of gateway.config.list('proposal')) {
      expect((await approve(bob, document.id)).status).toBe(200);
    }
    expect(stored()?.archivedAt).not.toBeNull();
  });

  it('does not wait in test, nor in a game without approval', async () => {
    expect((await enable(ann, { 'X-Environment': 'test' })).status).toBe(404);
    await setApproval(false);
    expect((await enable(ann)).status).toBe(200);
    await setApproval(true);
  });
});
