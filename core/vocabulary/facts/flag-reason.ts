/** The reason for a flag's result (contract: Flag evaluation result). */
export type FlagReason = 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
