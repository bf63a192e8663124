import { parseArgs } from 'node:util';
import { compareRandom, seeded } from '../test/support/random-flags.ts';

/*
 * Evaluates the flags of random games for random players by the code path of the service and by the client of game
 * servers, and compares value, variant, reason, segment and prerequisite. Ends with 1 if any differs.
 *
 *   node scripts/compare-evaluations.ts --players 100000 --seed 1
 */

const { values } = parseArgs({
  options: { players: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});

const PLAYERS_PER_GAME = 25;
const began = performance.now();
const games = Math.ceil(Number(values.players) / PLAYERS_PER_GAME);
const { evaluations, differences, reasons } = await compareRandom(seeded(Number(values.seed)), games, PLAYERS_PER_GAME);
const seconds = Math.round((performance.now() - began) / 1000);
const players = games * PLAYERS_PER_GAME;
const report = { seed: values.seed, games, players, evaluations, differences: differences.length, reasons, seconds };
process.stdout.write(`${JSON.stringify(report, null, 2)}\n${differences.slice(0, 10).join('\n')}\n`);
process.exitCode = differences.length === 0 ? 0 : 1;
