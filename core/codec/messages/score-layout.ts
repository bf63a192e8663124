import type { ScoreBucket, ScoreRecord } from '../../vocabulary/records/score-record.ts';

/** Layout of a score in a RECORDS message: scores come in runs of thousands. */
export type ScoreTuple = [
  recordId: string,
  game: string,
  tenant: string,
  live: boolean,
  deviceId: string,
  score: number,
  bucket: ScoreBucket,
  modelVersion: string,
  lootDistinctTypes: number,
  sessDurationTotal: number,
  matchAvgFightTime: number,
  matchWins: number,
  installHour: number,
  vpayCount: number,
  forced: boolean,
  challenger: boolean,
  scoredAt: number,
];

export function scoreToTuple({ features, ...record }: ScoreRecord): ScoreTuple {
  return [
    record.recordId,
    record.game,
    record.tenant,
    record.environment === 'live',
    record.deviceId,
    record.score,
    record.bucket,
    record.modelVersion,
    features.loot_distinct_types,
    features.sess_duration_total,
    features.match_avg_fight_time,
    features.match_wins,
    features.install_hour,
    features.vpay_count,
    record.forced,
    record.challenger,
    record.scoredAt,
  ];
}

export function scoreFromTuple(tuple: ScoreTuple): ScoreRecord {
  return {
    recordId: tuple[0],
    game: tuple[1],
    tenant: tuple[2],
    environment: tuple[3] ? 'live' : 'test',
    deviceId: tuple[4],
    score: tuple[5],
    bucket: tuple[6],
    modelVersion: tuple[7],
    features: {
      loot_distinct_types: tuple[8],
      sess_duration_total: tuple[9],
      match_avg_fight_time: tuple[10],
      match_wins: tuple[11],
      install_hour: tuple[12],
      vpay_count: tuple[13],
    },
    forced: tuple[14],
    challenger: tuple[15],
    scoredAt: tuple[16],
  };
}
