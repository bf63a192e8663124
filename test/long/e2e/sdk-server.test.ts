import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepare, runMatches } from '../../../sdk/typescript/examples/game-server.ts';
import { createServer, type Problem, type Server } from '../../../sdk/typescript/server/server.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* The client of game servers against the real service, by its example. */

let service: RunningService;
let server: Server;
const problems: Problem[] = [];
beforeAll(async () => {
  service = await startService();
  server = createServer({
    baseUrl: service.url,
    key: service.keys.live.server,
    onProblem: (problem) => void problems.push(problem),
  });
});
afterAll(async () => {
  await server.shutdown();
  await service.stop();
});

test('a server evaluates as the service does, and its events, purchases and exposures arrive once', async () => {
  const names = Array.from({ length: 60 }, (_, turn) => `match-${turn}`);
  const players = await prepare(server, names);
  const matches = await runMatches(server, players);
  expect(new Set(matches.map(({ rules }) => rules))).toEqual(new Set(['classic', 'sudden_death']));
  for (const [turn, { playerId }] of matches.entries()) {
    const player = players[turn];
    if (player === undefined) throw new Error('a match without a player');
    expect(player.id).toBe(playerId);
    const request = { player_id: playerId, context: { build: '2.4.0' } };
    const remote = await server.call('POST /v1/flags/flags/evaluate', { body: request });
    const local = server.flags.evaluate('match_rules', player);
    expect(remote.evaluations['match_rules']).toMatchObject({
      value: local.value,
      variant_key: local.variant,
      reason: local.reason,
    });
  }
  // The same exposures once more: from another process, and by the service's own evaluation.
  const again = createServer({ baseUrl: service.url, key: service.keys.live.server });
  await again.ready;
  for (const player of players) again.flag('match_rules', 'classic', player);
  expect(await again.shutdown()).toEqual({ events: [], purchases: [], exposures: [] });
  const sudden = matches.filter(({ score }) => score === 1);
  const counts = () =>
    service.sql<{ events: number; paid: number; players: number; exposures: number; shown: number }>(
      `SELECT
        (SELECT toUInt32(count()) FROM events WHERE event_name = 'match_end') AS events,
        (SELECT toUInt32(sum(counts)) FROM purchases WHERE product_id = 'revive') AS paid,
        (SELECT toUInt32(uniqExact(player_id)) FROM flag_exposures) AS players,
        (SELECT toUInt32(count()) FROM flag_exposures WHERE attribution = 'local') AS exposures,
        (SELECT toUInt32(count()) FROM flag_exposures WHERE variant_key = 'sudden') AS shown`,
    );
  await until('ClickHouse holds all of it', async () => {
    const [now] = await counts();
    return now !== undefined && now.events >= 60 && now.paid >= sudden.length && now.exposures >= 60;
  });
  expect(await counts()).toEqual([
    { events: 60, paid: sudden.length, players: 60, exposures: 60, shown: sudden.length },
  ]);
  expect(problems).toEqual([]);
});

test('a changed flag reaches the server by the stream', async () => {
  await until('the stream is open', () => server.flags.status.isStreaming);
  const path = { key: 'match_rules' };
  await server.call('PATCH /v1/flags/flags/{key}', { path, body: { enabled: false } });
  const player = { external_id: 'match-9', attributes: { level: 9 } };
  await until('the flag is off here', () => server.flags.evaluate('match_rules', player).reason === 'flag_disabled');
  const { revision, staleMs } = server.flags.status;
  const current = await server.call('GET /v1/flags/definitions');
  expect([revision, staleMs !== undefined && staleMs < 60_000]).toEqual([current.revision, true]);
});

test('what a condition reads of the service is asked for in one request', async () => {
  await server.call('POST /v1/flags/flags', {
    body: {
      key: 'loyal',
      flag_type: 'boolean',
      targeting_rules: [{ conditions: { 'events.match_end.count_7d': { $gte: 1 } }, percentage: 100, priority: 1 }],
    },
  });
  await server.flags.refresh();
  const player = { external_id: 'match-1' };
  expect(server.flags.evaluate('loyal', player)).toMatchObject({ reason: 'needs_state', missing: ['events'] });
  expect(server.flag('loyal', false, player)).toBe(false);
  const resolved = await server.flags.resolve(player, { keys: ['loyal', 'match_rules'] });
  expect(resolved.get('loyal')).toMatchObject({ value: true, reason: 'percentage_rollout' });
  expect(server.flags.evaluate('loyal', { ...player, events: { match_end: [1] } }).value).toBe(true);
});
