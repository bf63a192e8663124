import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { APPROVAL_LIMITS } from '../../../src/api/approvals/limits.ts';
import { decodeAuditEntries } from '../../../core/codec/codec.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* Nobody goes around an approval by what a flag uses, takes all its places, or is helpless when a flag burns. */

let broker: MemoryBroker;
let gateway: Gateway;
let ann: SignedInPerson;
let bob: SignedInPerson;
let admin: SignedInPerson;
let key: string;
let made = 0;

const grant = (role: Role): Grant => ({ game: 'demo', environment: '*', role });
const PLAYER = '3f0f5a3e-8d7b-5c39-9a43-000000000000';

beforeAll(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  gateway = await startGateway({
    log: broker.connect('gateway'),
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  const people = createPeople(gateway);
  ann = await people.signedIn(grant('editor'));
  bob = await people.signedIn(grant('editor'));
  admin = await people.signedIn(grant('admin'));
  key = await gateway.key();
  const held = gateway.config.get(gameAddress('demo'));
  if (held === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...held.document, approval: true });
});
afterAll(() => gateway.close());

const status = async (response: Promise<Response>): Promise<number> => (await response).status;
async function segment(): Promise<string> {
  made += 1;
  const body = { key: `seg_${made}`, name: 'S', conditions: { is_payer: true } };
  const response = await gateway.call(key, 'POST', '/v1/segments/segments', body);
  const { data }: { data: { segment_id: string } } = JSON.parse(await response.text());
  return data.segment_id;
}
const flagOn = (segmentId: string) => ({
  key: `flag_${made}`,
  name: 'F',
  flag_type: 'boolean',
  enabled: true,
  targeting_rules: [{ segment_id: segmentId, percentage: 100 }],
});
async function flag(segmentId: string): Promise<string> {
  const body = flagOn(segmentId);
  expect(await status(gateway.call(key, 'POST', '/v1/flags/flags', body))).toBe(201);
  return body.key;
}
const everybody = { name: 'S', conditions: {}, version: 1 };
const waiting = () => gateway.config.list('proposal', 'demo', 'live');
async function clear(): Promise<void> {
  for (const { key: id } of waiting()) {
    await gateway.config.delete({ game: 'demo', environment: 'live', kind: 'proposal', key: id });
  }
}

describe('what a live flag uses', () => {
  it('waits: its segment, its overrides', async () => {
    const used = await segment();
    const name = await flag(used);
    const path = `/v1/segments/segments/${used}`;
    const override = `/v1/flags/flags/${name}/overrides/${PLAYER}`;
    expect([
      await status(ann.call('PUT', path, everybody)),
      await status(ann.call('PUT', override, { value: true })),
      await status(ann.call('DELETE', override)),
    ]).toEqual([409, 409, 409]);
    const calls = gateway.backend.calls.length;
    const stored = () =>
      gateway.config.get({ game: 'demo', environment: 'live', kind: 'segment', key: used })?.document;
    expect([stored()?.version, waiting().length]).toEqual([1, 3]);
    for (const { document } of waiting()) {
      expect(await status(bob.call('POST', `/v1/console/approvals/${document.id}/approve`))).toBe(200);
    }
    expect([stored()?.version, waiting().length, gateway.backend.calls.length - calls]).toEqual([2, 0, 2]);
  });

  it('waits before the flag is approved, too, and what nothing uses does not', async () => {
    const free = await segment();
    expect(await status(ann.call('PUT', `/v1/segments/segments/${free}`, everybody))).toBe(200);
    expect(await status(ann.call('POST', '/v1/flags/flags', flagOn(free)))).toBe(409);
    expect(await status(ann.call('PUT', `/v1/segments/segments/${free}`, { ...everybody, version: 2 }))).toBe(409);
    await clear();
  });

  it('is not changed by a list', async () => {
    const response = await gateway.call(key, 'POST', '/v1/segments/segments', {
      key: 'vips',
      name: 'V',
      kind: 'static',
    });
    const { data }: { data: { segment_id: string } } = JSON.parse(await response.text());
    made += 1;
    await flag(data.segment_id);
    const loaded = await ann.call('PUT', `/v1/segments/segments/${data.segment_id}/members`, 'leo', {
      'Content-Type': 'text/csv',
    });
    expect([loaded.status, await loaded.text()]).toEqual([409, expect.stringContaining('another static segment')]);
  });
});

