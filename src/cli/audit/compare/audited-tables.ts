import { SAID_READINGS, type Reading } from './event-columns.ts';

/*
 * The tables whose rows follow from records of the log one by one, and what of a row is compared. Written from
 * docs/analytics.md, apart from the code that writes the rows.
 */

export interface AuditedTable {
  /** The stream whose records make its rows. */
  stream: 'FACTS' | 'RECORDS';
  columns: Readonly<Record<string, Reading>>;
  /** Rows replace each other, so the newest is read. */
  replacing?: true;
  /** The column with the creation of the stream in imported rows (0 in others). */
  hasCreated?: true;
}

const SCOPE = { game_id: 'plain', environment: 'plain' } as const;
const PLAYER = { player_id: 'text', external_id: 'plain' } as const;

const EVENT = {
  event_id: 'plain',
  ...SCOPE,
  ...PLAYER,
  event_name: 'plain',
  session_id: 'plain',
  properties: 'plain',
  timestamp: 'time',
  received_at: 'time',
} as const;

const SCORE = {
  record_id: 'text',
  game_id: 'plain',
  tenant: 'plain',
  environment: 'plain',
  device_id: 'plain',
  loot_distinct_types: 'plain',
  sess_duration_total: 'plain',
  match_avg_fight_time: 'plain',
  match_wins: 'plain',
  install_hour: 'plain',
  vpay_count: 'plain',
  score: 'plain',
  bucket: 'plain',
  model_version: 'plain',
  forced: 'bool',
  scored_at: 'time',
} as const;

const AUDITED_TABLES = {
  events: {
    stream: 'FACTS',
    hasCreated: true,
    columns: { ...EVENT, ...SAID_READINGS },
  },
  sessions: {
    stream: 'FACTS',
    hasCreated: true,
    columns: {
      ...SCOPE,
      session_id: 'plain',
      ...PLAYER,
      end_reason: 'plain',
      start_time: 'time',
      end_time: 'time',
      duration_seconds: 'plain',
      total_events: 'plain',
      achievements_unlocked: 'plain',
      interventions_shown: 'plain',
      interventions_clicked: 'plain',
      received_at: 'time',
      platform: 'plain',
      app_version: 'plain',
      build: 'plain',
      country: 'plain',
    },
  },
  purchases: {
    stream: 'FACTS',
    hasCreated: true,
    columns: {
      ...SCOPE,
      ...PLAYER,
      amount: 'text',
      currency: 'plain',
      paid_amount: 'text',
      product_id: 'plain',
      transaction_id: 'plain',
      received_at: 'time',
      recorded_by: 'plain',
      counts: 'plain',
      kind: 'plain',
      refund_id: 'plain',
      store: 'plain',
      receipt_state: 'plain',
      receipt_reason: 'plain',
      reported_amount: 'text',
      proven_product_id: 'plain',
    },
  },
  player_beginnings: {
    stream: 'FACTS',
    columns: { ...SCOPE, ...PLAYER, first_seen_at: 'time', received_at: 'time' },
  },
  lifecycle_transitions: {
    stream: 'FACTS',
    columns: {
      ...SCOPE,
      ...PLAYER,
      from_stage: 'plain',
      to_stage: 'plain',
      changed_at: 'time',
      received_at: 'time',
    },
  },
  segment_transitions: {
    stream: 'FACTS',
    columns: {
      ...SCOPE,
      segment_id: 'plain',
      segment_key: 'plain',
      ...PLAYER,
      transition: 'plain',
      received_at: 'time',
    },
  },
  flag_exposures: {
    stream: 'FACTS',
    columns: {
      ...SCOPE,
      flag_key: 'plain',
      flag_version: 'plain',
      experiment: 'plain',
      period: 'plain',
      variant_key: 'plain',
      value: 'plain',
      reason: 'plain',
      stratum: 'plain',
      cluster: 'plain',
      attribution: 'plain',
      ...PLAYER,
      received_at: 'time',
    },
  },
  flag_mixed_players: {
    stream: 'FACTS',
    columns: {
      ...SCOPE,
      flag_key: 'plain',
      flag_version: 'plain',
      experiment: 'plain',
      period: 'plain',
      ...PLAYER,
      received_at: 'time',
    },
  },
  campaign_events: {
    stream: 'FACTS',
    columns: {
      ...SCOPE,
      campaign_id: 'plain',
      campaign_key: 'plain',
      campaign_version: 'plain',
      ...PLAYER,
      event: 'plain',
      reason: 'plain',
      cause: 'plain',
      intervention_id: 'plain',
      session_id: 'plain',
      variant: 'plain',
      button: 'plain',
      received_at: 'time',
    },
  },
  quarantined_events: {
    stream: 'FACTS',
    columns: { ...EVENT, quarantine_number: 'plain', schema_version: 'plain', key_kind: 'plain' },
  },
  quarantine_releases: {
    stream: 'FACTS',
    columns: {
      ...SCOPE,
      player_id: 'text',
      event_id: 'plain',
      event_name: 'plain',
      quarantine_number: 'plain',
      quarantined_as: 'text',
      quarantined_at: 'time',
      received_at: 'time',
    },
  },
  // Steps change while rows are moved.
  player_merges: {
    stream: 'FACTS',
    replacing: true,
    columns: {
      ...SCOPE,
      ...PLAYER,
      into_player_id: 'text',
      into_external_id: 'plain',
      merge_id: 'plain',
      merged_at: 'time',
      received_at: 'time',
      undone: 'plain',
    },
  },
  // Steps, counts and devices change while an erasure goes on.
  erasures: {
    stream: 'FACTS',
    replacing: true,
    columns: { ...SCOPE, player_id: 'text', erased_at: 'time', received_at: 'time' },
  },
  scores: { stream: 'RECORDS', columns: SCORE },
  challenger_scores: { stream: 'RECORDS', columns: SCORE },
} as const satisfies Record<string, AuditedTable>;

export type AuditedName = keyof typeof AUDITED_TABLES;

export const AUDITED: Readonly<Record<AuditedName, AuditedTable>> = AUDITED_TABLES;

/** The column of the record and the column of the place in it. */
export function placeColumns({ stream }: AuditedTable): [sequence: string, index: string] {
  return stream === 'FACTS' ? ['facts_sequence', 'facts_index'] : ['records_sequence', 'records_index'];
}

/** A column in the form that is compared. */
export function readingOf(column: string, reading: Reading): string {
  switch (reading) {
    case 'plain':
      return column;
    case 'time':
      return `toUnixTimestamp64Milli(${column})`;
    case 'text':
      return `toString(${column})`;
    case 'bool':
      return `toUInt8(${column})`;
  }
}
