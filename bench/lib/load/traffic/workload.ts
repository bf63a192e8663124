import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { times } from '../../figures/statistics.ts';

/* The events that every case sends, and files of request bodies for the load generators. */

/** Names and values are as long as those of a shooter's client. */
const NAMES = ['match_end', 'level_completed', 'item_equipped', 'coins_spent', 'loot_opened', 'ad_watched'];
const MODES = ['ranked', 'casual', 'training'];

/** An event as a caller sends it. */
export interface SampleEvent {
  player_id: string;
  event_name: string;
  properties: Record<string, string | number | boolean>;
}

/** The `turn`th event: the same for the same turn, different from its neighbours. */
export function sampleEvent(playerId: string, turn: number): SampleEvent {
  return {
    player_id: playerId,
    event_name: NAMES[turn % NAMES.length] ?? '',
    properties: {
      level: (turn * 7) % 60,
      score: (turn * 7919) % 100_000,
      duration_seconds: ((turn * 31) % 6_000) / 10,
      mode: MODES[turn % MODES.length] ?? '',
      won: turn % 2 === 0,
    },
  };
}

/** Requests of one shape, with so many different bodies that no two in a row are of the same players. */
export interface Workload {
  path: string;
  /** 0 for requests without events. */
  eventsPerRequest: number;
  /** One body per line: what the load generators read. */
  bodiesFile: string;
  /** The first of them, for a probe. */
  sample: string;
}

/** Writes the bodies of a workload into a folder. */
export function createWorkload(
  folder: string,
  path: string,
  eventsPerRequest: number,
  bodies: readonly string[],
): Workload {
  const bodiesFile = join(folder, `${path.replaceAll('/', '-')}.jsonl`);
  writeFileSync(bodiesFile, bodies.join('\n'));
  return { path, eventsPerRequest, bodiesFile, sample: bodies[0] ?? '' };
}

/** Different batches prepared; each player is in several. */
const BATCHES = 500;

/** Single events, one per player, and batches, whose events walk over all players. */
export function eventWorkloads(
  folder: string,
  playerIds: readonly string[],
  batchSize: number,
): { single: Workload; batch: Workload } {
  const event = (turn: number) => sampleEvent(playerIds[turn % playerIds.length] ?? '', turn);
  const singles = playerIds.map((_, index) => JSON.stringify(event(index)));
  const batches = times(BATCHES, (batch) =>
    JSON.stringify({ events: times(batchSize, (index) => event(batch * batchSize + index)) }),
  );
  return {
    single: createWorkload(folder, '/v1/events/events', 1, singles),
    batch: createWorkload(folder, '/v1/events/events/batch', batchSize, batches),
  };
}
