import { setImmediate as turn } from 'node:timers/promises';
import { OWNER_LIMITS } from '../../actors/runtime/limits.ts';
import { createBackbone } from '../support/servers/backbone.ts';

/** What players cost in FACTS, in bytes, as one owner with its normal intervals writes it. */
export interface PlayerCost {
  /** One hour of one player at play, snapshots included. */
  perPlayerHour: number;
  /** One event, as a record of its own. */
  perEvent: number;
  /** A registration with its first snapshot. */
  perKnownPlayer: number;
}

export interface CostOptions {
  players: number;
  minutes: number;
  eventsPerMinute: number;
}

const MINUTE_MS = 60_000;

/** Measures the cost on the log in memory, in simulated time. */
export async function measurePlayerCost({ players, minutes, eventsPerMinute }: CostOptions): Promise<PlayerCost> {
  const world = createBackbone();
  const node = await world.lead('a');
  const sizeBytes = () => world.broker.stream('FACTS').bounds().sizeBytes;
  const ids = Array.from({ length: players }, (_, place) => `player-${place}`);

  const empty = sizeBytes();
  for (const id of ids) await world.register(node, id);
  await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 2 * OWNER_LIMITS.storeFlushMs);
  const registered = sizeBytes();

  let eventBytes = 0;
  const pauseMs = MINUTE_MS / eventsPerMinute / players;
  for (let sent = 0; sent < minutes * eventsPerMinute; sent++) {
    for (const id of ids) {
      const before = sizeBytes();
      await world.track(node, id, 'level_up', `event-${sent}-${id}`);
      eventBytes += sizeBytes() - before;
      await world.clock.advance(pauseMs);
    }
    // Signals of the run's process get their turn.
    await turn();
  }
  await world.clock.advance(OWNER_LIMITS.longestSnapshotIntervalMs);
  const played = sizeBytes() - registered;
  await world.complete(node.actors.stop());
  node.room.stop();
  return {
    perPlayerHour: Math.round((played / players / minutes) * 60),
    perEvent: Math.round(eventBytes / (minutes * eventsPerMinute * players)),
    perKnownPlayer: Math.round((registered - empty) / players),
  };
}
