import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Grant, Role } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { userAddress } from '../../../streams/config/people/users.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { auditIn } from '../../support/in-memory/audit-in.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* Who may plan changes, and who must approve them. */

const HOUR = 3_600_000;
const clock = { ...systemClock, aheadMs: 0, wallMs: () => systemClock.wallMs() + clock.aheadMs };
const grant = (role: Role): Grant => ({ game: 'demo', environment: '*', role });

let broker: MemoryBroker;
let gateway: Gateway;
let ann: SignedInPerson;
let bob: SignedInPerson;
let cora: SignedInPerson;
let viewer: SignedInPerson;
let count = 0;
let flag: string;

beforeAll(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  gateway = await startGateway({
    log: broker.connect('gateway'),
    clock,
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  const people = createPeople(gateway);
  ann = await people.signedIn(grant('editor'));
  bob = await people.signedIn(grant('editor'));
  cora = await people.signedIn(grant('editor'));
  viewer = await people.signedIn(grant('viewer'));
});
afterAll(() => gateway.close());

beforeEach(async () => {
  count += 1;
  flag = `flag_${count}`;
  const body = { key: flag, name: 'F', flag_type: 'boolean', targeting_rules: [{ name: 'New', percentage: 1 }] };
  expect((await gateway.call(await gateway.key(), 'POST', '/v1/flags/flags', body)).status).toBe(201);
  for (const { key } of gateway.config.list('proposal')) {
    await gateway.config.delete({ game: 'demo', environment: 'live', kind: 'proposal', key });
  }
});

async function setApproval(approval: boolean): Promise<void> {
  const held = gateway.config.get(gameAddress('demo'));
  if (held === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...held.document, approval });
}

const path = (more = '') => `/v1/flags/flags/${flag}/schedule${more}`;
const STEPS = {
  rollout: {
    steps: [
      { percentage: 5, after: '1h' },
      { percentage: 20, after: '1h' },
    ],
  },
};
const changes = () =>
  gateway.config.get({ game: 'demo', environment: 'live', kind: 'schedule', key: `flag.${flag}` })?.document.changes;
const states = () => (changes() ?? []).map(({ state }) => state);
const stored = () => gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: flag })?.document;

async function proposed(response: Promise<Response>): Promise<string> {
  const { error }: { error: { details: { approval_id: string } } } = JSON.parse(await (await response).text());
  return error.details.approval_id;
}
const approve = (person: SignedInPerson, id: string) => person.call('POST', `/v1/console/approvals/${id}/approve`);

