import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import { playerTokensAddress } from '../../../streams/config/player-tokens.ts';
import type { Backend } from '../../../src/api/route/backend.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* Guests that are merged into accounts, over HTTP. The owners decide in memory. */

const SECRET = 'ptsec_test';

let owner: DecidingBackend;
let lost: (body: CommandBody) => boolean;
let gateway: Gateway;
let client: string;
let server: string;
let guest: string;
let account: string;

/** Owners whose replies may be lost: the command is decided, and the gateway learns nothing. */
function losingReplies(backend: Backend): Backend {
  return {
    ...backend,
    async send(origin, entityId, body) {
      const reply = await backend.send(origin, entityId, body);
      return lost(body) ? failure('SERVICE_UNAVAILABLE') : reply;
    },
  };
}

beforeEach(async () => {
  lost = () => false;
  owner = createDecidingBackend(systemClock);
  gateway = await startGateway({ backend: losingReplies(owner) });
  client = await gateway.key({ kind: 'client' });
  server = await gateway.key();
  guest = await register({ external_id: 'guest', attributes: { tutorial: 'done', level: 1 } });
  account = await register({ external_id: 'account', attributes: { level: 7 } });
  await gateway.config.put(playerTokensAddress('demo'), { secret: SECRET });
});
afterEach(() => gateway.close());

const players = (id: string) => `/v1/players/players/${id}`;

async function call(method: string, path: string, body?: unknown, key = server, headers: Record<string, string> = {}) {
  const response = await gateway.call(key, method, path, body, headers);
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, error, headers: response.headers };
}

async function register(body: Record<string, unknown>): Promise<string> {
  return String((await call('POST', '/v1/players/players', body)).data['id']);
}

const merge = (id = guest, into = account, key = server, headers: Record<string, string> = {}, more = {}) =>
  call('POST', `${players(id)}/merge`, { into, ...more }, key, headers);

function token(sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub, exp: Math.floor(Date.now() / 1_000) + 60 };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
}

const track = (playerId: string, eventId: string, key = client) =>
  call('POST', '/v1/events/events', { player_id: playerId, event_name: 'win', event_id: eventId }, key);

const tracked = () => owner.facts.filter((fact) => fact.kind === 'EventTracked' && fact.eventName === 'win').length;

describe('a merge', () => {
  it('makes the guest a name of the account, which gets what the guest had', async () => {
    await call('POST', `${players(guest)}/purchase?amount=5&transaction_id=t1`);
    await call('POST', `${players(account)}/purchase?amount=2&transaction_id=t2`);
    const merged = await merge();
    expect(merged).toMatchObject({
      status: 200,
      data: { player_id: account, external_id: 'account', guest: { id: guest, external_id: 'guest' } },
    });
    const { data } = await call('GET', players(guest));
    expect(data).toMatchObject({
      id: account,
      external_id: 'account',
      total_revenue: 7,
      attributes: { tutorial: 'done', level: 7 },
      merged_players: [{ id: guest, external_id: 'guest', merge_id: merged.data['merge_id'] }],
    });
    expect((await call('GET', '/v1/players/players/external/guest')).data['id']).toBe(account);
  });

  it('answers a repeat with the same merge, and 409 for another account', async () => {
    const first = await merge();
    expect((await merge()).data).toEqual(first.data);
    expect((await merge(guest, 'account')).data).toEqual(first.data);
    const other = await register({ external_id: 'other' });
    expect(await merge(guest, other)).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
  });

  it('is 404 without the guest or the account, and 400 into itself', async () => {
    const unknown = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
    expect(await merge(unknown)).toMatchObject({ status: 404, error: { code: 'PLAYER_NOT_FOUND' } });
    expect(await merge(guest, unknown)).toMatchObject({
      status: 404,
      error: { message: expect.stringContaining('into') },
    });
    expect(await merge(guest, guest)).toMatchObject({ status: 400 });
    expect((await call('GET', players(guest))).data['external_id']).toBe('guest');
  });

  it.each(['BeginMerge', 'AbsorbPlayer', 'FinishMerge'] as const)(
    'goes on with the next request of the guest when the reply to %s was lost',
    async (kind) => {
      lost = (body) => body.kind === kind;
      expect((await merge()).status).toBe(503);
      lost = () => false;
      expect(await track(guest, 'e1')).toMatchObject({ status: 200, data: { player_id: account } });
      expect((await merge()).status).toBe(200);
      expect(owner.facts.filter((fact) => fact.kind === 'PlayerAbsorbed')).toHaveLength(1);
    },
  );
});

