import type { JsonText } from '../../../core/kernel/text/json.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument, ExperimentVariant } from '../../../core/vocabulary/documents/experiments.ts';
import type { Stratum } from '../../../core/vocabulary/facts/flag-reason.ts';
import { createSplit, type Split } from '../draw/split.ts';
import { stratumOfDraw } from '../draw/strata.ts';
import { shownPeriod } from './trials.ts';

/** What an experiment answers: prepared once for each phase and variant, frozen and shared by players. */
export interface ExperimentAnswers {
  /** Undefined: the flag does not have the variant. Players of a phase that is not known get it, and do not count. */
  of(phase: number, variant: string): FlagEvaluation | undefined;
  /** Draws by the weights of the current phase; undefined: there is no phase, or no variant has a weight. */
  split: Split<FlagEvaluation | undefined> | undefined;
}

export function experimentAnswers(flag: FlagDocument, document: ExperimentDocument): ExperimentAnswers {
  const { key: experiment, salt, mode, phases, variants } = document;
  const control = variants[0]?.key ?? '';
  const strata = new Map(phases.map((one) => [one.phase, stratumOfPhase(document, one.variants)]));
  const prepared = new Map<string, FlagEvaluation>();

  function of(phase: number, variant: string): FlagEvaluation | undefined {
    const id = `${phase} ${variant}`;
    const found = prepared.get(id);
    if (found !== undefined) return found;
    const shown = shownOf(flag, mode === 'aa' ? control : variant);
    if (shown === undefined) return undefined;
    const trial = Object.freeze({ experiment, phase, variant });
    const stratum = strata.get(phase);
    const made: FlagEvaluation = Object.freeze({
      flagKey: flag.key,
      ...shown,
      reason: 'percentage_rollout',
      period: shownPeriod(trial),
      ...(stratum === undefined ? {} : { stratum }),
      trial,
    });
    prepared.set(id, made);
    return made;
  }

  const current = phases.at(-1);
  const parts = current?.variants.map(({ key, weight }) => ({ weight, item: of(current.phase, key) }));
  return { of, split: parts && createSplit(salt, parts) };
}

/** The stratum of the players of a phase; `undefined`: all of them get the same. */
function stratumOfPhase(
  { salt, bucketBy }: Pick<ExperimentDocument, 'salt' | 'bucketBy'>,
  variants: readonly ExperimentVariant[],
): Stratum | undefined {
  const weighted = variants.filter(({ weight }) => weight > 0);
  if (weighted.length < 2) return undefined;
  const parts = weighted.map(({ key, weight }) => ({ variantKey: key, weight }));
  return stratumOfDraw({ bucketing: { salt, by: bucketBy }, parts });
}

/** A variant as answers show it. One of a boolean flag is a value. */
function shownOf(flag: FlagDocument, variant: string): { value: JsonText; variantKey: string | null } | undefined {
  if (flag.flagType === 'boolean') {
    return variant === 'true' || variant === 'false' ? { value: variant, variantKey: null } : undefined;
  }
  const found = flag.variants.find(({ key }) => key === variant);
  return found && { value: JSON.stringify(found.value), variantKey: variant };
}
