import {
  type ExperimentDocument,
  type Guardrail,
  type GuardrailShares,
  isActive,
} from '../../core/vocabulary/documents/experiments.ts';

/*
 * How the comparisons of guardrails share the error rate of an experiment.
 *
 * Invariants
 * 1. The share of a comparison never changes, so that what it spent is never spent again.
 * 2. The shares of all comparisons that there were or will be add up to 1 at most: nine tenths are for those of the
 *    start, in equal parts, and the j-th later one has 1 / (j (j + 1)) of the rest, since Σ 1 / (j (j + 1)) = 1.
 */

type Shared = Pick<ExperimentDocument, 'guardrails' | 'phases' | 'guardrailShares'>;

/** Two guardrails with one name are the same one: a change of its margin or action makes no new one. */
export function guardrailName({ metric, worse }: Pick<Guardrail, 'metric' | 'worse'>): string {
  const fields = Object.entries(metric).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([worse, ...fields]);
}

export const sharesAtStart = (guardrails: readonly Guardrail[]): GuardrailShares => ({
  atStart: guardrails.length,
  added: 0,
  numbers: {},
});

/** Guardrails that come while the experiment is active get numbers; one that comes again gets another one. */
export function withShares(held: ExperimentDocument, next: ExperimentDocument): ExperimentDocument {
  if (!isActive(held)) return next;
  const there = new Set(held.guardrails.map(guardrailName));
  const { atStart, numbers: known, ...before } = held.guardrailShares ?? sharesAtStart(held.guardrails);
  let { added } = before;
  const numbers = next.guardrails.map(guardrailName).flatMap((name): [string, number][] => {
    const number = there.has(name) ? known[name] : (added += 1);
    return number === undefined ? [] : [[name, number]];
  });
  return { ...next, guardrailShares: { atStart, added, numbers: Object.fromEntries(numbers) } };
}

/** The share of a variant in a guardrail; undefined: it is the control, or never had a weight. */
export function comparisonShare(experiment: Shared, guardrail: Guardrail, variant: string): number | undefined {
  const { guardrails, guardrailShares: { atStart, numbers } = sharesAtStart(guardrails) } = experiment;
  const [first, later] = treatmentsOf(experiment);
  const number = later.indexOf(variant);
  if (number < 0 && !first.includes(variant)) return undefined;
  return (
    shareOf(atStart, numbers[guardrailName(guardrail)]) * shareOf(first.length, number < 0 ? undefined : number + 1)
  );
}

/** The variants with a weight beside the control: those of the first phase, and the later ones in their order. */
function treatmentsOf({ phases }: Shared): [first: string[], later: string[]] {
  const control = phases[0]?.variants[0]?.key;
  const [first = [], ...others] = phases.map(({ variants }) =>
    variants.flatMap(({ key, weight }) => (weight > 0 && key !== control ? [key] : [])),
  );
  return [first, [...new Set(others.flat())].filter((key) => !first.includes(key))];
}

/** @param number of what was added; undefined: it is one of the start */
function shareOf(atStart: number, number: number | undefined): number {
  if (number === undefined) return OF_START / atStart;
  return (atStart === 0 ? 1 : 1 - OF_START) / (number * (number + 1));
}

const OF_START = 0.9;
