import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { formatTimestampOrNull, parseTimestamp } from '../../core/kernel/text/timestamp.ts';
import { periodOf } from './periods.ts';
import type { FlagDocument, FlagRule, FlagType, SegmentDocument } from '../../core/vocabulary/documents/documents.ts';

/*
 * The definitions of flags as servers get them for local evaluation: what `compileFlag` and `compileCondition` need,
 * and nothing that is meant for people only.
 *
 * Invariant: a document that was written and read again evaluates every player alike (definitions-format.test.ts).
 */

/** Rises when readers of the current format would evaluate wrongly. New fields that they may ignore keep it. */
export const DEFINITIONS_FORMAT = 1;

/** A segment that the rules of flags name. */
export interface WireSegment {
  segment_id: string;
  key: string;
  version: number;
  conditions: JsonObject;
  /** Its players are those of a list that only the service has; `conditions` then match no player. */
  static?: true;
  /** Ids of players who are in the segment, or not in it, whatever its conditions say. */
  includes?: readonly string[];
  excludes?: readonly string[];
}

/** A flag. */
export interface WireFlag {
  key: string;
  version: number;
  period: number;
  flag_type: FlagType;
  enabled: boolean;
  salt: string;
  default_value: Json;
  variants: { key: string; value: Json; weight: number }[];
  targeting_rules: WireRule[];
  prerequisites: { flag_key: string; value: Json }[];
}

interface WireRule {
  segment_id: string | null;
  conditions?: JsonObject;
  value: boolean;
  percentage: number;
  priority: number;
  /** ISO 8601. */
  start_at: string | null;
  end_at: string | null;
}

/** Ids of the segments that the rules of flags name. */
export function segmentsNamedBy(flags: readonly FlagDocument[]): ReadonlySet<string> {
  return new Set(flags.flatMap(({ rules }) => rules.flatMap(({ segmentId }) => segmentId ?? [])));
}

export function writeSegment(segment: SegmentDocument): WireSegment {
  const { id, key, version, conditions, list, includes, excludes } = segment;
  return {
    segment_id: id,
    key,
    version,
    ...(list === undefined ? { conditions } : { conditions: MATCHES_NO_PLAYER, static: true }),
    ...(includes === undefined ? {} : { includes }),
    ...(excludes === undefined ? {} : { excludes }),
  };
}

const MATCHES_NO_PLAYER: JsonObject = { $nor: [{}] };

export function writeFlag(flag: FlagDocument): WireFlag {
  return {
    key: flag.key,
    version: flag.version,
    period: periodOf(flag),
    flag_type: flag.flagType,
    enabled: flag.enabled,
    salt: flag.salt,
    default_value: flag.defaultValue,
    variants: flag.variants.map(({ key, value, weight }) => ({ key, value, weight })),
    targeting_rules: flag.rules.map((rule) => ({
      segment_id: rule.segmentId,
      ...(rule.conditions === undefined ? {} : { conditions: rule.conditions }),
      value: rule.value,
      percentage: rule.percentage,
      priority: rule.priority,
      start_at: formatTimestampOrNull(rule.startAt),
      end_at: formatTimestampOrNull(rule.endAt),
    })),
    prerequisites: flag.prerequisites.map(({ flagKey, value }) => ({ flag_key: flagKey, value })),
  };
}

/** The document for `compileFlag`. Names, descriptions and times of edits are not in the format. */
export function readFlag(flag: WireFlag): FlagDocument {
  return {
    key: flag.key,
    name: flag.key,
    description: '',
    flagType: flag.flag_type,
    enabled: flag.enabled,
    defaultValue: flag.default_value,
    salt: flag.salt,
    variants: flag.variants,
    rules: flag.targeting_rules.map(readRule),
    prerequisites: flag.prerequisites.map(({ flag_key: flagKey, value }) => ({ flagKey, value })),
    createdAt: 0,
    updatedAt: 0,
    archivedAt: null,
    version: flag.version,
    periods: [{ period: flag.period, version: flag.version, since: 0 }],
  };
}

function readRule({ segment_id: segmentId, conditions, value, percentage, priority, ...times }: WireRule): FlagRule {
  return {
    name: '',
    segmentId,
    ...(conditions === undefined ? {} : { conditions }),
    value,
    percentage,
    priority,
    startAt: epochMs(times.start_at),
    endAt: epochMs(times.end_at),
  };
}

function epochMs(text: string | null): number | null {
  return text === null ? null : (parseTimestamp(text) ?? null);
}
