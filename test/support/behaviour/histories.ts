import { ROW_STEP } from '../../../clickhouse-schema/rows/common-columns.ts';
import { createRandom } from '../../sim/random.ts';

/* Made histories of players whose events overlap: few names, short times, batches, and clocks that are wrong. */

/** An event as it is stored, and when it happened. */
export interface PastEvent {
  player: number;
  name: string;
  /** The property `mode`. */
  mode: string;
  country: string;
  timestampMs: number;
  receivedMs: number;
  happenedMs: number;
  sequence: number;
  index: number;
}

const DAY_MS = 86_400_000;
const NAMES = ['shop', 'buy', 'level', 'quit'];
const MODES = ['solo', 'team'];
const COUNTRIES = ['DE', 'FR', ''];

/** The device's time counts if it is at most seven days before the receipt, and not after it. */
export const happened = (timestampMs: number, receivedMs: number): number =>
  timestampMs <= receivedMs && timestampMs > receivedMs - 7 * DAY_MS ? timestampMs : receivedMs;

/** A log that is old: its numbers need more than 32 bits. */
const FIRST_SEQUENCE = 2 ** 36;

/** Events of 12 players within `lengthMs` from `fromMs` on, in the order of the log. */
export function madeHistory(seed: number, fromMs: number, lengthMs: number): PastEvent[] {
  const random = createRandom(seed);
  const events: PastEvent[] = [];
  let sequence = FIRST_SEQUENCE;
  for (let batch = 0; batch < 90; batch += 1) {
    const player = random.int(1, 12);
    const receivedMs = fromMs + random.int(0, lengthMs);
    sequence += random.int(1, 3);
    const size = random.int(1, 5);
    // An import packs many events into one fact.
    const [first, step] = random.chance(0.5) ? [0, 1] : [random.int(0, ROW_STEP - 1), random.int(1, 9) * ROW_STEP];
    for (let place = 0; place < size; place += 1) {
      const timestampMs = receivedMs - delayOf(random, lengthMs);
      events.push({
        player,
        name: random.pick(NAMES),
        mode: random.pick(MODES),
        country: random.pick(COUNTRIES),
        timestampMs,
        receivedMs,
        happenedMs: happened(timestampMs, receivedMs),
        sequence,
        index: first + place * step,
      });
    }
  }
  return events;
}

/** Most devices are a moment late; some are offline for long, have a clock that is ahead, or one of years ago. */
function delayOf(random: ReturnType<typeof createRandom>, lengthMs: number): number {
  const kind = random.int(0, 9);
  if (kind < 4) return 0;
  if (kind < 7) return random.int(0, 5) * 1_000;
  if (kind < 8) return random.int(0, lengthMs);
  return kind < 9 ? -random.int(1, DAY_MS) : 8 * DAY_MS;
}

/** A player's events as they happened, and within a millisecond as the log has them. */
function inOrder(events: readonly PastEvent[]): PastEvent[] {
  return events.toSorted(
    (one, other) => one.happenedMs - other.happenedMs || one.sequence - other.sequence || one.index - other.index,
  );
}

export const byPlayer = (events: readonly PastEvent[]): PastEvent[][] =>
  [...Map.groupBy(events, ({ player }) => player).values()].map(inOrder);

export const playerId = (player: number): string => `00000000-0000-5000-8000-${String(player).padStart(12, '0')}`;

/** The row of the table `events`. */
export function rowOf(game: string, event: PastEvent): object {
  return {
    event_id: `${event.sequence}-${event.index}`,
    game_id: game,
    environment: 'live',
    player_id: playerId(event.player),
    event_name: event.name,
    properties: JSON.stringify({ mode: event.mode }),
    country: event.country,
    timestamp: event.timestampMs,
    received_at: event.receivedMs,
    facts_sequence: event.sequence,
    facts_index: event.index,
  };
}
