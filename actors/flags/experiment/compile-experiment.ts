import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import type { Holdout } from '../../../core/vocabulary/documents/game.ts';
import { DROPPED, HELD_OUT, type Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import { keyReader } from '../../conditions/buckets/bucket-key.ts';
import { bucketsIn, seededBucket } from '../../conditions/buckets/hash.ts';
import type { Subject, Targeting } from '../../decision/targeting.ts';
import type { ConditionOptions } from '../../conditions/compile-condition.ts';
import { clusterOf } from '../draw/bucketing.ts';
import { servedOf } from '../evaluate/served-of.ts';
import { type Audience, compileAudience } from './audience.ts';
import { experimentAnswers } from './experiment-answers.ts';
import { createHoldoutTest, layerRange } from './shares.ts';
import { isAssigned } from './trials.ts';

/** What an experiment decides for a player. */
export type ExperimentOutcome =
  | { outcome: 'kept' | 'drawn'; evaluation: FlagEvaluation }
  /** The rules of the flag decide, and their answer counts as this variant. */
  | { outcome: 'held_out' | 'dropped'; trial: Trial }
  /** Why the player is not in it. */
  | {
      outcome:
        | 'paused'
        | 'not_in_segment'
        | 'conditions_not_met'
        | 'no_bucketing_value'
        | 'outside_layer'
        | 'outside_percentage'
        | 'no_variant';
    };

/** An experiment that runs or is paused on a flag. */
export interface CompiledExperiment {
  document: ExperimentDocument;
  audience: Audience;
  decide(subject: Subject, targeting: Pick<Targeting, 'holdout'>): ExperimentOutcome;
  /** The bucket by which the traffic includes a player, and the one of its variant; undefined: it has no key. */
  trafficBucketOf(subject: Subject): number | undefined;
  variantBucketOf(subject: Subject): number | undefined;
}

/**
 * Compiles an experiment. An audience that does not compile has no players: as in a paused experiment, players with a
 * variant keep it.
 */
export function compileExperiment(
  flag: FlagDocument,
  document: ExperimentDocument,
  options: Pick<ConditionOptions, 'onOverBudget' | 'lookup'> = {},
): CompiledExperiment {
  const { key, salt, bucketBy, layer, state } = document;
  const keyOf = keyReader(bucketBy);
  const audience = compileAudience(document, options);
  const trafficBucket = seededBucket(salt);
  const trafficEnd = bucketsIn(document.traffic);
  const isInLayer = layer === null ? undefined : layerRange(layer);
  const isHeldOut = createHoldoutTest();
  const answers = experimentAnswers(flag, document);
  const current = document.phases.at(-1);
  const open = state === 'running' && answers.split !== undefined && current !== undefined ? answers.split : undefined;
  const heldOut = { experiment: key, phase: current?.phase ?? 0, variant: HELD_OUT };
  const present = new Set(document.variants.map((variant) => variant.key));

  function keptBy({ player }: Subject, holdout: Holdout | undefined): ExperimentOutcome | undefined {
    const kept = servedOf(player, flag.key);
    const trial = kept?.trial;
    if (trial?.experiment !== key) return undefined;
    if (trial.variant === HELD_OUT) {
      return isHeldOut(holdout, player.id) ? { outcome: 'held_out', trial } : undefined;
    }
    const evaluation = present.has(trial.variant) ? answers.of(trial.phase, trial.variant) : undefined;
    if (!isAssigned(trial) || evaluation === undefined) {
      return { outcome: 'dropped', trial: { ...trial, variant: DROPPED } };
    }
    return { outcome: 'kept', evaluation: inCluster(evaluation, kept?.cluster) };
  }

  return {
    document,
    audience,
    decide(subject, { holdout }) {
      const kept = keptBy(subject, holdout);
      if (kept !== undefined) return kept;
      if (open === undefined) return { outcome: 'paused' };
      const failed = audience.failure(subject);
      if (failed !== undefined) return { outcome: failed };
      const text = keyOf(subject);
      if (text === undefined) return { outcome: 'no_bucketing_value' };
      if (isInLayer?.(text) === false) return { outcome: 'outside_layer' };
      if (trafficBucket(text) >= trafficEnd) return { outcome: 'outside_percentage' };
      if (isHeldOut(holdout, subject.player.id)) return { outcome: 'held_out', trial: heldOut };
      const evaluation = open.itemOf(text);
      if (evaluation === undefined) return { outcome: 'no_variant' };
      const cluster = bucketBy === 'player' ? undefined : clusterOf(bucketBy, text);
      return { outcome: 'drawn', evaluation: inCluster(evaluation, cluster) };
    },
    trafficBucketOf(subject) {
      const text = keyOf(subject);
      return text === undefined ? undefined : trafficBucket(text);
    },
    variantBucketOf(subject) {
      const text = keyOf(subject);
      return text === undefined ? undefined : answers.split?.bucketOf(text);
    },
  };
}

function inCluster(evaluation: FlagEvaluation, cluster: number | undefined): FlagEvaluation {
  return cluster === undefined || evaluation.stratum === undefined ? evaluation : { ...evaluation, cluster };
}
