import type { FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import type { FlagDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument, ExperimentVariant } from '../../../../core/vocabulary/documents/experiments.ts';
import type { Trial } from '../../../../core/vocabulary/facts/flag-reason.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { ModelFlags } from './flag-set.ts';
import { bucketOf, CHANGEABLE, clusterIn, fnv1a, keyIn } from './model-buckets.ts';
import { isTrue } from '../model-segments.ts';

/* Experiments as documented in docs/experiments.md: who has which variant of the one that is active on a flag. */

type Shown = Pick<FlagEvaluation, 'value' | 'variantKey' | 'period' | 'stratum' | 'cluster' | 'trial'>;

/** What the experiment shows, or only what the answer of the flag's rules counts as; `undefined`: it has no part. */
export function triedBy(
  state: PlayerState,
  flag: FlagDocument,
  { experiments, holdout }: Pick<ModelFlags, 'experiments' | 'holdout'>,
): { shown: Shown } | { trial: Trial } | undefined {
  const experiment = experiments?.get(flag.key);
  if (experiment === undefined) return undefined;
  const isHeldOut = holdout !== undefined && bucketOf(holdout.salt, state.id) < hundredths(holdout.percentage);
  const kept = state.servedFlags.find(({ flagKey }) => flagKey === flag.key);
  if (kept?.trial?.experiment === experiment.key) {
    const { trial, cluster } = kept;
    if (trial.variant !== 'holdout') {
      const isThere = experiment.variants.some(({ key }) => key === trial.variant);
      const shown = isThere ? shownBy(flag, experiment, trial, cluster) : undefined;
      return shown === undefined ? { trial: { ...trial, variant: 'dropped' } } : { shown };
    }
    if (isHeldOut) return { trial };
  }
  const phase = experiment.phases.at(-1);
  const key = keyIn(experiment.bucketBy, state);
  if (experiment.state !== 'running' || phase === undefined || !isForPlayer(experiment, state)) return undefined;
  if (key === undefined || !isInLayer(experiment, key)) return undefined;
  if (bucketOf(experiment.salt, key) >= hundredths(experiment.traffic)) return undefined;
  const trial = { experiment: experiment.key, phase: phase.phase };
  if (isHeldOut) return { trial: { ...trial, variant: 'holdout' } };
  const variant = variantAt(phase.variants, bucketOf(`${experiment.salt}:variant`, key));
  const cluster = experiment.bucketBy === 'player' ? undefined : clusterIn([experiment.bucketBy], state);
  const shown = variant === undefined ? undefined : shownBy(flag, experiment, { ...trial, variant }, cluster);
  return shown && { shown };
}

const hundredths = (percentage: number): number => Math.round(percentage * 100);

function isForPlayer({ audience: { segmentId, conditions } }: ExperimentDocument, state: PlayerState): boolean {
  if (segmentId !== null && !state.segments.some((membership) => membership.segmentId === segmentId)) return false;
  return conditions === undefined || isTrue(conditions, state, 0);
}

function isInLayer({ layer }: ExperimentDocument, key: string): boolean {
  if (layer === null) return true;
  const bucket = bucketOf(`layer:${layer.key}`, key);
  return bucket >= hundredths(layer.from) && bucket < hundredths(layer.to);
}

/** The variant of a bucket from 0 to 9,999; `undefined`: none has a weight. */
export function variantAt(variants: readonly ExperimentVariant[], bucket: number): string | undefined {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  return (
    variants.find(({ weight }) => bucket < Math.round(((sum += weight) / total) * 10_000)) ??
    variants.findLast(({ weight }) => weight > 0)
  )?.key;
}

function shownBy(
  flag: FlagDocument,
  experiment: ExperimentDocument,
  trial: Trial,
  cluster: number | undefined,
): Shown | undefined {
  const key = experiment.mode === 'aa' ? experiment.variants[0]?.key : trial.variant;
  const variant = flag.variants.find((one) => one.key === key);
  if (flag.flagType !== 'boolean' && variant === undefined) return undefined;
  const stratum = stratumIn(experiment, trial.phase);
  return {
    ...(variant === undefined
      ? { value: String(key), variantKey: null }
      : { value: JSON.stringify(variant.value), variantKey: variant.key }),
    period: shownPeriod(trial),
    ...(stratum === undefined ? {} : { stratum, ...(cluster === undefined ? {} : { cluster }) }),
    trial,
  };
}

/** The same number for all whom the phase drew; `undefined`: it has one variant, so that nothing is drawn. */
function stratumIn({ salt, bucketBy, phases }: ExperimentDocument, number: number): number | undefined {
  const weighted = (phases.find(({ phase }) => phase === number)?.variants ?? []).filter(({ weight }) => weight > 0);
  if (weighted.length < 2) return undefined;
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const ends = weighted.map(({ key, weight }) => [key, Math.round(((sum += weight) / total) * 10_000)]);
  const hash = fnv1a(`${bucketBy}\n${salt}\n${JSON.stringify(ends)}`);
  const stratum = 10_001 + Number(hash % BigInt(CHANGEABLE - 10_001));
  return bucketBy === 'player' ? stratum : CHANGEABLE + stratum;
}

/** The number that clients get as the period of an answer. */
export function shownPeriod({ experiment, phase }: Trial): number {
  return CHANGEABLE + Number(fnv1a(`${experiment}\n${phase}`) / 2n);
}

/** Whether it is one of the experiment's variants. */
export function isVariant(trial: Trial | undefined): boolean {
  return trial !== undefined && trial.variant !== 'holdout' && trial.variant !== 'dropped';
}

/**
 * What a player's record has as its variant after an answer. @param active the experiment that runs or is paused now
 */
export function trialAfter(
  before: Trial | undefined,
  { trial, reason }: Pick<FlagEvaluation, 'trial' | 'reason'>,
  active: ExperimentDocument | undefined,
): Trial | undefined {
  if (before === undefined || before.experiment !== active?.key) return trial;
  if (before.variant === 'holdout') {
    const isSilent = reason === 'flag_disabled' || reason === 'player_override';
    const isAgain = trial?.experiment === before.experiment && trial.variant === 'holdout';
    return isAgain || (isSilent && trial === undefined) ? before : trial;
  }
  const isDropped = trial?.experiment === before.experiment && trial.variant === 'dropped';
  return isDropped ? trial : before;
}
