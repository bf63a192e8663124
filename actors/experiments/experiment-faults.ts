import type { FieldFault } from '../../core/kernel/errors.ts';
import { VALIDATION_LIMITS } from '../../core/kernel/validation/limits.ts';
import { DROPPED, HELD_OUT } from '../../core/vocabulary/facts/flag-reason.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import { type ExperimentDocument, hasEnded } from '../../core/vocabulary/documents/experiments.ts';
import { bucketsIn } from '../conditions/buckets/hash.ts';
import { hasTooManyPatterns, TOO_MANY_PATTERNS } from '../conditions/check/pattern-load.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { bucketFaults } from '../flags/check/serve-faults.ts';
import { armsOf } from '../flags/periods.ts';
import { type SegmentLookup, unknownSegment, unknownSegmentFaults } from '../segments/unknown-segment.ts';
import { EXPERIMENT_LIMITS } from './limits.ts';

/** The definitions that an experiment is validated against. */
export interface ExperimentContext extends SegmentLookup {
  /** `undefined` also for an archived flag. */
  flag(key: string): FlagDocument | undefined;
}

/** A fault and the value it refers to, which together identify it. */
interface Found extends FieldFault {
  value: unknown;
}

/**
 * Validates a definition that matches its schema. Paths are JSON Pointers with the names of the wire.
 * @param previous the definition before an edit: only new faults are returned
 */
export function experimentFaults(
  document: ExperimentDocument,
  context: ExperimentContext,
  previous?: ExperimentDocument,
): FieldFault[] {
  // It decides nothing any more, and its flag and segment may be gone.
  if (hasEnded(document) || document.state === 'stopped') return [];
  const before = new Set(previous === undefined ? [] : allFaults(previous, context).map((one) => JSON.stringify(one)));
  return allFaults(document, context)
    .filter((one) => !before.has(JSON.stringify(one)))
    .slice(0, VALIDATION_LIMITS.reportedFaults)
    .map(({ path, message }) => ({ path, message }));
}

function allFaults(document: ExperimentDocument, context: ExperimentContext): Found[] {
  const size = Buffer.byteLength(JSON.stringify({ ...document, phases: [], alerts: [], writes: [] }));
  if (size > EXPERIMENT_LIMITS.experimentBytes) return [{ path: '', message: OVERSIZE, value: null }];
  const { bucketBy } = document;
  return [
    ...flagFaults(document, context),
    ...variantFaults(document),
    ...audienceFaults(document, context),
    ...layerFaults(document),
    ...bucketFaults(bucketBy, '/bucket_by').map((fault) => ({ ...fault, value: bucketBy })),
  ];
}

const OVERSIZE = `is too large; the maximum is ${EXPERIMENT_LIMITS.experimentBytes} bytes as JSON`;

/** The variants that a flag can serve; those of a boolean flag are its values. */
export const variantKeysOf = (flag: FlagDocument): string[] => armsOf(flag).map(({ variantKey }) => variantKey);

function flagFaults({ flagKey, variants }: ExperimentDocument, context: ExperimentContext): Found[] {
  const found = context.flag(flagKey);
  if (found === undefined) {
    const message = 'must be the key of a flag of this game that is not archived';
    return [{ path: '/flag_key', message, value: flagKey }];
  }
  const keys = variantKeysOf(found);
  if (keys.length === 0) {
    return [
      { path: '/flag_key', message: 'must be a flag with variants; this one serves values only', value: flagKey },
    ];
  }
  const message = `must be the key of a variant of the flag \`${flagKey}\`: ${keys.join(', ')}`;
  return variants.flatMap(({ key }, place) =>
    keys.includes(key) ? [] : [{ path: `/variants/${place}/key`, message, value: [flagKey, key] }],
  );
}

const RESERVED = `must not be \`${HELD_OUT}\` or \`${DROPPED}\`, by which exposures name players without a variant`;

function variantFaults({ variants }: ExperimentDocument): Found[] {
  const keys = variants.map(({ key }) => key);
  const repeats = keys.flatMap((key, place) =>
    keys.indexOf(key) < place
      ? [{ path: `/variants/${place}/key`, message: 'repeats an earlier key; name each variant once', value: keys }]
      : [],
  );
  const reserved = keys.flatMap((key, place) =>
    key === HELD_OUT || key === DROPPED ? [{ path: `/variants/${place}/key`, message: RESERVED, value: keys }] : [],
  );
  const faults = [...repeats, ...reserved];
  if (variants.some(({ weight }) => weight > 0)) return faults;
  return [...faults, { path: '/variants', message: 'must have a weight greater than 0', value: variants }];
}

function audienceFaults({ audience: { segmentId, conditions = {} } }: ExperimentDocument, context: ExperimentContext) {
  const value = { segmentId, conditions };
  const faults: Found[] = [];
  if (segmentId !== null && !context.segmentExists(segmentId)) {
    faults.push({ path: '/audience/segment_id', message: unknownSegment(segmentId, context), value });
  }
  const path = '/audience/conditions';
  if (hasTooManyPatterns(conditions)) return [...faults, { path, message: TOO_MANY_PATTERNS, value }];
  const compiled = compileCondition(conditions, { context: true });
  const inCondition = compiled.kind === 'invalid' ? compiled.faults : compiled.refusals;
  return [
    ...faults,
    ...unknownSegmentFaults(conditions, path, context).map((fault): Found => ({ ...fault, value })),
    ...inCondition.map((fault): Found => ({ path: `${path}${fault.path}`, message: fault.message, value })),
  ];
}

function layerFaults({ layer }: ExperimentDocument): Found[] {
  if (layer === null || bucketsIn(layer.from) < bucketsIn(layer.to)) return [];
  return [{ path: '/layer/to', message: 'must be greater than `from`, by 0.01 at least', value: layer }];
}

/** Whether two experiments of a layer may include the same player. */
export function overlap({ layer: one }: ExperimentDocument, { layer: other }: ExperimentDocument): boolean {
  if (one === null || other === null || one.key !== other.key) return false;
  return bucketsIn(one.from) < bucketsIn(other.to) && bucketsIn(other.from) < bucketsIn(one.to);
}
