/* What a caller says of a player whose flags are evaluated in this process. */

/**
 * The player: `id` or `external_id`, and what the conditions of your flags and segments read. The names are those of
 * the API, so the answer of `GET /v1/players/players/{id}` can be passed as it is. What is left out is unknown, not
 * empty: a flag that needs it has the reason `needs_state`.
 */
export interface PlayerInput {
  /** The player's id by the service. */
  readonly id?: string;
  /** Your own id of the player; the id follows from it. */
  readonly external_id?: string;
  /** All attributes; those that are absent are read as missing. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly lifecycle_stage?: string;
  readonly session_count?: number;
  /** In the game's currency. */
  readonly total_revenue?: number;
  readonly is_payer?: boolean;
  readonly purchase_count?: number;
  readonly total_playtime_seconds?: number;
  readonly first_seen_at?: string | Date;
  readonly last_seen_at?: string | Date | null;
  /** Of the registration; null: none. Flags may bucket by it. `device_id` of the context takes precedence. */
  readonly device_id?: string | null;
  /** As sent with the latest `init`. A field of the same name in the context takes precedence. */
  readonly device_info?: {
    readonly platform?: string;
    readonly os_version?: string;
    readonly app_version?: string;
    readonly build?: string;
    readonly device_model?: string;
  };
  /**
   * Counts of events by name and UTC day, today first, at most 30 days. Names that are absent never happened.
   */
  readonly events?: Readonly<Record<string, readonly number[]>>;
  /**
   * Values of named computed properties by key, as `GET` of the player answers them. Counts of events by their
   * properties, which conditions define by themselves, cannot be given (`event_counts`).
   */
  readonly computed?: Readonly<Record<string, unknown>>;
  /** Keys or ids of all segments that the player is in. By default their conditions are evaluated. */
  readonly segments?: readonly string[];
  /** Values that flags serve to this player whatever their rules say, by flag key. None by default. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/** What an evaluation may need to know of a player; `other`: what this version of the client does not know. */
export const PLAYER_FIELDS = [
  'attributes',
  'lifecycle_stage',
  'session_count',
  'total_revenue',
  'is_payer',
  'purchase_count',
  'total_playtime_seconds',
  'first_seen_at',
  'last_seen_at',
  'external_id',
  'device_id',
  'device_info',
  'events',
  'computed',
  'event_counts',
  'segments',
  'other',
] as const;

export type PlayerField = (typeof PLAYER_FIELDS)[number];

const BITS: ReadonlyMap<PlayerField, number> = new Map(PLAYER_FIELDS.map((field, place) => [field, 1 << place]));

/** The bit of a field. Sets of fields are numbers: evaluations pass them on for every flag. */
export function bitOf(field: PlayerField): number {
  return BITS.get(field) ?? 0;
}

export function fieldsOf(bits: number): PlayerField[] {
  return PLAYER_FIELDS.filter((field) => (bits & bitOf(field)) !== 0);
}