describe('the places for changes that wait', () => {
  it('are shared between people, and expire', async () => {
    const name = await flag(await segment());
    const rename = (person: SignedInPerson, n: number) =>
      person.call('PATCH', `/v1/flags/flags/${name}`, { name: `Name ${n}` });
    for (let n = 0; n < APPROVAL_LIMITS.proposalsOfUser; n += 1) await rename(ann, n);
    expect(await (await rename(ann, 1_000)).text()).toContain('of your changes wait already');
    expect(await (await rename(bob, 1_000)).text()).toContain('second person');
    expect(waiting()).toHaveLength(APPROVAL_LIMITS.proposalsOfUser + 1);
    for (const { key: id, document } of waiting()) {
      const createdAt = systemClock.wallMs() - APPROVAL_LIMITS.proposalKeptMs;
      await gateway.config.put(
        { game: 'demo', environment: 'live', kind: 'proposal', key: id },
        { ...document, createdAt },
      );
    }
    const old = waiting()[0]?.key ?? '';
    expect(await status(bob.call('POST', `/v1/console/approvals/${old}/approve`))).toBe(404);
    expect(await (await rename(ann, 1_000)).text()).toContain('second person');
    expect(waiting()).toHaveLength(1);
    await clear();
  });

  it('are left with 409 by a rejection while somebody approves, never with 503', async () => {
    const name = await flag(await segment());
    await ann.call('PATCH', `/v1/flags/flags/${name}`, { name: 'New' });
    const [held] = waiting();
    if (held === undefined) throw new Error('nothing waits');
    const address = { game: 'demo', environment: 'live', kind: 'proposal', key: held.key } as const;
    const remove = gateway.config.delete.bind(gateway.config);
    // Somebody approves before the rejection is stored, so the revision of the rejection is an old one.
    gateway.config.delete = async () => {
      const approving = { by: bob.id, at: systemClock.wallMs() };
      await gateway.config.put(address, { ...held.document, approving });
      return false;
    };
    const rejected = await status(ann.call('DELETE', `/v1/console/approvals/${held.key}`));
    gateway.config.delete = remove;
    expect(rejected).toBe(409);
    await clear();
  });
});

describe('an admin', () => {
  it('turns a flag off alone with a reason that the audit shows, and nobody else does', async () => {
    const name = await flag(await segment());
    const off = (person: SignedInPerson, reason: string) =>
      status(person.call('POST', '/v1/console/turn-off', { kind: 'flag', key: name, reason }));
    expect([await off(ann, 'now'), await off(admin, ' '), await off(admin, 'It charges twice.')]).toEqual([
      403, 400, 200,
    ]);
    const stored = gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: name });
    expect(stored?.document.enabled).toBe(false);
    expect(await status(admin.call('PATCH', `/v1/flags/flags/${name}`, { enabled: true }))).toBe(409);
    expect(await status(admin.call('GET', `/v1/players/players/${PLAYER}`))).toBe(200);
    await admin.call('GET', `/v1/players/players/${PLAYER}`);
    const reader = broker.connect('reader').read('AUDIT', { from: 1, onWaiting: () => {} });
    const found: ReturnType<typeof decodeAuditEntries> = [];
    await until('the entries are there', () => {
      for (const { data } of reader.take(10_000)) found.push(...decodeAuditEntries(data));
      return found.some(({ action, outcome }) => action === 'read' && outcome === 'stored');
    });
    reader.stop();
    const done = found.filter(({ outcome, actor }) => outcome === 'stored' && actor.id === admin.id);
    expect(done.find(({ action }) => action === 'turned_off_alone')).toMatchObject({
      kind: 'flag',
      key: name,
      after: expect.stringContaining('It charges twice.'),
    });
    expect(done.some(({ action, key: of }) => action === 'disabled' && of === name)).toBe(true);
    // A screen reads again and again: one entry says it.
    expect(done.filter(({ action, playerId }) => action === 'read' && playerId === PLAYER)).toHaveLength(1);
  });
});
