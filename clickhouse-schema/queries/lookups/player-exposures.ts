import { LOOKUP_LIMITS } from './limits.ts';
import type { QueryResult } from '../../query-result.ts';
import { NOT_BEING_ERASED, type PlayerScope, type RunQuery, SCOPE } from './run-query.ts';

export interface PlayerExposuresQuery extends PlayerScope {
  /** Only exposures to these flags. */
  flagKeys: readonly string[];
}

/** That a player saw a variant, the first time in a period of the flag. */
export interface KnownExposure {
  flagKey: string;
  flagVersion: number;
  /** 0: older than periods. Of an experiment the phase. */
  period: number;
  /** Key of the experiment that decided; '': the flag did. */
  experiment: string;
  variantKey: string | null;
  /** JSON text. */
  value: string;
  reason: string;
  /** How the variant is known. */
  attribution: string;
  /** Epoch milliseconds. */
  at: number;
}

/** The latest exposures of one player to each flag, newest first. The table is ordered by flag, version and player. */
export async function findExposures(
  runQuery: RunQuery,
  { game, environment, playerId, flagKeys }: PlayerExposuresQuery,
): Promise<QueryResult<KnownExposure[]>> {
  if (flagKeys.length === 0) return { kind: 'answered', value: [] };
  const found = await runQuery<ExposureRow>(EXPOSURES, { game, environment, player: playerId, keys: flagKeys });
  if (found.kind === 'unavailable') return found;
  const exposures = found.value.map((row) => ({
    flagKey: row.flag_key,
    flagVersion: row.flag_version,
    period: row.period,
    experiment: row.experiment,
    variantKey: row.variant_key,
    value: row.value,
    reason: row.reason,
    attribution: row.attribution,
    at: Number(row.at_ms),
  }));
  return { kind: 'answered', value: exposures };
}

interface ExposureRow {
  flag_key: string;
  flag_version: number;
  period: number;
  experiment: string;
  variant_key: string | null;
  value: string;
  reason: string;
  attribution: string;
  at_ms: string | number;
}

const EXPOSURES = `
SELECT flag_key, flag_version, period, experiment, variant_key, value, reason, attribution,
  toUnixTimestamp64Milli(received_at) AS at_ms
FROM flag_exposures
WHERE ${SCOPE} AND flag_key IN {keys:Array(String)} AND player_id = {player:UUID} AND ${NOT_BEING_ERASED}
ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC
LIMIT ${LOOKUP_LIMITS.exposuresOfFlag} BY flag_key`;