describe('requests that name a merged guest', () => {
  it('track events of the account, each once whichever id it is sent under', async () => {
    await track(guest, 'before');
    await merge();
    expect((await track(guest, 'before')).data['player_id']).toBe(account);
    await track(account, 'before');
    await track(guest, 'after');
    await track(account, 'after');
    expect(tracked()).toBe(2);
  });

  it('keep the order and results of a batch with events of both, also when it is repeated', async () => {
    await merge();
    const events = [guest, account, guest, '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11'].map((id, place) => ({
      player_id: id,
      event_name: 'win',
      ...(place === 2 ? { event_id: 'own' } : {}),
    }));
    const batch = () => call('POST', '/v1/events/events/batch', { events }, client, { 'Idempotency-Key': 'batch-1' });
    const first = await batch();
    expect(first.data).toMatchObject({ accepted: 3, rejected: 1 });
    expect(first.data['results']).toMatchObject([
      { index: 0, status: 'accepted' },
      { index: 1, status: 'accepted' },
      { index: 2, status: 'accepted' },
      { index: 3, status: 'rejected' },
    ]);
    const repeat = await batch();
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.data).toEqual(first.data);
    expect(tracked()).toBe(3);
  });

  it('say of a batch which events could not be sent on', async () => {
    await merge();
    lost = (body) => body.kind === 'TrackEvents' && body.items.some(({ playerId }) => playerId === account);
    const other = await register({ external_id: 'other' });
    const events = [guest, other].map((id, place) => ({ player_id: id, event_name: 'win', event_id: `e${place}` }));
    const sent = await call('POST', '/v1/events/events/batch', { events }, client);
    expect(sent.data).toMatchObject({ accepted: 1, unavailable: 1, results: [{ status: 'unavailable' }, {}] });
  });

  it('open, sync and end sessions of the account', async () => {
    const open = await call('POST', '/v1/bff/game/init', { player_id: guest }, client);
    const session = { player_id: guest, session_id: open.data['session_id'] };
    await merge();
    const events = [{ event_name: 'win', event_id: 's1' }];
    expect(await call('POST', '/v1/bff/game/sync', { ...session, events }, client)).toMatchObject({ status: 200 });
    expect(
      await call(
        'POST',
        '/v1/bff/game/end-session',
        { ...session, session_duration_seconds: 4, final_events: events },
        client,
      ),
    ).toMatchObject({ status: 200, data: { session_summary: { total_events: 1 } } });
    expect((await call('POST', '/v1/bff/game/init', { player_id: guest }, client)).data['player']).toMatchObject({
      external_id: 'account',
    });
  });

  it('change and read the account: attributes, sessions, purchases, flags, lifecycle', async () => {
    await merge();
    await call('PATCH', players(guest), { attributes: { level: 8 } });
    await call('POST', `${players(guest)}/session`, { session_id: 's', duration_seconds: 9 });
    await call('POST', `${players(guest)}/purchase?amount=3&transaction_id=t`);
    await call('POST', `${players(guest)}/refund?transaction_id=t&amount=1`);
    expect((await call('GET', players(account))).data).toMatchObject({
      session_count: 1,
      total_revenue: 2,
      attributes: { level: 8 },
    });
    for (const path of ['lifecycle', 'churn-risk', 'flags', 'segments', 'campaigns']) {
      const read = await call('GET', `${players(guest)}/${path}`);
      expect([path, read.status, read.data['player_id']]).toEqual([path, 200, account]);
    }
    expect((await call('POST', '/v1/flags/flags/evaluate', { player_id: guest })).status).toBe(200);
    expect(await register({ external_id: 'guest', attributes: { level: 9 } })).toBe(account);
    expect((await call('GET', players(account))).data['external_id']).toBe('account');
  });

  it('find the account by the guest’s id and external_id', async () => {
    await merge();
    for (const search of [guest, 'guest']) {
      const { data } = await call('GET', `/v1/players/players?search=${search}`);
      expect(data['players']).toMatchObject([{ id: account, external_id: 'account', matched: 'guest' }]);
    }
  });

  it('stream the events of the account, with what the log has of the guest', async () => {
    await merge();
    const response = await gateway.call(server, 'GET', `/v1/events/events/stream?player_id=${guest}`);
    await response.body?.cancel();
    expect(gateway.feed.attached.at(-1)?.request).toMatchObject({ playerId: account, guestIds: [guest] });
  });

  it('erase the account and its guests', async () => {
    const second = await register({ external_id: 'second' });
    await merge();
    await merge(second);
    expect((await call('DELETE', players(guest))).data['player_id']).toBe(account);
    for (const id of [guest, second, account]) {
      expect([id, (await call('GET', players(id))).status]).toEqual([id, 404]);
      expect(owner.state(id)?.kind).toBe('erased');
    }
    expect(await register({ external_id: 'guest' })).toBe(guest);
  });

  it('reach the last account of a chain, which has at most 8 guests', async () => {
    let last = guest;
    const ids = [guest];
    for (let length = 1; length <= 8; length++) {
      const next = await register({ external_id: `account-${length}` });
      expect((await merge(last, next)).status).toBe(200);
      ids.push((last = next));
    }
    expect(await track(guest, 'far')).toMatchObject({ status: 200, data: { player_id: last } });
    const more = await register({ external_id: 'more' });
    expect(await merge(last, more)).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect((await merge(more, guest)).data['player_id']).toBe(last);
  });
});

