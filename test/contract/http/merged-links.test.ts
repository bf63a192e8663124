import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { playerTokensAddress } from '../../../streams/config/player-tokens.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* Messages of Segment's clients that merge players, and streams that are open during a merge. */

const SECRET = 'ptsec_test';

let owner: DecidingBackend;
let gateway: Gateway;
let client: string;
let server: string;

beforeEach(async () => {
  owner = createDecidingBackend(systemClock);
  gateway = await startGateway({ backend: owner });
  client = await gateway.key({ kind: 'client' });
  server = await gateway.key();
  await gateway.config.put(playerTokensAddress('demo'), { secret: SECRET });
});
afterEach(() => gateway.close());

async function send(key: string, batch: readonly object[], headers: Record<string, string> = {}): Promise<void> {
  const response = await gateway.call(key, 'POST', '/v1/batch', { batch }, headers);
  expect(response.status).toBe(200);
}

/** The id of the player that an external_id leads to; undefined: there is none. */
async function idOf(externalId: string): Promise<unknown> {
  const path = `/v1/players/players/external/${encodeURIComponent(externalId)}`;
  return (await bodyOf(await gateway.call(server, 'GET', path))).data?.['id'];
}

function token(sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256' })}.${part({ sub, exp: Math.floor(Date.now() / 1_000) + 60 })}`;
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
}

const before = { type: 'track', event: 'win', anonymousId: 'a1', messageId: 'm1' };
const identify = { type: 'identify', userId: 'u1', anonymousId: 'a1', messageId: 'm2' };

describe('an identify of a server key', () => {
  it('merges the anonymous player, once, wherever it stands in the batch', async () => {
    await send(server, [identify, before]);
    expect(await idOf('anonymous:a1')).toBe(await idOf('u1'));
    await send(server, [identify, before]);
    await send(server, [{ ...before, messageId: 'm3' }]);
    expect(owner.facts.filter(({ kind }) => kind === 'PlayerAbsorbed')).toHaveLength(1);
    expect(owner.facts.at(-1)).toMatchObject({ kind: 'EventTracked', entityId: await idOf('u1') });
  });

  it('counts an event once that is sent again with the user whom it was identified with', async () => {
    await send(server, [before, identify]);
    await send(server, [{ ...before, userId: 'u1' }]);
    await send(server, [before]);
    expect(owner.facts.filter((fact) => fact.kind === 'EventTracked' && fact.eventName === 'win')).toHaveLength(1);
  });

  it('registers no anonymous player that has sent nothing', async () => {
    await send(server, [identify]);
    expect(await idOf('anonymous:a1')).toBeUndefined();
  });

  it('leaves an anonymous player with the first who was identified with it', async () => {
    await send(server, [before, identify]);
    await send(server, [{ ...identify, userId: 'u2', messageId: 'm4' }]);
    expect(await idOf('anonymous:a1')).toBe(await idOf('u1'));
    expect(await idOf('u2')).not.toBe(await idOf('u1'));
  });
});

describe('an alias of a server key', () => {
  it('merges the anonymous player, or the registered one, that previousId names', async () => {
    await send(server, [before, { type: 'alias', userId: 'u1', previousId: 'a1', messageId: 'm2' }]);
    await send(server, [{ type: 'identify', userId: 'old', messageId: 'm3' }]);
    const alias = { type: 'alias', userId: 'u1', previousId: 'old', messageId: 'm4' };
    await send(server, [alias]);
    await send(server, [alias]);
    const all = await Promise.all(['u1', 'anonymous:a1', 'old'].map(idOf));
    expect(new Set(all).size).toBe(1);
    expect(owner.facts.filter(({ kind }) => kind === 'PlayerAbsorbed')).toHaveLength(2);
    expect(owner.facts.some(({ kind }) => kind === 'EventQuarantined')).toBe(false);
  });
});

describe('an identify of a client key', () => {
  it('only ties the players: it proves neither', async () => {
    await send(client, [before, identify]);
    expect(await idOf('anonymous:a1')).not.toBe(await idOf('u1'));
  });

  it('merges nothing with the player token of the player who is identified: the guest is not proven', async () => {
    await send(client, [before]);
    await send(client, [identify], { 'X-Player-Token': token('other') });
    expect(await idOf('u1')).toBeUndefined();
    await send(client, [identify], { 'X-Player-Token': token('u1') });
    expect(await idOf('anonymous:a1')).not.toBe(await idOf('u1'));
  });
});

describe('an event stream of a guest', () => {
  it('ends when the guest is merged, and when that is taken back, so that its reader resumes', async () => {
    const register = async (name: string) => {
      const response = await gateway.call(server, 'POST', '/v1/players/players', { external_id: name });
      return String((await bodyOf(response)).data['id']);
    };
    const [guest, account] = [await register('guest'), await register('account')];
    const open = async () => {
      const response = await gateway.call(server, 'GET', `/v1/events/events/stream?player_id=${guest}`);
      return { ended: response.text(), request: gateway.feed.attached.at(-1)?.request };
    };
    const first = await open();
    expect(first.request).toMatchObject({ playerId: guest });
    await gateway.call(server, 'POST', `/v1/players/players/${guest}/merge`, { into: account });
    await first.ended;
    const second = await open();
    expect(second.request).toMatchObject({ playerId: account, guestIds: [guest] });
    await gateway.call(server, 'DELETE', `/v1/players/players/${guest}/merge`);
    await second.ended;
    await until('no reader is left', () => gateway.feed.readers === 0);
  });
});
