import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { formatTimestampOrNull, parseTimestamp } from '../../core/kernel/text/timestamp.ts';
import { effectiveVersion } from '../../core/vocabulary/labels.ts';
import { segmentsReadBy } from '../conditions/segments/segment-names.ts';
import { draftOf } from './experiment/draft.ts';
import { periodOf } from './periods.ts';
import type {
  FlagDocument,
  FlagPrerequisite,
  FlagRule,
  FlagType,
  SegmentDocument,
} from '../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument, ExperimentLayer } from '../../core/vocabulary/documents/experiments.ts';
import type { BucketBy, FlagServe } from '../../core/vocabulary/documents/flag-serve.ts';

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
  default_serve?: FlagServe;
  bucket_by?: BucketBy;
  variants: { key: string; value: Json; weight: number }[];
  targeting_rules: WireRule[];
  prerequisites: WirePrerequisite[];
  experiment?: WireExperiment;
}

/** The experiment that runs on a flag, in its current phase. */
export interface WireExperiment {
  key: string;
  phase: number;
  mode: ExperimentDocument['mode'];
  salt: string;
  bucket_by: BucketBy;
  traffic: number;
  layer: ExperimentLayer | null;
  variants: ExperimentDocument['variants'];
  audience: { segment_id: string | null; conditions?: JsonObject };
}

/** Another flag, and the value or the variant that it must serve. */
export type WirePrerequisite = { flag_key: string } & ({ value: Json } | { variant_key: string });

interface WireRule {
  segment_id: string | null;
  conditions?: JsonObject;
  value: boolean;
  serve?: FlagServe;
  salt?: string;
  bucket_by?: BucketBy;
  percentage: number;
  priority: number;
  /** ISO 8601. */
  start_at: string | null;
  end_at: string | null;
}

/**
 * Ids of the segments that the rules of flags name, and of those that these read.
 * @param segmentOf finds an enabled segment
 */
export function segmentsNamedBy(
  flags: readonly FlagDocument[],
  segmentOf: (id: string) => SegmentDocument | undefined,
  experiments: readonly ExperimentDocument[] = [],
): ReadonlySet<string> {
  const rules = flags.flatMap((flag) => flag.rules);
  const named = new Set(
    [...rules, ...experiments.map(({ audience }) => audience)].flatMap(({ segmentId, conditions }) =>
      [segmentId ?? [], segmentsReadBy(conditions)].flat(),
    ),
  );
  // Iteration of a Set includes members that are added during it.
  for (const id of named) {
    const segment = segmentOf(id);
    if (segment?.list !== undefined) continue;
    for (const inner of segmentsReadBy(segment?.conditions)) named.add(inner);
  }
  return named;
}

export function writeSegment(segment: SegmentDocument): WireSegment {
  const { id, key, conditions, list, includes, excludes } = segment;
  return {
    segment_id: id,
    key,
    version: effectiveVersion(segment),
    ...(list === undefined ? { conditions } : { conditions: MATCHES_NO_PLAYER, static: true }),
    ...(includes === undefined ? {} : { includes }),
    ...(excludes === undefined ? {} : { excludes }),
  };
}

const MATCHES_NO_PLAYER: JsonObject = { $nor: [{}] };

/** @param experiment the active one on the flag: a paused one takes no players whose variant is not known */
export function writeFlag(flag: FlagDocument, experiment?: ExperimentDocument): WireFlag {
  const running = experiment?.state === 'running' ? writeExperiment(experiment) : undefined;
  return {
    key: flag.key,
    version: effectiveVersion(flag),
    period: periodOf(flag),
    flag_type: flag.flagType,
    enabled: flag.enabled,
    salt: flag.salt,
    default_value: flag.defaultValue,
    ...(flag.defaultServe === undefined ? {} : { default_serve: flag.defaultServe }),
    ...(flag.bucketBy === undefined ? {} : { bucket_by: flag.bucketBy }),
    variants: flag.variants.map(({ key, value, weight }) => ({ key, value, weight })),
    targeting_rules: flag.rules.map(writeRule),
    prerequisites: flag.prerequisites.map(writePrerequisite),
    ...(running === undefined ? {} : { experiment: running }),
  };
}