describe('players that are merged into each other', () => {
  it('end as one player, whichever request wins', async () => {
    const answers = await Promise.all([merge(guest, account), merge(account, guest)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const ids = await Promise.all([guest, account].map(async (id) => (await call('GET', players(id))).data['id']));
    expect(new Set(ids).size).toBe(1);
  });

  it('of three, two are guests of one', async () => {
    const third = await register({ external_id: 'third' });
    await Promise.all([merge(guest, account), merge(account, third), merge(third, guest)]);
    const ids = await Promise.all(
      [guest, account, third].map(async (id) => (await call('GET', players(id))).data['id']),
    );
    expect(new Set(ids).size).toBe(1);
  });
});

describe('taking a merge back', () => {
  it('makes the guest a player again, and the account gives back what it brought', async () => {
    await call('POST', `${players(guest)}/purchase?amount=5&transaction_id=t1`);
    await merge();
    const undo = () => call('DELETE', `${players(guest)}/merge`);
    expect(await undo()).toMatchObject({ status: 200, data: { player_id: guest, account_id: account } });
    expect((await call('GET', players(guest))).data).toMatchObject({ id: guest, total_revenue: 5 });
    const { data } = await call('GET', players(account));
    expect(data).toMatchObject({ id: account, total_revenue: 0, attributes: { level: 7 } });
    expect(data).not.toHaveProperty('merged_players');
    expect(await undo()).toMatchObject({ status: 409 });
    expect((await merge()).status).toBe(200);
  });

  it.each(['BeginUnmerge', 'ReleaseGuest', 'FinishUnmerge'] as const)(
    'goes on when the reply to %s was lost',
    async (kind) => {
      await merge();
      lost = (body) => body.kind === kind;
      expect((await call('DELETE', `${players(guest)}/merge`)).status).toBe(503);
      lost = () => false;
      expect((await track(guest, 'again')).data['player_id']).toBe(guest);
      expect((await call('GET', players(guest))).data['id']).toBe(guest);
    },
  );

  it('is 409 once the account was merged on', async () => {
    await merge();
    const last = await register({ external_id: 'last' });
    await merge(account, last);
    expect(await call('DELETE', `${players(guest)}/merge`)).toMatchObject({ status: 409 });
    expect((await call('GET', players(guest))).data['id']).toBe(last);
  });
});

describe('a client key', () => {
  const own = () => ({ 'X-Player-Token': token('account') });

  it('merges into the account of its player token only', async () => {
    const proven = { guest_token: token('guest') };
    expect(await merge(guest, account, client, {}, proven)).toMatchObject({ status: 403 });
    const other = await register({ external_id: 'other' });
    expect(await merge(guest, other, client, own(), proven)).toMatchObject({ status: 403 });
    expect(await merge(guest, 'other', client, own(), proven)).toMatchObject({ status: 403 });
    expect(await merge(guest, 'account', client, own(), proven)).toMatchObject({ status: 200 });
    expect(await call('DELETE', `${players(guest)}/merge`, undefined, client, own())).toMatchObject({ status: 403 });
  });

  it('proves the guest too', async () => {
    expect(await merge(guest, account, client, own())).toMatchObject({ status: 403 });
    expect(await merge(guest, account, client, own(), { guest_token: token('other') })).toMatchObject({ status: 403 });
    expect(await merge(guest, account, client, own(), { guest_token: `${token('guest')}x` })).toMatchObject({
      status: 403,
    });
    expect(await merge(guest, account, client, own(), { guest_token: token('guest') })).toMatchObject({ status: 200 });
  });

  it('does not merge a player with an e-mail, a server’s purchase or guests of its own', async () => {
    const mailed = await register({ external_id: 'mailed', email: 'm@example.com' });
    const paying = await register({ external_id: 'paying' });
    await call('POST', `${players(paying)}/purchase?amount=1&transaction_id=t`);
    const absorbing = await register({ external_id: 'absorbing' });
    await merge(await register({ external_id: 'second' }), absorbing);
    for (const [id, name] of Object.entries({ [mailed]: 'mailed', [paying]: 'paying', [absorbing]: 'absorbing' })) {
      const refused = await merge(id, account, client, own(), { guest_token: token(name) });
      expect(refused).toMatchObject({ status: 403, error: { message: expect.stringContaining('only a server key') } });
    }
  });

  it('may still send what it kept of the guest, with the token of the account', async () => {
    await merge();
    const events = [{ player_id: guest, event_name: 'win', event_id: 'kept' }];
    expect((await call('POST', '/v1/events/events/batch', { events }, client, own())).data['accepted']).toBe(1);
    expect((await call('GET', players(guest), undefined, client, own())).data).not.toHaveProperty('merged_players');
    const other = await register({ external_id: 'other' });
    expect((await call('GET', players(other), undefined, client, own())).status).toBe(403);
  });
});
