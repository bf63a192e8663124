import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { APPROVAL_LIMITS } from '../../../src/api/approvals/limits.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createPeople, type People, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';

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
const enable = (person: SignedInPerson, headers: Record<string, string> = {}, more: object = {}) =>
  person.call('PATCH', `/v1/flags/flags/${flag}`, { enabled: true, ...more }, headers);

interface Failed {
  error: { code: string; details?: { approval_id: string } };
}

async function proposed(more: object = {}): Promise<string> {
  const response = await enable(ann, {}, more);
  const { error }: Failed = JSON.parse(await response.text());
  expect([response.status, error.code]).toEqual([409, 'CONFLICT']);
  return error.details?.approval_id ?? '';
}
const approve = (person: SignedInPerson, id: string) => person.call('POST', `/v1/console/approvals/${id}/approve`);
const waiting = () => gateway.config.list('proposal').length;

interface Listed {
  data: { approvals: { id: string; approving: boolean }[]; next_cursor: string | null };
}

/** The ids of all pages. */
async function pages(query: string): Promise<string[][]> {
  const found: string[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path = `/v1/console/approvals?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { data }: Listed = JSON.parse(await (await ann.call('GET', path)).text());
    found.push(data.approvals.map(({ id }) => id));
    cursor = data.next_cursor;
  }
  return found;
}

const addressOf = (id: string) => ({ game: 'demo', environment: 'live', kind: 'proposal', key: id }) as const;

/** Leaves a proposal as a process leaves it that ended after it had stored the approval. */
async function leaveApproved(id: string, agoMs: number): Promise<void> {
  const held = gateway.config.get(addressOf(id));
  if (held === undefined) throw new Error('the proposal does not wait');
  const approving = { by: 'somebody', at: systemClock.wallMs() - agoMs };
  await gateway.config.put(addressOf(id), { ...held.document, approving });
}
const reject = (person: SignedInPerson, id: string) => person.call('DELETE', `/v1/console/approvals/${id}`);

describe('an approval whose process ends in between', () => {
  it('before the change: the change waits on, and is made when it is approved again', async () => {
    const id = await proposed();
    await leaveApproved(id, APPROVAL_LIMITS.proposalClaimMs - 30_000);
    // The other request may still be on its way.
    expect([(await approve(bob, id)).status, (await reject(bob, id)).status]).toEqual([409, 409]);
    await leaveApproved(id, APPROVAL_LIMITS.proposalClaimMs);
    const { data }: Listed = JSON.parse(await (await bob.call('GET', '/v1/console/approvals')).text());
    expect(data.approvals).toMatchObject([{ id, approving: true }]);
    expect((await approve(bob, id)).status).toBe(200);
    expect([stored()?.version, waiting()]).toEqual([2, 0]);
  });

  it('before the change, and it may be rejected later', async () => {
    const id = await proposed();
    await leaveApproved(id, APPROVAL_LIMITS.proposalClaimMs);
    expect((await reject(bob, id)).status).toBe(200);
    expect([stored()?.version, waiting()]).toEqual([1, 0]);
  });

  it.each([
    ['PATCH', { enabled: true }],
    ['DELETE', undefined],
  ])('after the change by %s: it is not made again, nor rejected', async (method, body) => {
    const store = { ...gateway.config };
    const ids: string[] = [];
    for (const each of [`${flag}_a`, `${flag}_b`]) {
      await gateway.call(await gateway.key(), 'POST', '/v1/flags/flags', {
        key: each,
        name: 'x',
        flag_type: 'boolean',
      });
      const { error }: Failed = JSON.parse(await (await ann.call(method, `/v1/flags/flags/${each}`, body)).text());
      ids.push(error.details?.approval_id ?? '');
      gateway.config.delete = async () => false;
      expect((await approve(bob, ids.at(-1) ?? '')).status).toBe(200);
      gateway.config.delete = (address, revision) => store.delete(address, revision);
    }
    const versions = () =>
      gateway.config
        .list('flag')
        .flatMap(({ document: { key, version } }) => (key.startsWith(`${flag}_`) ? [version] : []));
    expect([versions(), waiting()]).toEqual([[2, 2], 2]);
    const [one = '', other = ''] = ids;
    expect((await approve(bob, one)).status).toBe(200);
    await leaveApproved(other, APPROVAL_LIMITS.proposalClaimMs);
    const rejected = await reject(bob, other);
    expect([rejected.status, await rejected.text()]).toEqual([409, expect.stringContaining('made before')]);
    expect([versions(), waiting()]).toEqual([[2, 2], 0]);
  });

  it('while it is unknown whether the change was stored: nobody rejects it, and a repeat makes it', async () => {
    const id = await proposed();
    const store = { ...gateway.config };
    gateway.config.put = async (address, document, revision) =>
      address.kind === 'flag' ? { kind: 'unavailable' } : store.put(address, document, revision);
    expect((await approve(bob, id)).status).toBe(503);
    gateway.config.put = (address, document, revision) => store.put(address, document, revision);
    expect((await reject(ann, id)).status).toBe(409);
    expect((await approve(bob, id)).status).toBe(200);
    expect([stored()?.version, waiting()]).toEqual([2, 0]);
  });

  it('creates a campaign once, and deletes it once', async () => {
    const campaign = { name: 'Hi', trigger: { event: 'level_up' }, content: { title: 'a', body: 'b', cta: 'c' } };
    const store = { ...gateway.config };
    const twice = async (method: string, path: string, body?: unknown): Promise<void> => {
      const { error }: Failed = JSON.parse(await (await ann.call(method, path, body)).text());
      const id = error.details?.approval_id ?? '';
      // The removal of the proposal does not happen.
      gateway.config.delete = (address, revision) =>
        address.kind === 'proposal' ? Promise.resolve(false) : store.delete(address, revision);
      expect((await approve(bob, id)).status).toBe(200);
      gateway.config.delete = (address, revision) => store.delete(address, revision);
      expect((await approve(bob, id)).status).toBe(200);
    };
    await twice('POST', '/v1/campaigns/campaigns', campaign);
    const [made, ...others] = gateway.config
      .list('campaign', 'demo', 'live')
      .filter((each) => each.document.name === 'Hi');
    expect([made?.document.version, others]).toEqual([1, []]);
    await twice('DELETE', `/v1/campaigns/campaigns/${made?.document.id ?? ''}`);
    expect([gateway.config.list('campaign', 'demo', 'live'), waiting()]).toEqual([[], 0]);
  });
});

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

  it('waits once, however often its author sends it', async () => {
    const id = await proposed();
    expect([await proposed(), waiting()]).toEqual([id, 1]);
    expect([(await enable(bob)).status, waiting()]).toEqual([409, 2]);
    expect((await approve(bob, id)).status).toBe(200);
    // It is another change now: of the next version.
    expect([(await proposed()) === id, waiting()]).toEqual([false, 2]);
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

  it('is outdated if the flag changed meanwhile, and its author alone rebases it', async () => {
    const id = await proposed();
    const other: Failed = JSON.parse(await (await enable(bob)).text());
    await gateway.call(await gateway.key(), 'PATCH', `/v1/flags/flags/${flag}`, { name: 'Changed' });
    const { data }: { data: { approvals: { outdated: boolean }[] } } = JSON.parse(
      await (await ann.call('GET', '/v1/console/approvals')).text(),
    );
    expect(data.approvals.map(({ outdated }) => outdated)).toEqual([true, true]);
    const rebase = (person: SignedInPerson, which: string) =>
      person.call('POST', `/v1/console/approvals/${which}/rebase`);
    expect([(await rebase(bob, id)).status, (await rebase(ann, 'no')).status]).toEqual([403, 400]);
    const made: { data: { id: string } } = JSON.parse(await (await rebase(ann, id)).text());
    expect([made.data.id === id, waiting(), (await rebase(ann, id)).status]).toEqual([false, 2, 404]);
    expect((await approve(bob, made.data.id)).status).toBe(200);
    expect(stored()).toMatchObject({ enabled: true, name: 'Changed', version: 3 });
    // The other one still waits, and says what came first.
    const refused = await approve(ann, other.error.details?.approval_id ?? '');
    expect([refused.status, JSON.parse(await refused.text())]).toMatchObject([
      409,
      { error: { code: 'CONFLICT', details: { version: 3, based_on: 1, changed: null } } },
    ]);
  });

  it('is not rebased if it replaces everything', async () => {
    const body = { name: 'Whole', flag_type: 'boolean', enabled: true, version: 1 };
    const response = await ann.call('PUT', `/v1/flags/flags/${flag}`, body);
    const { error }: Failed = JSON.parse(await response.text());
    await gateway.call(await gateway.key(), 'PATCH', `/v1/flags/flags/${flag}`, { name: 'Changed' });
    const refused = await ann.call('POST', `/v1/console/approvals/${error.details?.approval_id}/rebase`);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('take back what others')]);
  });

  it('is refused if the flag changed meanwhile, and waits on', async () => {
    const id = await proposed();
    await gateway.call(await gateway.key(), 'PATCH', `/v1/flags/flags/${flag}`, { name: 'Changed' });
    expect((await approve(bob, id)).status).toBe(409);
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

  it('is listed in pages, which large ones end early, and none is too large', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await proposed({ name: `Name ${n}` }));
    expect(await pages('limit=2')).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect((await ann.call('GET', '/v1/console/approvals?cursor=x')).status).toBe(400);
    const bodyOf = (key: string, variants: number, value: string) => ({
      key,
      name: 'Big',
      flag_type: 'string',
      variants: Array.from({ length: variants }, (_, n) => ({ key: `v${n}`, value, weight: 1 })),
    });
    const bodies = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => bodyOf(key, 8, 'x'.repeat(8_000)));
    for (const body of bodies) {
      expect(await (await ann.call('POST', '/v1/flags/flags', body)).text()).toContain('second person');
    }
    expect((await pages('limit=500')).length).toBeGreaterThan(1);
    expect((await pages('limit=500')).flat()).toHaveLength(11);
    const tooLarge = await ann.call('POST', '/v1/flags/flags', bodyOf('g', 9, 'ü'.repeat(4_000)));
    expect([tooLarge.status, await tooLarge.text()]).toEqual([
      409,
      expect.stringContaining('the maximum is 65536 bytes'),
    ]);
  });

  it('does not wait in test, nor in a game without approval', async () => {
    expect((await enable(ann, { 'X-Environment': 'test' })).status).toBe(404);
    await setApproval(false);
    expect((await enable(ann)).status).toBe(200);
    await setApproval(true);
  });
});