describe('in a game that wants a second person', () => {
  it('a plan is approved once, and each step is made in the name of the approver', async () => {
    await setApproval(true);
    const id = await proposed(ann.call('POST', path(), STEPS));
    expect([states(), (await approve(ann, id)).status]).toEqual([[], 403]);
    expect((await approve(bob, id)).status).toBe(200);
    expect(states()).toEqual(['pending', 'pending']);
    clock.aheadMs += 2 * HOUR;
    await until('both are made', () => states().every((state) => state === 'made'));
    expect([stored()?.rules[0]?.percentage, gateway.config.list('proposal').length]).toEqual([20, 0]);
    const made = (await auditIn(broker)).filter(
      ({ kind, key, outcome }) => kind === 'flag' && key === flag && outcome === 'stored',
    );
    expect(made.slice(1).map(({ actor }) => actor.name)).toEqual([bob.email, bob.email]);
  });

  it('a plan whose approval was lost in between is planned once', async () => {
    await setApproval(true);
    const id = await proposed(ann.call('POST', path(), STEPS));
    const remove = gateway.config.delete.bind(gateway.config);
    gateway.config.delete = async () => false;
    expect((await approve(bob, id)).status).toBe(200);
    gateway.config.delete = remove;
    expect([(await approve(bob, id)).status, states()]).toEqual([200, ['pending', 'pending']]);
  });

  it('a cancellation waits, and holding a roll-out does not', async () => {
    await setApproval(false);
    expect((await ann.call('POST', path(), STEPS)).status).toBe(201);
    await setApproval(true);
    const cancelled = await ann.call('DELETE', path(`/${changes()?.[0]?.id}`));
    expect([cancelled.status, gateway.config.list('proposal').length, states()]).toEqual([
      409,
      1,
      ['pending', 'pending'],
    ]);
    expect((await ann.call('POST', path('/hold'))).status).toBe(200);
    expect(states()).toEqual(['held', 'held']);
  });

  it('a plan that nobody approved fails, also if the game asked for approvals later', async () => {
    await setApproval(false);
    expect((await ann.call('POST', path(), STEPS)).status).toBe(201);
    await setApproval(true);
    clock.aheadMs += 2 * HOUR;
    await until('both have failed', () => states().every((state) => state === 'failed'));
    expect([stored()?.version, changes()?.[0]?.ended?.why]).toEqual([1, expect.stringContaining('second person')]);
  });

  it('plans of keys are made: keys are no people', async () => {
    await setApproval(true);
    expect((await gateway.call(await gateway.key(), 'POST', path(), STEPS)).status).toBe(201);
    clock.aheadMs += 2 * HOUR;
    await until('both are made', () => states().every((state) => state === 'made'));
  });

  it('a segment that only an approved plan or a proposal names waits, by its id and by its key', async () => {
    await setApproval(true);
    const key = await gateway.key();
    const made = async (name: string) => {
      const body = { key: `${name}_${count}`, name: 'S', conditions: { is_payer: true } };
      const created = await gateway.call(key, 'POST', '/v1/segments/segments', body);
      const { data }: { data: { segment_id: string } } = JSON.parse(await created.text());
      return { id: data.segment_id, key: body.key };
    };
    const [byId, byKey, proposedByKey, free] = [
      await made('a'),
      await made('b'),
      await made('c'),
      await made('c_free'),
    ];
    const rule = (rest: object) => [{ name: 'New', percentage: 100, ...rest }];
    const changes = [
      { after: '1d', patch: { targeting_rules: rule({ conditions: { $inSegment: [byKey.key] } }) } },
      { after: '30d', patch: { targeting_rules: rule({ segment_id: byId.id }) } },
    ];
    const planned = await proposed(ann.call('POST', path(), { changes }));
    expect((await approve(bob, planned)).status).toBe(200);
    const named = { targeting_rules: rule({ conditions: { $not: { $inSegment: [proposedByKey.key] } } }) };
    expect((await ann.call('PATCH', `/v1/flags/flags/${flag}`, named)).status).toBe(409);
    const widened = async ({ id }: { id: string }) =>
      (await ann.call('PUT', `/v1/segments/segments/${id}`, { name: 'S', conditions: {}, version: 1 })).status;
    expect([await widened(byId), await widened(byKey), await widened(proposedByKey), await widened(free)]).toEqual([
      409, 409, 409, 200,
    ]);
  });

  it('a segment that is used by the time of its change needs one by then', async () => {
    await setApproval(true);
    const key = await gateway.key();
    const body = { key: `later_${count}`, name: 'S', conditions: { is_payer: true } };
    const created = await gateway.call(key, 'POST', '/v1/segments/segments', body);
    const { data }: { data: { segment_id: string } } = JSON.parse(await created.text());
    const at = `/v1/segments/segments/${data.segment_id}`;
    const planned = { changes: [{ after: '1h', patch: { conditions: { is_payer: false } } }] };
    // Nothing uses it, so the plan does not wait.
    expect((await ann.call('POST', `${at}/schedule`, planned)).status).toBe(201);
    const rules = [{ segment_id: data.segment_id, percentage: 100 }];
    await gateway.call(key, 'PATCH', `/v1/flags/flags/${flag}`, { targeting_rules: rules });
    clock.aheadMs += HOUR;
    const address = { game: 'demo', environment: 'live', kind: 'schedule', key: `segment.${data.segment_id}` } as const;
    await until('it has failed', () => gateway.config.get(address)?.document.changes[0]?.state === 'failed');
    const segment = gateway.config.get({ ...address, kind: 'segment', key: data.segment_id });
    expect(segment?.document).toMatchObject({ version: 1, conditions: { is_payer: true } });
  });
});

describe('whoever planned a change', () => {
  it('must still have the role', async () => {
    await setApproval(false);
    expect((await cora.call('POST', path(), STEPS)).status).toBe(201);
    const held = gateway.config.get(userAddress(cora.id));
    if (held === undefined) throw new Error('there is no such person');
    await gateway.config.put(userAddress(cora.id), { ...held.document, grants: [grant('viewer')] });
    clock.aheadMs += 2 * HOUR;
    await until('both have failed', () => states().every((state) => state === 'failed'));
    expect([stored()?.version, changes()?.[0]?.ended?.why]).toEqual([
      1,
      expect.stringContaining('no longer has the role'),
    ]);
  });

  it('is no revoked key; one that expired may have planned it', async () => {
    await setApproval(false);
    const soon = clock.wallMs() + HOUR / 2;
    const [gone, expiring] = [await gateway.key(), await gateway.key({ expiresAt: soon })];
    const change = (name: string, after: string) => ({ changes: [{ after, patch: { name } }] });
    expect((await gateway.call(gone, 'POST', path(), change('Gone', '1h'))).status).toBe(201);
    expect((await gateway.call(expiring, 'POST', path(), change('Expired', '2h'))).status).toBe(201);
    await gateway.revoke(gone);
    clock.aheadMs += 2 * HOUR;
    await until('both have ended', () => !states().includes('pending'));
    expect([states(), stored()?.name, changes()?.[0]?.ended?.why]).toEqual([
      ['failed', 'made'],
      'Expired',
      expect.stringContaining('was revoked'),
    ]);
  });

  it('is an editor: viewers only read', async () => {
    expect([
      (await viewer.call('GET', path())).status,
      (await viewer.call('POST', path('/preview'), STEPS)).status,
      (await viewer.call('POST', path(), STEPS)).status,
      (await viewer.call('POST', path('/hold'))).status,
    ]).toEqual([200, 200, 403, 403]);
  });
});
