import { parseArgs } from 'node:util';
import { factsLevels } from '../../streams/facts/facts-levels.ts';
import { measurePlayerCost } from './player-cost.ts';
import { mib, soak } from './soak.ts';

const HELP = `npm run soak -- [options]
  --days N      days of traffic of 10,000 concurrent players, scaled to a small log that holds 6 days (default 60)
  --seconds S   in how many seconds (default 200)
  --mib M       size of the log in MiB (default 16)
Exits with 1 if a write was refused, an output is not exact, or the log outgrew its size.
`;

/** A log of the default size holds about so many days of this traffic, so 60 days fill it ten times. */
const DAYS_OF_LOG = 6;
const GIB = 1024 ** 3;
const HOURS_OF_DAY = 24;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '200' },
    mib: { type: 'string', default: '16' },
    help: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());

/** @returns the exit code */
async function main(): Promise<0 | 1> {
  if (values.help) {
    print(HELP);
    return 0;
  }
  const cost = await measurePlayerCost({ players: 10, minutes: 60, eventsPerMinute: 8 });
  print('Bytes of the log, in simulated time with the normal intervals, 8 events a minute:');
  print(`  per active player-hour  ${cost.perPlayerHour}`);
  print(`  per event               ${cost.perEvent}`);
  print(`  per known player        ${cost.perKnownPlayer}`);
  const usedBytes = factsLevels(64 * GIB).trimTo;
  for (const players of [1_000, 10_000]) {
    const days = usedBytes / (cost.perPlayerHour * players * HOURS_OF_DAY);
    print(`  64 GiB reach back at least ${days.toFixed(1)} days with ${players} players around the clock`);
  }

  const fills = Number(values.days) / DAYS_OF_LOG;
  const factsBytes = Number(values.mib) * 1024 ** 2;
  print(`\n${values.days} days of traffic: a log of ${values.mib} MiB is filled ${fills.toFixed(1)} times`);
  const result = await soak({ factsBytes, fills, seconds: Number(values.seconds), report: print, signal: stop.signal });
  print(`\n${result.acceptedEvents} events of ${result.players} players acknowledged`);
  print(`${mib(result.appendedBytes)} written, ${mib(result.ownBytes)} of it snapshots`);
  print(`FACTS held at most ${mib(result.mostBytes)} of ${mib(result.maxBytes)}, on disk ${mib(result.mostDiskBytes)}`);
  print(`${result.trims} trims`);
  for (const violation of result.violations.slice(0, 10)) print(`VIOLATION: ${violation}`);
  print(result.violations.length === 0 ? 'no violations' : `${result.violations.length} violations`);
  return result.violations.length === 0 && !stop.signal.aborted ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  print(`the run could not go on: ${error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
}
