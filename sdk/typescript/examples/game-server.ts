import { parseArgs } from 'node:util';
import { createServer, type PlayerInput, type Server } from '../server/server.ts';

/*
 * A server that runs matches: it evaluates the flag `match_rules` in its own process, reports what happened and records
 * purchases. Run it beside `npm start`:
 *
 *   node examples/game-server.ts --url http://127.0.0.1:8080 --key sk_…
 */

interface Match {
  playerId: string;
  rules: string;
  score: number;
}

/** Lets players play a match each. Resolves when the service has everything. */
export async function runMatches(server: Server, players: readonly PlayerInput[]): Promise<Match[]> {
  await server.ready;
  const matches = players.map((player): Match => {
    const playerId = server.playerId(player.external_id ?? '');
    if (playerId === undefined) throw new Error('The definitions of flags have not arrived.');
    // Local: no request, and the exposure is reported with others.
    const rules = server.flag('match_rules', 'classic', player, { context: { build: '2.4.0' } });
    const score = rules === 'sudden_death' ? 1 : 3;
    server.track(playerId, 'match_end', { rules, score });
    if (score === 1) server.purchase(playerId, 0.99, { product_id: 'revive' });
    return { playerId, rules, score };
  });
  await server.flush();
  return matches;
}

/** Registers players and defines the flag, which an operator does once. */
export async function prepare(server: Server, externalIds: readonly string[]): Promise<PlayerInput[]> {
  await server.call('POST /v1/flags/flags', {
    body: {
      key: 'match_rules',
      flag_type: 'multivariate',
      variants: [
        { key: 'classic', value: 'classic', weight: 1 },
        { key: 'sudden', value: 'sudden_death', weight: 1 },
      ],
      targeting_rules: [{ conditions: { 'attributes.level': { $gte: 5 } }, value: true, percentage: 100, priority: 1 }],
    },
  });
  const players: PlayerInput[] = [];
  for (const [turn, external_id] of externalIds.entries()) {
    // The answer has all that local evaluation reads.
    players.push(
      await server.call('POST /v1/players/players', { body: { external_id, attributes: { level: turn % 10 } } }),
    );
  }
  await server.flags.refresh();
  return players;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { url: { type: 'string', default: 'http://127.0.0.1:8080' }, key: { type: 'string', default: '' } },
  });
  const server = createServer({ baseUrl: values.url, key: values.key });
  const names = Array.from({ length: 100 }, (_, turn) => `match-${Date.now()}-${turn}`);
  const matches = await runMatches(server, await prepare(server, names));
  const { events, purchases } = await server.shutdown();
  process.stdout.write(`${matches.length} matches, unsent: ${events.length} events, ${purchases.length} purchases\n`);
}
