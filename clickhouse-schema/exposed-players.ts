import { countedPlayers } from './counted-players.ts';

/** What the queries and the view of an experiment say differently, as SQL. */
export interface ExposedParts {
  /** The flag of a game. */
  scope: string;
  /** The list of the variants that count. An earlier period may have had others. */
  variants: string;
  /** Whether a row is of this period or an earlier one, and whether it is of this one. */
  isBefore: string;
  isCurrent: string;
  /** Whether an exposure of this period, or of an earlier one, is in the time that is read. */
  inTime: string;
  sinceEarlier: string;
}

/**
 * The players of a period, each with what it saw first of what was drawn for it: place in the log, variant and stratum.
 * What it gets later, eligible or not, changes neither.
 *
 * Whoever was drawn in an earlier period is left out of all variants (`earlier`): the edit that began this period gave
 * them another variant, and they differ from those who came after it. Also left out (`excluded`) is a player who met
 * two variants of one draw: exposed to two (`saw_two`), served two (`marked`), or shown one that was not served
 * (`mismatched`). The sample ratio is about those who came in this period (`arrived`). A player for whom nothing was
 * drawn has the stratum 0.
 */
export function exposedPlayers(parts: ExposedParts): string {
  const { scope, variants, isBefore, isCurrent, inTime, sinceEarlier } = parts;
  return `
    SELECT
      player_id,
      minIf(place, is_drawn) AS first_place,
      argMinIf(drawn, place, is_drawn) AS stratum,
      argMinIf(seen, place, is_drawn) AS variant,
      countIf(is_drawn) AS own_exposures,
      arrayUniq(arrayFilter(one -> one.1 = stratum, groupUniqArrayIf((drawn, seen), is_drawn))) > 1 AS saw_two,
      countIf(is_drawn AND attribution = 'mismatch') > 0 AS mismatched,
      countIf(is_drawn AND attribution IN ('mismatch', 'earlier')) > 0 AS named_other,
      stratum > 0 AND countIf(drawn > 0 AND NOT is_current) > 0 AS earlier,
      player_id IN (SELECT player_id FROM flag_mixed_players WHERE ${scope} AND ${isBefore} AND ${isCurrent}) AS marked,
      saw_two OR mismatched OR earlier OR marked AS excluded,
      stratum > 0 AND NOT saw_two AND NOT mismatched AND NOT earlier AS arrived
    FROM (
      SELECT
        player_id,
        (received_at, facts_sequence, facts_index) AS place,
        attribution,
        ifNull(variant_key, value) AS seen,
        ${isCurrent} AS is_current,
        if(NOT is_current OR has(${variants}, seen), stratum, 0) AS drawn,
        is_current AND drawn > 0 AS is_drawn
      FROM flag_exposures
      WHERE ${scope} AND ${countedPlayers()} AND ${isBefore} AND if(${isCurrent}, ${inTime}, ${sinceEarlier})
    )
    GROUP BY player_id
    HAVING countIf(is_current) > 0
  `;
}

/** The players of `experiment_readout`, by the view's parameters. */
export const EXPOSED_IN_VIEW: ExposedParts = {
  scope: "game_id = {game: String} AND environment = 'live' AND flag_key = {flag: String}",
  variants: '{variants: Array(String)}',
  isBefore: 'period <= {period: UInt32}',
  isCurrent: 'period = {period: UInt32}',
  inTime: "received_at >= {since: DateTime64(3, 'UTC')} AND received_at < {until: DateTime64(3, 'UTC')}",
  sinceEarlier: 'true',
};
