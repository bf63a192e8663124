import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiKeyDocument, Tier } from '../../../core/vocabulary/documents/documents.ts';
import { type RunningService, startService } from '../../support/servers/running-service.ts';
import { openStream } from '../../support/wire/sse-client.ts';
import { until } from '../../support/until.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface KeyRequest {
  game: string;
  kind: ApiKeyDocument['kind'];
  environment?: Environment;
  tier?: Tier;
}

/** Creates a key with the operators' command line and waits until the service accepts it. */
async function makeKey({ game, kind, environment = 'live', tier = 'enterprise' }: KeyRequest): Promise<string> {
  const options = { game, kind, environment, tier };
  const key = await service.cli(
    'keys',
    'create',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  );
  await until('the service takes the key', async () => (await get(key, SOMEBODY)).status === 404);
  return key;
}

const SOMEBODY = '00000000-0000-4000-8000-000000000000';
const get = (key: string | undefined, id: string) => service.call(key, 'GET', `/v1/players/players/${id}`);
const track = (key: string | undefined, playerId: string, name = 'e') =>
  service.call(key, 'POST', '/v1/events/events', { player_id: playerId, event_name: name });

describe('authentication', () => {
  test('without a valid key every endpoint is 401 UNAUTHORIZED', async () => {
    const revoked = await makeKey({ game: 'demo', kind: 'server' });
    await service.cli('keys', 'revoke', revoked);
    await until('the key is revoked', async () => (await get(revoked, SOMEBODY)).status === 401);
    const { live } = service.keys;
    for (const key of [undefined, 'nonsense', revoked, `${live.server}x`, live.server.replace('_live_', '_test_')]) {
      for (const answer of [await get(key, SOMEBODY), await track(key, SOMEBODY)]) {
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
      }
    }
  });

  test('a client key gets 403 FORBIDDEN from server endpoints, which change nothing', async () => {
    const { client, server } = service.keys.live;
    const id = await service.player(server, 'guarded');
    for (const [method, path, body] of [
      ['GET', '/v1/players/players/external/guarded', undefined],
      ['PATCH', `/v1/players/players/${id}`, { attributes: { hacked: true } }],
      ['GET', '/v1/events/events/stream', undefined],
      ['POST', '/v1/integrations/webhooks', { name: 'x', url: 'https://example.com/', events: ['*'] }],
    ] as const) {
      const answer = await service.call(client, method, path, body);
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 403, 'FORBIDDEN']);
    }
    expect((await get(server, id)).body.data['attributes']).toEqual({});
  });
});

describe('rate limits', () => {
  test('a growth key gets 1000 requests a minute, then 429 with headers; other keys are not limited', async () => {
    const growth = await makeKey({ game: 'demo', kind: 'client', tier: 'growth' });
    const id = await service.player(growth, 'busy');
    const first = await track(growth, id);
    expect(first.headers.get('ratelimit-limit')).toBe('1000');
    // Every request of a client key counts, including the one that detected the key and the registration.
    const before = 2;
    expect(first.headers.get('ratelimit-remaining')).toBe(String(1_000 - before - 1));
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0);

    let sent = 1;
    const refused: Awaited<ReturnType<typeof track>>[] = [];
    let taken = 1;
    const sender = async (): Promise<void> => {
      while (sent < 1_020) {
        sent += 1;
        const answer = await track(growth, id);
        if (answer.status === 200) taken += 1;
        else refused.push(answer);
      }
    };
    await Promise.all(Array.from({ length: 16 }, sender));
    expect(taken).toBe(1_000 - before);
    for (const { status, body, headers } of refused) {
      expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(headers.get('ratelimit-limit')).toBe('1000');
      expect(headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(61);
    }
    expect((await track(service.keys.live.client, id)).status).toBe(200);
    await until('ClickHouse has what was accepted, and no more', async () => {
      const [row] = await service.sql<{ n: string }>(`SELECT count() AS n FROM events WHERE external_id = 'busy'`);
      return Number(row?.n) === taken + 1;
    });
  });
});

describe('isolation of environments and games', () => {
  test('live and test are separate: own players, 404 across, rows with their environment', async () => {
    const { live, test: testing } = service.keys;
    const ids = [await service.player(live.server, 'twin'), await service.player(testing.server, 'twin')] as const;
    expect(ids[0]).not.toBe(ids[1]);
    const streams = [
      await openStream(service.url, live.server),
      await openStream(service.url, testing.server),
    ] as const;
    for (const [key, own, foreign] of [
      [live, ids[0], ids[1]],
      [testing, ids[1], ids[0]],
    ] as const) {
      expect((await get(key.server, own)).status).toBe(200);
      const across = [
        await get(key.server, foreign),
        await track(key.client, foreign),
        await service.call(key.server, 'PATCH', `/v1/players/players/${foreign}`, { email: 'thief@example.com' }),
      ];
      expect(across.map(({ status, body }) => [status, body.error.code])).toEqual(
        across.map(() => [404, 'PLAYER_NOT_FOUND']),
      );
    }
    await track(live.client, ids[0], 'from_live');
    await track(testing.client, ids[1], 'from_test');
    const rows = await until('both events have rows', async () => {
      const found = await service.sql(
        "SELECT environment, event_name FROM events WHERE external_id = 'twin' ORDER BY event_name",
      );
      return found.length === 2 && found;
    });
    expect(rows).toEqual([
      { environment: 'live', event_name: 'from_live' },
      { environment: 'test', event_name: 'from_test' },
    ]);
    const daily = await service.sql(
      "SELECT event_name FROM event_counts_daily WHERE event_name IN ('from_live', 'from_test')",
    );
    expect(daily).toEqual([{ event_name: 'from_live' }]);
    for (const [stream, name] of [
      [streams[0], 'from_live'],
      [streams[1], 'from_test'],
    ] as const) {
      await until(`${name} is on its stream`, () => stream.messages.length > 1);
      expect(stream.messages.slice(1).map(({ data }) => data['event_name'])).toEqual([name]);
      stream.close();
    }
  });

  test('games are separate: own players, 404 across, own streams and rows', async () => {
    const games = ['north', 'south'] as const;
    await Promise.all(games.map((game) => service.cli('games', 'create', game)));
    const [north, south] = await Promise.all(games.map((game) => makeKey({ game, kind: 'server' })));
    const northId = await service.player(north ?? '', 'hero');
    const southId = await service.player(south ?? '', 'hero');
    expect(northId).not.toBe(southId);
    const stream = await openStream(service.url, south ?? '');
    await until('the stream is connected', () => stream.messages[0]);
    expect(stream.messages[0]?.data['game_id']).toBe('south');

    const across = [
      await get(south, northId),
      await track(south, northId),
      await service.call(south, 'PATCH', `/v1/players/players/${northId}`, { email: 'thief@example.com' }),
    ];
    expect(across.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await track(north, northId, 'northern')).status).toBe(200);
    expect((await track(south, southId, 'southern')).status).toBe(200);
    await until('the southern event is streamed', () => stream.messages.length > 1);
    expect(stream.messages.slice(1).map(({ data }) => data['event_name'])).toEqual(['southern']);
    stream.close();
    const rows = await until('both events have rows', async () => {
      const found = await service.sql(
        "SELECT game_id, event_name FROM events WHERE external_id = 'hero' ORDER BY game_id",
      );
      return found.length === 2 && found;
    });
    expect(rows).toEqual([
      { game_id: 'north', event_name: 'northern' },
      { game_id: 'south', event_name: 'southern' },
    ]);
    expect((await get(north, northId)).body.data['email']).toBeNull();
  });
});