function writeExperiment(experiment: ExperimentDocument): WireExperiment | undefined {
  const { key, mode, salt, bucketBy, traffic, layer, audience } = experiment;
  const current = experiment.phases.at(-1);
  if (current === undefined) return undefined;
  const { segmentId, conditions } = audience;
  const drawn = { mode, salt, bucket_by: bucketBy, traffic, layer };
  const whom = { segment_id: segmentId, ...(conditions === undefined ? {} : { conditions }) };
  return { key, phase: current.phase, ...drawn, variants: current.variants, audience: whom };
}

/** The document for `compileFlag`; undefined: none runs on the flag. */
export function readExperiment({ key: flagKey, experiment }: WireFlag): ExperimentDocument | undefined {
  if (experiment === undefined) return undefined;
  const { key, phase, mode, salt, bucket_by: bucketBy, traffic, layer, variants, audience } = experiment;
  const { segment_id: segmentId, conditions } = audience;
  return draftOf(key, salt, {
    flagKey,
    mode,
    audience: { segmentId, ...(conditions === undefined ? {} : { conditions }) },
    traffic,
    variants,
    bucketBy,
    layer,
    state: 'running',
    phases: [{ phase, since: 0, variants }],
  });
}

/** A rule without its name. */
export function writeRule(rule: FlagRule): WireRule {
  return {
    segment_id: rule.segmentId,
    ...(rule.conditions === undefined ? {} : { conditions: rule.conditions }),
    value: rule.value,
    ...(rule.serve === undefined ? {} : { serve: rule.serve }),
    ...(rule.salt === undefined ? {} : { salt: rule.salt }),
    ...(rule.bucketBy === undefined ? {} : { bucket_by: rule.bucketBy }),
    percentage: rule.percentage,
    priority: rule.priority,
    start_at: formatTimestampOrNull(rule.startAt),
    end_at: formatTimestampOrNull(rule.endAt),
  };
}

export function writePrerequisite(needed: FlagPrerequisite): WirePrerequisite {
  const { flagKey: flag_key } = needed;
  return 'variantKey' in needed ? { flag_key, variant_key: needed.variantKey } : { flag_key, value: needed.value };
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
    ...(flag.default_serve === undefined ? {} : { defaultServe: flag.default_serve }),
    salt: flag.salt,
    ...(flag.bucket_by === undefined ? {} : { bucketBy: flag.bucket_by }),
    variants: flag.variants,
    rules: flag.targeting_rules.map(readRule),
    prerequisites: flag.prerequisites.map(readPrerequisite),
    createdAt: 0,
    updatedAt: 0,
    archivedAt: null,
    version: flag.version,
    periods: [{ period: flag.period, version: flag.version, since: 0 }],
  };
}

function readPrerequisite(needed: WirePrerequisite): FlagPrerequisite {
  const { flag_key: flagKey } = needed;
  return 'variant_key' in needed ? { flagKey, variantKey: needed.variant_key } : { flagKey, value: needed.value };
}

function readRule(rule: WireRule): FlagRule {
  const { segment_id: segmentId, conditions, value, serve, salt, bucket_by: bucketBy } = rule;
  const { percentage, priority, ...times } = rule;
  return {
    name: '',
    segmentId,
    ...(conditions === undefined ? {} : { conditions }),
    value,
    ...(serve === undefined ? {} : { serve }),
    ...(salt === undefined ? {} : { salt }),
    ...(bucketBy === undefined ? {} : { bucketBy }),
    percentage,
    priority,
    startAt: epochMs(times.start_at),
    endAt: epochMs(times.end_at),
  };
}

function epochMs(text: string | null): number | null {
  return text === null ? null : (parseTimestamp(text) ?? null);
}
