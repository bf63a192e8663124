import { overlap, variantKeysOf } from '../../../actors/experiments/experiment-faults.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { type ExperimentDocument, isActive } from '../../../core/vocabulary/documents/experiments.ts';
import type { RequestContext } from '../route/request-context.ts';

/* What experiments that run or are paused exclude: each other, and changes of their flags. */

function activeOthers({ key }: ExperimentDocument, context: RequestContext): ExperimentDocument[] {
  return active(context).filter((other) => other.key !== key);
}

function active({ key: { game, environment }, services: { config } }: RequestContext): ExperimentDocument[] {
  return config.list('experiment', game, environment).flatMap(({ document }) => (isActive(document) ? [document] : []));
}

/** The failure if an active experiment excludes this one. */
export function rivalOf(document: ExperimentDocument, context: RequestContext): Failure | undefined {
  if (!isActive(document)) return undefined;
  const others = activeOthers(document, context);
  const onFlag = others.find(({ flagKey }) => flagKey === document.flagKey);
  if (onFlag !== undefined) {
    const message = `The experiment \`${onFlag.key}\` is ${onFlag.state} on the flag \`${document.flagKey}\`; stop it first.`;
    return failure('CONFLICT', message, { experiment: onFlag.key, flag_key: document.flagKey });
  }
  const { layer } = document;
  const otherwise = others.find(({ layer: of, bucketBy }) => of?.key === layer?.key && bucketBy !== document.bucketBy);
  if (layer !== null && otherwise !== undefined) {
    const message =
      `The experiment \`${otherwise.key}\` divides the layer \`${layer.key}\` by \`${otherwise.bucketBy}\`; use the ` +
      'same `bucket_by`, or another layer.';
    return failure('CONFLICT', message, { experiment: otherwise.key, bucket_by: otherwise.bucketBy });
  }
  const inLayer = others.find((other) => overlap(document, other));
  if (inLayer?.layer === undefined || inLayer.layer === null) return undefined;
  const { from, to } = inLayer.layer;
  return failure(
    'CONFLICT',
    `The experiment \`${inLayer.key}\` has ${from} to ${to} % of the layer \`${inLayer.layer.key}\`; choose a range that does not overlap it.`,
    { experiment: inLayer.key, layer: inLayer.layer },
  );
}

/** The failure if an active experiment needs what a change of its flag takes away. */
export function heldByExperiment(flag: FlagDocument, context: RequestContext): Failure | undefined {
  const experiment = active(context).find(({ flagKey }) => flagKey === flag.key);
  if (experiment === undefined) return undefined;
  const { key, state, variants } = experiment;
  const details = { experiment: key, state };
  if (flag.archivedAt !== null) {
    return failure('CONFLICT', `The experiment \`${key}\` is ${state} on this flag; stop it first.`, details);
  }
  const keys = variantKeysOf(flag);
  const missing = variants.find((variant) => !keys.includes(variant.key));
  if (missing === undefined) return undefined;
  const message =
    `The experiment \`${key}\`, which is ${state}, uses the variant \`${missing.key}\`; remove the variant from the ` +
    'experiment, or stop the experiment.';
  return failure('CONFLICT', message, { ...details, variant_key: missing.key });
}
