import type { SampleAttributes, SampleFlag, SampleSegment } from '../service/samples/sample-flags.ts';

/** One flag's evaluation, as the bulk endpoint answers it. */
export interface Served {
  value: unknown;
  variant_key: string | null;
  reason: string;
  segment_id?: string;
}

/** The data of a bulk answer. */
export interface BulkAnswer {
  evaluations: Record<string, Served>;
  unknown_flags: string[];
}

export interface Expected {
  flags: readonly SampleFlag[];
  segments: readonly SampleSegment[];
  /** Key → id. */
  segmentIds: ReadonlyMap<string, string>;
}

/** The faults of an answer for a player with these attributes: a bench of wrong answers measures nothing. */
export function answerFaults(answer: BulkAnswer, attributes: SampleAttributes, expected: Expected): string[] {
  const faults = expected.flags.flatMap(({ body: { key }, segmentKey }) => {
    const served = answer.evaluations[key];
    if (served === undefined) return [`${key} is missing`];
    const segment = expected.segments.find((one) => one.body.key === segmentKey);
    if (segment === undefined) return [];
    const isIn = segment.holds(attributes);
    const isRight = isIn
      ? served.value === true &&
        served.reason === 'segment_match' &&
        served.segment_id === expected.segmentIds.get(segment.body.key)
      : served.value === false && served.reason === 'default';
    return isRight ? [] : [`${key} of ${JSON.stringify(attributes)} is ${JSON.stringify(served)}`];
  });
  return [...faults, ...answer.unknown_flags.map((key) => `${key} is unknown`)];
}

/** Reasons and variants that no answer has, of those that some of many players must get. */
export function neverServed(answers: readonly BulkAnswer[], variantKeys: readonly string[]): string[] {
  const served = answers.flatMap(({ evaluations }) => Object.values(evaluations));
  const reasons = new Set(served.map(({ reason }) => reason));
  const variants = new Set(served.map(({ variant_key: key }) => key));
  return [
    ...['default', 'segment_match', 'percentage_rollout', 'flag_disabled'].filter((reason) => !reasons.has(reason)),
    ...variantKeys.filter((key) => !variants.has(key)),
  ];
}
