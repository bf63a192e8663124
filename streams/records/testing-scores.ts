import type { ScoreRecord } from '../../core/vocabulary/records/score-record.ts';

/** The id of the nth record of a test: a UUIDv7. */
const recordId = (n: number): string => `019b7600-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** A score record for tests, identified by `n`. Each test sets the fields it depends on. */
export function aScore(n: number, some: Partial<ScoreRecord> = {}): ScoreRecord {
  return {
    recordId: recordId(n),
    game: 'demo',
    tenant: 'acme',
    environment: 'live',
    deviceId: `device-${n}`,
    score: 0.03125,
    bucket: 'rest',
    modelVersion: '388c64d4a551',
    features: {
      loot_distinct_types: 1,
      sess_duration_total: 612.5,
      match_avg_fight_time: 98.25,
      match_wins: 2,
      install_hour: 18,
      vpay_count: 11,
    },
    forced: false,
    challenger: false,
    scoredAt: Date.UTC(2026, 0, 1, 12),
    ...some,
  };
}
