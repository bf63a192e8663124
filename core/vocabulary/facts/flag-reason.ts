/** The reason for a flag's result (contract: Flag evaluation result). */
export type FlagReason = 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';

/**
 * How the answer of a flag was drawn: players of one stratum get each variant with the same probability, so that only
 * these are compared. Of a boolean flag it is how many of 10,000 players like this one get `true`, from 1 to 9,999. Of
 * another flag it is 10,000 for the flag's weights, and a hash above that for a draw of a rule or of the default.
 * Absent: nothing was drawn. The player was not eligible, or all players like this one get the same.
 */
export type Stratum = number;

/** The stratum of the flag's weights. Those of boolean flags are below. */
export const WEIGHTS_STRATUM = 10_000;

/**
 * Added to the stratum of a draw by something else than the player's id. A player may change its device or guild, and
 * with it the variant: it then counts with its first one. Leaving it out would leave out more of a rare variant.
 */
export const KEYED_STRATUM = 2 ** 31;

/**
 * Players with one cluster get what was drawn for all of them at once, by their device or an attribute: results take
 * them for one unit. 32 bits of a hash of the key: two keys of one hash are one unit, which biases nothing. Absent: the
 * player was drawn alone.
 */
export type Cluster = number;

/** The cluster of players for whom keys of several kinds were drawn. They are not independent of each other. */
export const SEVERAL_KEYS: Cluster = 1;

/** The variant of an experiment that a player was assigned, which it keeps until the experiment ends. */
export interface Trial {
  /** Its key. */
  experiment: string;
  /** The phase in which the player was assigned. */
  phase: number;
  /** The key of the variant, `HELD_OUT` or `DROPPED`. The answer shows another one if all variants are the control. */
  variant: string;
}

/** The variant of players whom the game holds out of experiments: the rules of the flag serve them. */
export const HELD_OUT = 'holdout';

/** The variant of players whose own one was taken out of the experiment, likewise. They get no other one. */
export const DROPPED = 'dropped';

/** How an answer was drawn; none of it: nothing was. */
export interface Draw {
  stratum?: Stratum;
  cluster?: Cluster;
  /** Absent: no experiment decided, but the flag did. */
  trial?: Trial;
}

/** The draw alone. */
export function drawOf({ stratum, cluster, trial }: Draw): Draw {
  if (stratum === undefined && trial === undefined) return NO_DRAW;
  if (trial === undefined && cluster === undefined && stratum !== undefined) return { stratum };
  return {
    ...(stratum === undefined ? {} : { stratum }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(trial === undefined ? {} : { trial }),
  };
}

const NO_DRAW: Draw = {};
