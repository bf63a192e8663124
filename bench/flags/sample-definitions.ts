/* What a game would define, in the bodies that the management endpoints take. */

/** A segment, and for which of the bench's players it holds. */
export interface SampleSegment {
  body: { key: string; conditions: Record<string, unknown>; enabled: boolean };
  holds(attributes: SampleAttributes): boolean;
}

/** What the bench's players are registered with. */
export interface SampleAttributes {
  level: number;
  country: string | undefined;
  is_vip: boolean;
}

const NORTH = ['SE', 'DE', 'PL'];

/** Segments on attributes alone, so that who is in them is known. */
export const SAMPLE_SEGMENTS: readonly SampleSegment[] = [
  segment('beginners', { 'attributes.level': { $lt: 10 } }, ({ level }) => level < 10),
  segment('veterans', { 'attributes.level': { $gte: 30 } }, ({ level }) => level >= 30),
  segment('north', { 'attributes.country': { $in: NORTH } }, ({ country = '' }) => NORTH.includes(country)),
  segment('vips', { 'attributes.is_vip': true }, ({ is_vip: isVip }) => isVip),
];

function segment(key: string, conditions: Record<string, unknown>, holds: SampleSegment['holds']): SampleSegment {
  return { body: { key, conditions, enabled: true }, holds };
}

/** A flag, and the segment its only rule asks for; that rule takes in the whole segment. */
export interface SampleFlag {
  body: { key: string } & Record<string, unknown>;
  segmentKey: string | undefined;
}

const ROLLOUTS = 6;
const SPLITS = 7;
/** Segments are asked for in turn. */
const SEGMENT_RULES = 6;

/**
 * 20 flags: roll-outs, rules on segments, three variants in half of those who meet three conditions, and one flag that
 * waits for another. In an order in which they can be made.
 * @param segmentIds key → id
 */
export function sampleFlags(segmentIds: ReadonlyMap<string, string>): SampleFlag[] {
  const segmentKeys = [...segmentIds.keys()];
  return [
    ...times(ROLLOUTS, (turn) => booleanFlag(`rollout-${turn}`, { percentage: 10 * (turn + 1) })),
    ...times(SEGMENT_RULES, (turn) => {
      const segmentKey = segmentKeys[turn % segmentKeys.length] ?? '';
      const rule = { segment_id: segmentIds.get(segmentKey), percentage: 100 };
      return { ...booleanFlag(`segment-${turn}`, rule), segmentKey };
    }),
    ...times(SPLITS, splitFlag),
    withPrerequisite(booleanFlag('waiting', { percentage: 50 }), 'rollout-5'),
  ];
}

function booleanFlag(key: string, rule: Record<string, unknown>): SampleFlag {
  return { body: { key, flag_type: 'boolean', targeting_rules: [rule] }, segmentKey: undefined };
}

function splitFlag(turn: number): SampleFlag {
  const conditions = {
    'attributes.level': { $gte: 5 * turn },
    'attributes.country': { $in: ['SE', 'DE', 'US', 'BR'] },
    'context.platform': 'ios',
  };
  const variants = Object.entries({ control: 50, red: 30, blue: 20 }).map(([key, weight]) => ({
    key,
    value: `layout-${key}`,
    weight,
  }));
  return {
    body: {
      key: `split-${turn}`,
      flag_type: 'multivariate',
      variants,
      targeting_rules: [{ conditions, percentage: 50 }],
    },
    segmentKey: undefined,
  };
}

function withPrerequisite({ body, segmentKey }: SampleFlag, flagKey: string): SampleFlag {
  return { body: { ...body, prerequisites: [{ flag_key: flagKey, value: true }] }, segmentKey };
}

function times<T>(count: number, make: (turn: number) => T): T[] {
  return Array.from({ length: count }, (_, turn) => make(turn));
}

const EVENTS = ['match_end', 'level_completed', 'item_equipped', 'coins_spent', 'loot_opened', 'ad_watched'];

/**
 * The `turn`th of the segments whose upkeep is measured: half on the count of an event that is sent, a quarter on
 * attributes, a quarter on days since the player was last seen, which every event asks.
 */
export function upkeepSegment(turn: number): { key: string; conditions: Record<string, unknown> } {
  return { key: `upkeep-${turn}`, conditions: upkeepConditions(turn) };
}

function upkeepConditions(turn: number): Record<string, unknown> {
  const group = Math.floor(turn / 4);
  switch (turn % 4) {
    case 0:
      return { 'attributes.level': { $gte: (turn * 7) % 60 } };
    case 1:
      return { days_since_last_seen: { $lte: 1 + group }, 'attributes.level': { $gte: (turn * 11) % 60 } };
    default:
      return { [`events.${EVENTS[turn % EVENTS.length]}.count_7d`]: { $gte: 1 + turn } };
  }
}
