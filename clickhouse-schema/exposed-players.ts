import { KEYED_STRATUM, WEIGHTS_STRATUM } from '../core/vocabulary/facts/flag-reason.ts';
import { countedPlayers } from './counted-players.ts';

/* The players of experiments, for all queries and views that compare variants. */

/** What the queries and the view of an experiment say differently, as SQL. */
export interface ExposedParts {
  /** The flag of a game, and its results or those of an experiment on it. */
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
 * Columns of a player from what was drawn for it in one period: what it saw first (place in the log, variant and
 * stratum), and whether it met two variants of that draw. What it gets later, eligible or not, changes neither. A
 * player may meet two variants of a draw by its device or an attribute, and counts with the first. So does one that met
 * another variant as the guest that was merged into it. Players of a boolean flag with the same chance of `true` are
 * alike, whatever puts them into buckets. Without anything drawn the stratum is 0.
 * @param own array of `(place, stratum, variant, attribution, guest)`
 */
function ownColumns(own: string): string {
  return `
      arraySort(one -> one.1, ${own}) AS own,
      own[1].1 AS first_place,
      own[1].2 AS first_stratum,
      if(first_stratum % ${KEYED_STRATUM} < ${WEIGHTS_STRATUM}, first_stratum % ${KEYED_STRATUM}, first_stratum) AS stratum,
      own[1].3 AS variant,
      length(own) AS own_exposures,
      arrayFilter(one -> one.2 = first_stratum, own) AS alike,
      first_stratum < ${KEYED_STRATUM} AND arrayUniq(arrayMap(one -> (one.5, one.3), alike)) > arrayUniq(arrayMap(one -> one.5, alike)) AS saw_two,
      arrayExists(one -> one.4 = 'mismatch', own) AS mismatched,
      arrayExists(one -> one.4 IN ('mismatch', 'earlier'), own) AS named_other,`;
}

const PLACE = '(received_at, facts_sequence, facts_index)';
const SEEN = 'ifNull(variant_key, value)';
/** What `ownColumns` takes of an exposure. */
const SEEN_ONCE = '(place, drawn, seen, attribution, guest)';
/** The guest that saw it before its merge; zeros for the player itself. */
const GUEST = 'merged_from[1]';

/**
 * The players of a period.
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
      ${ownColumns('groupArrayIf((place, drawn, seen, attribution, guest, together), is_drawn)')}
      own[1].6 AS cluster,
      stratum > 0 AND countIf(drawn > 0 AND NOT is_current) > 0 AS earlier,
      player_id IN (SELECT player_id FROM flag_mixed_players WHERE ${scope} AND ${isBefore} AND ${isCurrent}) AS marked,
      saw_two OR mismatched OR earlier OR marked AS excluded,
      stratum > 0 AND NOT saw_two AND NOT mismatched AND NOT earlier AS arrived
    FROM (
      SELECT
        player_id,
        ${PLACE} AS place,
        attribution,
        cluster AS together,
        ${GUEST} AS guest,
        ${SEEN} AS seen,
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
  scope:
    "game_id = {game: String} AND environment = 'live' AND flag_key = {flag: String} AND experiment = {experiment: String}",
  variants: '{variants: Array(String)}',
  isBefore: 'period <= {period: UInt32}',
  isCurrent: 'period = {period: UInt32}',
  inTime: "received_at >= {since: DateTime64(3, 'UTC')} AND received_at < {until: DateTime64(3, 'UTC')}",
  sinceEarlier: 'true',
};

/**
 * The players that count in the results of all flags, without their experiments: `game_id`, `flag_key`, `player_id`,
 * `period`, `first_place`, `stratum` and `variant`. Whoever took part earlier is left out of a period, so each player
 * counts in its first one only. Exposures that were reported after the end of their period count: its end is not in
 * ClickHouse.
 * @param flags SQL of the games and flags that are read
 */
export const drawnPlayers = (flags = 'true'): string => `
    SELECT game_id, flag_key, period, player_id, first_place, stratum, variant
    FROM
    (
        SELECT
            game_id,
            flag_key,
            player_id,
            min(of_period) AS period,
            ${ownColumns(`arrayMap(one -> one.2, arrayFilter(one -> one.1 = period, groupArray((of_period, ${SEEN_ONCE}))))`)}
            saw_two OR mismatched AS excluded
        FROM
        (
            SELECT
                game_id,
                flag_key,
                player_id,
                period AS of_period,
                ${PLACE} AS place,
                attribution,
                ${GUEST} AS guest,
                ${SEEN} AS seen,
                stratum AS drawn
            FROM flag_exposures
            WHERE environment = 'live' AND experiment = '' AND ${countedPlayers()} AND stratum > 0 AND ${flags}
        )
        GROUP BY game_id, flag_key, player_id
    )
    WHERE NOT excluded AND (game_id, flag_key, period, player_id) NOT IN
    (
        SELECT game_id, flag_key, period, player_id FROM flag_mixed_players
        WHERE environment = 'live' AND experiment = '' AND ${flags}
    )
`;
