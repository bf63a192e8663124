import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { APPROVAL_LIMITS } from '../../../src/api/approvals/limits.ts';
import { decodeAuditEntries } from '../../../core/codec/codec.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { auditIn } from '../../support/in-memory/audit-in.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* Nobody goes around an approval by what a flag uses, takes all its places, or is helpless when a flag burns. */

let broker: MemoryBroker;
let gateway: Gateway;
let ann: SignedInPerson;
let bob: SignedInPerson;
let admin: SignedInPerson;
let viewer: SignedInPerson;
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
  viewer = await people.signedIn(grant('viewer'));
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
    expect(
      await status(ann.call('PUT', `/v1/segments/segments/${free}`, { ...everybody, enabled: false, version: 2 })),
    ).toBe(409);
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

describe('a player that is erased', () => {
  it('is named by no change that waits, and not by the audit of one', async () => {
    await clear();
    const [used, id, other] = [await segment(), PLAYER.toUpperCase(), PLAYER.replace('3f', '4f')];
    const name = await flag(used);
    const lists = { name: 'S', conditions: {}, includes: [id, other], version: 1 };
    expect(await status(ann.call('PUT', `/v1/segments/segments/${used}`, lists))).toBe(409);
    const override = (player: string) => `/v1/flags/flags/${name}/overrides/${player}`;
    for (const player of [id, other])
      expect(await status(ann.call('PUT', override(player), { value: true }))).toBe(409);
    expect(await status(gateway.call(key, 'DELETE', `/v1/players/players/${PLAYER}`))).toBe(200);
    const texts = JSON.stringify(waiting().map(({ document }) => document));
    expect([waiting().length, texts.toLowerCase().includes(PLAYER), texts.includes(other)]).toEqual([2, false, true]);
    expect(waiting().map(({ document }) => Object(document.body).includes)).toEqual([[other], undefined]);
    const entries = (await auditIn(broker)).filter((entry) => entry.kind === 'proposal' && entry.key !== '');
    expect(entries.find(({ after }) => after.includes('"includes"'))?.after).toContain('"includes":{"players":2}');
    await clear();
  });
});

describe('what no player notices', () => {
  it('does not wait: names, descriptions and labels, also in a PUT of the same definition', async () => {
    const used = await segment();
    const name = await flag(used);
    const labels = { name: 'Renamed', description: 'For payers', owner: 'economy', tags: ['shop'], note: 'Ask Ann' };
    expect(await status(ann.call('PATCH', `/v1/flags/flags/${name}`, labels))).toBe(200);
    const path = `/v1/segments/segments/${used}`;
    const same = { name: 'Renamed', conditions: { is_payer: true }, tags: ['shop'] };
    expect(await status(ann.call('PUT', path, { ...same, version: 1 }))).toBe(200);
    // Without a version it may take back what is approved in between, and another condition is for players.
    expect([
      await status(ann.call('PUT', path, same, { 'If-Match': '*' })),
      await status(ann.call('PUT', path, { ...same, conditions: {}, version: 2 })),
      // What a PUT leaves out gets its default: all players.
      await status(ann.call('PUT', path, { name: 'Renamed', version: 2 })),
      await status(ann.call('PATCH', `/v1/flags/flags/${name}`, { ...labels, enabled: false })),
    ]).toEqual([409, 409, 409, 409]);
    expect(waiting()).toHaveLength(4);
    await clear();
  });
});

