import type { FieldFault } from '../../../core/kernel/errors.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import { hasTooManyPatterns, TOO_MANY_PATTERNS } from '../../conditions/check/pattern-load.ts';
import { unknownSegment, unknownSegmentFaults, type SegmentLookup } from '../../segments/unknown-segment.ts';
import { compileRules } from '../evaluate/compile-rule.ts';
import { prerequisiteFaults } from './prerequisite-faults.ts';
import { serveFaults, servesValues } from './serve-faults.ts';
import { valueFaults } from './value-faults.ts';

/** Finds the other definitions of the flag's game and environment. */
export interface OtherDefinitions extends SegmentLookup {
  /** `undefined` also for an archived flag. */
  flag(key: string): FlagDocument | undefined;
}

/**
 * Validates a definition that matches its schema. Paths are JSON Pointers with the names of the wire.
 * @param previous the definition before an edit: only new faults are returned, so that a flag whose prerequisite or
 * segment was deleted can still be disabled
 * @returns at most `reportedFaults`; none: the flag compiles, or the edit adds no fault
 */
export function flagFaults(document: FlagDocument, others: OtherDefinitions, previous?: FlagDocument): FieldFault[] {
  if (exceedsPatterns(document) && (previous === undefined || !exceedsPatterns(previous))) {
    return [{ path: '/targeting_rules', message: TOO_MANY_PATTERNS }];
  }
  const faults = allFaults(document, others);
  if (previous === undefined || faults.length === 0) return faults.slice(0, VALIDATION_LIMITS.reportedFaults);
  const before = new Set(allFaults(previous, others).map((fault) => identity(previous, fault)));
  return faults.filter((fault) => !before.has(identity(document, fault))).slice(0, VALIDATION_LIMITS.reportedFaults);
}

/** Whether the flag's regular expressions would take too long to compile. */
function exceedsPatterns({ rules }: FlagDocument): boolean {
  return hasTooManyPatterns(rules.map(({ conditions }) => conditions ?? null));
}

function allFaults(document: FlagDocument, others: OtherDefinitions): FieldFault[] {
  const oversize = sizeFaults(document);
  // Other faults of an oversized definition would only make the list long.
  if (oversize.length > 0) return oversize;
  const { faults, refusals } = compileRules(document);
  return [
    ...valueFaults('/default_value', document.defaultValue, document.flagType, document.flagType !== 'boolean'),
    ...variantFaults(document),
    ...serveFaults(document),
    ...document.rules.flatMap((rule, index) => ruleFaults(rule, `/targeting_rules/${index}`, others)),
    ...faults,
    ...refusals,
    ...prerequisiteFaults(document, (key) => others.flag(key)),
  ];
}

/** Identifies a fault by its message and value, not by its index: an edit may move rules. */
function identity(document: FlagDocument, { path, message }: FieldFault): string {
  const [, field = '', index = '', ...rest] = path.split('/');
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    variants: document.variants,
    targeting_rules: document.rules,
    prerequisites: document.prerequisites,
  };
  const list = lists[field];
  const single = { default_value: document.defaultValue, default_serve: document.defaultServe }[field];
  const value = single !== undefined ? single : index === '' ? list : list?.[Number(index)];
  return JSON.stringify([field, rest, message, value]);
}

function sizeFaults(document: FlagDocument): FieldFault[] {
  const { variants, rules, prerequisites } = document;
  const faults = [
    ...countFaults('/variants', variants, FLAG_LIMITS.flagVariants),
    ...countFaults('/targeting_rules', rules, FLAG_LIMITS.flagRules),
    ...countFaults('/prerequisites', prerequisites, FLAG_LIMITS.flagPrerequisites),
  ];
  if (Buffer.byteLength(JSON.stringify(document)) > FLAG_LIMITS.flagBytes) {
    faults.push({ path: '', message: OVERSIZE });
  }
  return faults;
}

// Without the current size: `identity` compares messages, and an edit may change the size.
const OVERSIZE = `is too large; the maximum is ${FLAG_LIMITS.flagBytes} bytes as JSON; use fewer or shorter rules`;

function countFaults(path: string, items: readonly unknown[], most: number): FieldFault[] {
  return items.length > most ? [{ path, message: `has ${items.length} items; the maximum is ${most}` }] : [];
}

function variantFaults(document: FlagDocument): FieldFault[] {
  const { flagType, variants } = document;
  const path = '/variants';
  if (flagType === 'boolean') {
    return variants.length === 0 ? [] : [{ path, message: 'must be empty: a boolean flag has no variants' }];
  }
  if (variants.length === 0) {
    return servesValues(document)
      ? []
      : [
          {
            path,
            message: `must have at least one variant, because the flag's type is ${flagType}, or rules that serve values only`,
          },
        ];
  }
  const keys = variants.map(({ key }) => key);
  const faults = variants.flatMap(({ key, value, weight }, index) => [
    ...(keys.indexOf(key) < index
      ? [{ path: `${path}/${index}/key`, message: 'repeats an earlier key; each key must be unique' }]
      : []),
    ...valueFaults(`${path}/${index}/value`, value, flagType, false),
    ...rangeFaults(`${path}/${index}/weight`, weight, FLAG_LIMITS.flagWeight),
  ]);
  const weightless = variants.every(({ weight }) => weight === 0);
  return weightless ? [...faults, { path, message: 'must have a variant with a weight greater than 0' }] : faults;
}

function ruleFaults(rule: FlagRule, path: string, others: OtherDefinitions): FieldFault[] {
  const { segmentId, conditions = {}, percentage, startAt, endAt } = rule;
  const faults = [
    ...rangeFaults(`${path}/percentage`, percentage, 100),
    ...unknownSegmentFaults(conditions, `${path}/conditions`, others),
  ];
  if (segmentId !== null && !others.segmentExists(segmentId)) {
    faults.push({ path: `${path}/segment_id`, message: unknownSegment(segmentId, others) });
  }
  if (startAt !== null && endAt !== null && endAt <= startAt) {
    faults.push({ path: `${path}/end_at`, message: 'must be after `start_at`' });
  }
  return faults;
}

function rangeFaults(path: string, value: number, most: number): FieldFault[] {
  return value >= 0 && value <= most ? [] : [{ path, message: `must be from 0 to ${most}` }];
}
