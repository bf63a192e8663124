/** The reason for a flag's result (contract: Flag evaluation result). */
export type FlagReason = 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';

/**
 * How the answer of a flag was drawn: players of one stratum get each variant with the same probability, so that only
 * these are compared. Of a boolean flag it is how many of 10,000 players like this one get `true`, from 1 to 9,999; of
 * another flag it is 10,000, because all players have its weights. Absent: nothing was drawn. The player was not
 * eligible, or all players like this one get the same.
 */
export type Stratum = number;