describe('the places for changes that wait', () => {
  it('are shared between people, and expire', async () => {
    const name = await flag(await segment());
    const rename = (person: SignedInPerson, n: number) =>
      person.call('PATCH', `/v1/flags/flags/${name}`, { name: `Name ${n}`, enabled: false });
    for (let n = 0; n < APPROVAL_LIMITS.proposalsOfUser; n += 1) await rename(ann, n);
    expect(await (await rename(ann, 1_000)).text()).toContain('of your changes wait already');
    expect(await (await rename(bob, 1_000)).text()).toContain('second person');
    expect(waiting()).toHaveLength(APPROVAL_LIMITS.proposalsOfUser + 1);
    for (const { key: id, document } of waiting()) {
      const createdAt = systemClock.wallMs() - APPROVAL_LIMITS.proposalDays * 24 * 3_600_000;
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

  it('last for the days that the game says', async () => {
    const held = gateway.config.get(gameAddress('demo'));
    if (held === undefined) throw new Error('there is no game');
    await gateway.config.put(gameAddress('demo'), { ...held.document, approvalDays: 2 });
    const name = await flag(await segment());
    expect(await status(ann.call('PATCH', `/v1/flags/flags/${name}`, { enabled: false }))).toBe(409);
    const id = waiting()[0]?.key ?? '';
    const address = { game: 'demo', environment: 'live', kind: 'proposal', key: id } as const;
    const proposal = gateway.config.get(address)?.document;
    if (proposal === undefined) throw new Error('nothing waits');
    const { data }: { data: { approvals: { expires_at: string }[] } } = JSON.parse(
      await (await bob.call('GET', '/v1/console/approvals')).text(),
    );
    expect(Date.parse(data.approvals[0]?.expires_at ?? '')).toBe(proposal.createdAt + 48 * 3_600_000);
    await gateway.config.put(address, { ...proposal, createdAt: proposal.createdAt - 48 * 3_600_000 });
    expect(await status(bob.call('POST', `/v1/console/approvals/${id}/approve`))).toBe(404);
    await gateway.config.put(gameAddress('demo'), held.document);
    await clear();
  });

  it('are never all taken: whoever has no change that waits may propose one', async () => {
    const name = await flag(await segment());
    const full = {
      change: 'flag.patch',
      params: { key: 'any' },
      version: 1,
      key: 'any',
      createdAt: systemClock.wallMs(),
    };
    for (let n = 0; n < APPROVAL_LIMITS.proposals; n += 1) {
      const id = `019bc0de-0000-7abc-8def-${String(n).padStart(12, '0')}`;
      const document = { ...full, id, by: { id: `user-${n}`, email: '' } };
      await gateway.config.put({ game: 'demo', environment: 'live', kind: 'proposal', key: id }, document);
    }
    const change = (n: number) => ann.call('PATCH', `/v1/flags/flags/${name}`, { enabled: false, name: `Name ${n}` });
    expect(await (await change(1)).text()).toContain('second person');
    expect(await (await change(2)).text()).toContain(`${APPROVAL_LIMITS.proposals} changes of this game wait already`);
    await clear();
  });

  it('are left with 409 by a rejection while somebody approves, never with 503', async () => {
    const name = await flag(await segment());
    await ann.call('PATCH', `/v1/flags/flags/${name}`, { enabled: false });
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

describe('breaking the glass', () => {
  it('stops an experiment alone', async () => {
    const flagKey = await flag(await segment());
    const experiment = {
      key: `exp_${made}`,
      flag_key: flagKey,
      variants: [
        { key: 'false', weight: 1 },
        { key: 'true', weight: 1 },
      ],
    };
    const path = `/v1/experiments/experiments/${experiment.key}`;
    expect(await status(gateway.call(key, 'POST', '/v1/experiments/experiments', experiment))).toBe(201);
    expect(await status(gateway.call(key, 'POST', `${path}/start`))).toBe(200);
    expect(await status(ann.call('POST', `${path}/stop`))).toBe(409);
    const off = { kind: 'experiment', key: experiment.key, reason: 'Revenue fell.' };
    expect(await status(ann.call('POST', '/v1/console/turn-off', off))).toBe(200);
    const stored = gateway.config.get({ game: 'demo', environment: 'live', kind: 'experiment', key: experiment.key });
    expect(stored?.document.state).toBe('stopped');
    await clear();
  });

  it('turns a flag off alone, by whoever may change it, with a reason that the audit shows', async () => {
    const name = await flag(await segment());
    const off = (person: SignedInPerson, reason: string) =>
      status(person.call('POST', '/v1/console/turn-off', { kind: 'flag', key: name, reason }));
    expect([
      await off(viewer, 'It charges twice.'),
      await off(ann, ' '),
      await off(ann, 'It charges twice.'),
      // Webhooks are for admins.
      await status(ann.call('POST', '/v1/console/turn-off', { kind: 'webhook', key: 'any', reason: 'It floods us.' })),
    ]).toEqual([403, 400, 200, 403]);
    const stored = gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: name });
    expect(stored?.document.enabled).toBe(false);
    expect(await status(ann.call('PATCH', `/v1/flags/flags/${name}`, { enabled: true }))).toBe(409);
    expect(await status(admin.call('GET', `/v1/players/players/${PLAYER}`))).toBe(200);
    await admin.call('GET', `/v1/players/players/${PLAYER}`);
    const reader = broker.connect('reader').read('AUDIT', { from: 1, onWaiting: () => {} });
    const found: ReturnType<typeof decodeAuditEntries> = [];
    await until('the entries are there', () => {
      for (const { data } of reader.take(10_000)) found.push(...decodeAuditEntries(data));
      return found.some(({ action, outcome }) => action === 'read' && outcome === 'stored');
    });
    reader.stop();
    const stopped = found.filter(({ outcome, actor }) => outcome === 'stored' && actor.id === ann.id);
    expect(stopped.find(({ action, kind }) => action === 'broke_glass' && kind === 'flag')).toMatchObject({
      kind: 'flag',
      key: name,
      after: expect.stringContaining('It charges twice.'),
    });
    expect(stopped.some(({ action, key: of }) => action === 'disabled' && of === name)).toBe(true);
    const done = found.filter(({ outcome, actor }) => outcome === 'stored' && actor.id === admin.id);
    // A screen reads again and again: one entry says it.
    expect(done.filter(({ action, playerId }) => action === 'read' && playerId === PLAYER)).toHaveLength(1);
  });
});
