/** What a shooter's client sends, in the lengths that its names and values have. */
const NAMES = ['match_end', 'level_completed', 'item_equipped', 'coins_spent', 'loot_opened', 'ad_watched'];
const MODES = ['ranked', 'casual', 'training'];

/** An event as a caller sends it. */
export interface SampleEvent {
  player_id: string;
  event_name: string;
  properties: Record<string, string | number | boolean>;
}

/** The `turn`th event: the same for the same turn, different enough from its neighbours. */
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
