import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { Targeting } from '../../decision/targeting.ts';
import { anExperiment } from '../../experiments/testing-experiment.ts';
import { compileFlag } from '../evaluate/compile-flag.ts';
import type { ExperimentDocument, ExperimentVariant } from '../../../core/vocabulary/documents/experiments.ts';

/** By variant; the first is the control. */
export type Weights = Readonly<Record<string, number>>;

/** For tests: a running experiment on the flag `shop`, with a phase for each of the weights. */
export function aRunning(weights: readonly Weights[], some: Partial<ExperimentDocument> = {}): ExperimentDocument {
  const phases = weights.map((each, place) => ({ phase: place + 1, since: 1_000 * place, variants: variantsOf(each) }));
  return anExperiment({
    variants: phases.at(-1)?.variants ?? [],
    salt: 'salt of wide',
    state: 'running',
    phases,
    startedAt: 0,
    ...some,
  });
}

function variantsOf(weights: Weights): ExperimentVariant[] {
  return Object.entries(weights).map(([key, weight]) => ({ key, weight }));
}

/** Targeting with one flag and the experiment on it. */
export function triedTargeting(
  flag: FlagDocument,
  experiment?: ExperimentDocument,
  some: Partial<Targeting> = {},
): Targeting {
  const made = compileFlag(flag, { experiment });
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
  const experimentOf = (key: string) => (key === flag.key ? experiment : undefined);
  return { segments: [], segment: () => undefined, flags: new Map([[flag.key, made.flag]]), experimentOf, ...some };
}
