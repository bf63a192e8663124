import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { AuditEntry } from '../../../core/vocabulary/records/audit-entry.ts';
import { createPeople } from '../../support/browser/console-people.ts';
import { auditIn } from '../../support/in-memory/audit-in.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* What the gateway writes to AUDIT. The console's part is in console.test.ts, that of ClickHouse in clickhouse/. */

let broker: MemoryBroker;
let gateway: Gateway;
let key: string;
/** Whether AUDIT refuses what it is given. */
let full = false;

beforeAll(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  const log = broker.connect('gateway');
  const append: typeof log.append = (subject, data, options) =>
    full && subject.startsWith('audit.')
      ? Promise.resolve({ kind: 'refused', reason: 'full', message: 'full' })
      : log.append(subject, data, options);
  gateway = await startGateway({ log: { ...log, append, connected: true } });
  key = await gateway.key();
});
afterAll(() => gateway.close());
beforeEach(() => {
  full = false;
});

const entries = (): Promise<AuditEntry[]> => auditIn(broker);

/** The entries about a thing, once its outcome is written. */
async function entriesOf(thing: string, count = 2): Promise<AuditEntry[]> {
  let found: AuditEntry[] = [];
  await until(`${count} entries about ${thing}`, async () => {
    found = (await entries()).filter((entry) => entry.key === thing || entry.after.includes(thing));
    return found.length >= count;
  });
  return found;
}

const FLAG = { key: 'shop', name: 'Shop', flag_type: 'boolean', enabled: false };

describe('a change of a definition', () => {
  it('is audited before it is made and with its outcome, with who, from where and what', async () => {
    expect((await gateway.call(key, 'POST', '/v1/flags/flags', FLAG)).status).toBe(201);
    expect((await gateway.call(key, 'PATCH', '/v1/flags/flags/shop', { enabled: true })).status).toBe(200);
    const found = await entriesOf('shop', 4);
    expect(found.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['created', 'begun'],
      ['created', 'stored'],
      ['enabled', 'begun'],
      ['enabled', 'stored'],
    ]);
    const [begun, stored] = found.slice(2);
    expect(stored).toEqual({ ...begun, outcome: 'stored' });
    expect(stored).toMatchObject({
      game: 'demo',
      environment: 'live',
      kind: 'flag',
      key: 'shop',
      network: '127.0.0.1',
      playerId: '',
      actor: { kind: 'key', name: '' },
    });
    expect(JSON.parse(stored?.before ?? '')).toMatchObject({ enabled: false, version: 1 });
    expect(JSON.parse(stored?.after ?? '')).toMatchObject({ enabled: true, version: 2 });
  });

  it('is not made while AUDIT takes no entry', async () => {
    full = true;
    const refused = await gateway.call(key, 'POST', '/v1/flags/flags', { ...FLAG, key: 'unaudited' });
    expect(refused.status).toBe(503);
    full = false;
    expect((await gateway.call(key, 'GET', '/v1/flags/flags/unaudited')).status).toBe(404);
  });

  it('has no entry if its request is not valid', async () => {
    const before = (await entries()).length;
    await gateway.call(key, 'POST', '/v1/flags/flags', { ...FLAG, key: 'wrong', flag_type: 'none' });
    await gateway.call(key, 'DELETE', '/v1/flags/flags/unknown-flag');
    await gateway.call(key, 'DELETE', '/v1/players/players/not-a-uuid');
    expect((await entries()).length).toBe(before);
  });
});

describe('what is done to a player', () => {
  const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

  it('is audited by its id, without what is known of the player', async () => {
    const path = `/v1/flags/flags/shop/overrides/${PLAYER.toUpperCase()}`;
    await gateway.call(key, 'PUT', path, { value: true });
    await until('it is there', async () => (await entries()).some(({ playerId }) => playerId === PLAYER));
    const [entry] = (await entries()).filter(({ playerId }) => playerId === PLAYER);
    expect(entry).toMatchObject({ kind: 'flag', key: 'shop', action: 'override_set', after: '{"value":true}' });
  });

  it('is audited also after a read that could not be audited, and so was not made', async () => {
    const reader = await createPeople(gateway).signedIn({ game: 'demo', environment: '*', role: 'viewer' });
    const id = '3f0f5a3e-8d7b-5c39-9a43-000000000001';
    const read = async () => (await reader.call('GET', `/v1/players/players/${id}`)).status;
    full = true;
    expect(await read()).toBe(503);
    full = false;
    expect([await read(), await read()]).toEqual([200, 200]);
    const found = await entriesOf(id);
    expect(found.map(({ action, outcome, actor }) => [action, outcome, actor.id])).toEqual([
      ['read', 'begun', reader.id],
      ['read', 'stored', reader.id],
    ]);
  });

  it('is not audited where servers do it all the time, nor are requests of games', async () => {
    const before = (await entries()).length;
    await gateway.call(key, 'PATCH', `/v1/players/players/${PLAYER}`, { attributes: { level: 3 } });
    await gateway.call(key, 'POST', '/v1/events/events', { event_name: 'a', player_id: PLAYER });
    await gateway.call(key, 'POST', '/v1/flags/flags/evaluate', { player_id: PLAYER });
    expect((await entries()).length).toBe(before);
  });
});

describe('the list of entries', () => {
  it('needs a server key with its scope', async () => {
    expect((await gateway.call(key, 'GET', '/v1/audit')).status).toBe(403);
    const client = await gateway.key({ kind: 'client', scopes: ['audit:read'] });
    expect((await gateway.call(client, 'GET', '/v1/audit')).status).toBe(403);
    const reader = await gateway.key({ scopes: ['audit:read'] });
    // This gateway has no ClickHouse.
    expect((await gateway.call(reader, 'GET', '/v1/audit')).status).toBe(503);
    expect((await gateway.call(reader, 'GET', '/v1/audit?cursor=x')).status).toBe(400);
  });
});
