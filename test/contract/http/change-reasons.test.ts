import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { AuditEntry } from '../../../core/vocabulary/records/audit-entry.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createPeople, type SignedInPerson } from '../../support/browser/console-people.ts';
import { auditIn } from '../../support/in-memory/audit-in.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Why something was changed (`X-Change-Reason`): in the audit, in proposals, and asked for by a game. */

let broker: MemoryBroker;
let gateway: Gateway;
let key: string;
let ann: SignedInPerson;
let bob: SignedInPerson;
let admin: SignedInPerson;

beforeAll(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  gateway = await startGateway({
    log: broker.connect('gateway'),
    config: { corsOrigins: [], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  key = await gateway.key();
  const people = createPeople(gateway);
  const grant = { game: 'demo', environment: '*' } as const;
  ann = await people.signedIn({ ...grant, role: 'editor' });
  bob = await people.signedIn({ ...grant, role: 'editor' });
  admin = await people.signedIn({ ...grant, role: 'admin' });
});
afterAll(() => gateway.close());

async function set(settings: { approval?: boolean; changeReason?: boolean }): Promise<void> {
  const held = gateway.config.get(gameAddress('demo'));
  if (held === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...held.document, ...settings });
}

async function flag(name: string): Promise<string> {
  const made = await gateway.call(key, 'POST', '/v1/flags/flags', { key: name, flag_type: 'boolean', enabled: false });
  expect(made.status).toBe(201);
  return `/v1/flags/flags/${name}`;
}

/** The latest stored entry about a thing. */
async function latest(thing: string, action: string): Promise<AuditEntry> {
  let found: AuditEntry | undefined;
  await until(`the entry about ${thing}`, async () => {
    const entries = await auditIn(broker);
    found = entries.findLast((one) => one.key === thing && one.action === action && one.outcome === 'stored');
    return found !== undefined;
  });
  if (found === undefined) throw new Error('it was found');
  return found;
}

const why = (text: string) => ({ 'X-Change-Reason': text });
const enable = { enabled: true };

describe('the reason of a change', () => {
  it.each([
    ['plain', 'Shop is ready', 'Shop is ready'],
    ['encoded', encodeURIComponent('für 20 % der Spieler 🎉'), 'für 20 % der Spieler 🎉'],
    ['with-a-sign', '20 % of players', '20 % of players'],
    ['longest', 'x'.repeat(500), 'x'.repeat(500)],
    ['blank', '  ', ''],
  ])('%s is in the audit, with the whole definition', async (name, sent, kept) => {
    const path = await flag(name);
    expect((await gateway.call(key, 'PATCH', path, enable, why(sent))).status).toBe(200);
    const entry = await latest(name, 'enabled');
    expect(entry.reason).toBe(kept);
    expect(entry.definition?.version).toBe(2);
    const held = gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: name })?.document;
    const { writes: _, periods: __, ...document } = held ?? { writes: [], periods: [] };
    expect(JSON.parse(entry.definition?.document ?? '')).toEqual(document);
    expect((await latest(name, 'created')).reason).toBe('');
  });

  it('is refused when it is too long, and changes nothing', async () => {
    const path = await flag('too-long');
    const { status, error } = await answerOf(gateway.call(key, 'PATCH', path, enable, why('x'.repeat(501))));
    expect([status, error.details.fields[0]?.path]).toEqual([400, 'X-Change-Reason']);
    expect((await bodyOf(await gateway.call(key, 'GET', path))).data['version']).toBe(1);
  });

  it('is refused with U+0000, as every text is', async () => {
    const path = await flag('with-nul');
    const { status, error } = await answerOf(gateway.call(key, 'PATCH', path, enable, why('a%00b')));
    expect([status, error.details.fields[0]?.path]).toEqual([400, 'X-Change-Reason']);
  });

  it('of a deletion is in the audit, with the version after that of the deleted one', async () => {
    const body = { key: 'gone', event: 'e', aggregate: 'count' };
    expect((await gateway.call(key, 'POST', '/v1/properties/properties', body)).status).toBe(201);
    expect((await gateway.call(key, 'DELETE', '/v1/properties/properties/gone', undefined, why('Unused'))).status).toBe(
      200,
    );
    expect(await latest('gone', 'deleted')).toMatchObject({
      reason: 'Unused',
      definition: { version: 2, document: '' },
    });
  });
});

describe('a game that asks why', () => {
  it('refuses changes of live definitions without a reason, and takes them with one', async () => {
    const path = await flag('asked');
    const test = await gateway.key({ environment: 'test' });
    await set({ changeReason: true });
    const refused = await answerOf(gateway.call(key, 'PATCH', path, enable));
    expect([refused.status, refused.error.details.fields[0]?.path]).toEqual([400, 'X-Change-Reason']);
    expect((await gateway.call(key, 'PATCH', path, enable, why(' '))).status).toBe(400);
    expect((await gateway.call(key, 'DELETE', path)).status).toBe(400);
    expect((await gateway.call(key, 'PATCH', path, enable, why('Ready'))).status).toBe(200);
    expect((await gateway.call(key, 'GET', path)).status).toBe(200);
    const body = { key: 'asked', flag_type: 'boolean' };
    expect((await gateway.call(test, 'POST', '/v1/flags/flags', body)).status).toBe(201);
    const off = { kind: 'flag', key: 'asked', reason: 'It charges twice: 100 %' };
    expect((await admin.call('POST', '/v1/console/turn-off', off)).status).toBe(200);
    expect((await latest('asked', 'disabled')).reason).toBe('It charges twice: 100 %');
    await set({ changeReason: false });
  });

  it('keeps the reason of a change that waits, for whoever approves it and for the audit', async () => {
    const path = await flag('waits');
    await set({ changeReason: true, approval: true });
    const proposed = await answerOf(ann.call('PATCH', path, enable, why('Bereit für alle'.replace('ü', '%C3%BC'))));
    expect(proposed.status).toBe(409);
    const [waiting] = gateway.config.list('proposal', 'demo', 'live');
    const id = waiting?.key;
    const listed = await bodyOf(await bob.call('GET', '/v1/console/approvals'));
    expect(listed.data['approvals']).toMatchObject([{ id, reason: 'Bereit für alle' }]);
    expect((await bob.call('POST', `/v1/console/approvals/${id}/approve`)).status).toBe(200);
    const entry = await latest('waits', 'enabled');
    expect([entry.reason, entry.actor.name]).toEqual(['Bereit für alle', bob.email]);
    await set({ changeReason: false, approval: false });
  });

  it('refuses a stale version in the body before the change waits', async () => {
    const path = await flag('stale');
    await set({ approval: true });
    const { status } = await answerOf(ann.call('PATCH', path, { ...enable, version: 7 }));
    expect(status).toBe(412);
    const put = await answerOf(ann.call('PUT', path, { flag_type: 'boolean' }));
    expect(put.status).toBe(428);
    expect(gateway.config.list('proposal', 'demo', 'live')).toEqual([]);
    await set({ approval: false });
  });
});

async function answerOf(response: Promise<Response>) {
  const answered = await response;
  return { status: answered.status, ...(await bodyOf(answered)) };
}
