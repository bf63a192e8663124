import { type FixedPath, fixedPaths } from '../../../actors/experiments/fixed-paths.ts';
import { isSameDraw } from '../../../actors/experiments/life.ts';
import { isActive } from '../../../core/vocabulary/documents/experiments.ts';
import { unfinishedOf } from '../conditions/unfinished.ts';
import type { Experiment, Flag } from '../definitions.ts';
import type { Scope } from '../frame/api.ts';
import { type Document, partOf } from '../parts/drafts/document-values.ts';
import { isObject } from '../parts/editors/json-text.ts';
import { labelsOf } from '../parts/labels/labels.ts';
import { TEXTS } from '../texts.ts';

/* The experiment as the API shows it, the part that people write, and what follows from it. */

export type State = Experiment['state'];
export type Action = Experiment['actions'][number];

export const experimentQuery = ({ game, environment }: Scope, key: string): string[] => [
  'experiment',
  game,
  environment,
  key,
];

/** The fields that people write. */
export function writable(experiment: Experiment): Document {
  const { name, hypothesis, flag_key, mode, audience, traffic, variants } = experiment;
  const { bucket_by, salt, layer, primary, guardrails, plan } = experiment;
  const who = { audience, traffic, variants, bucket_by, salt, layer };
  return { name, hypothesis, flag_key, mode, ...who, primary, guardrails, plan, ...labelsOf(experiment) };
}

/** A variant with its weight, which a person may still be writing. */
export interface Weighted {
  key: string;
  weight: number;
}

export function variantsIn(document: Document): Weighted[] {
  const { variants } = document;
  return (Array.isArray(variants) ? variants : []).filter(isObject).map(({ key, weight }) => ({
    key: typeof key === 'string' ? key : '',
    weight: typeof weight === 'number' && Number.isFinite(weight) ? weight : 0,
  }));
}

/** The keys of the variants that a flag can serve; those of a boolean flag are its values. */
export const variantKeysOf = ({ flag_type: type, variants }: Pick<Flag, 'flag_type' | 'variants'>): string[] =>
  type === 'boolean' ? ['false', 'true'] : variants.map(({ key }) => key);

/** The variants of a flag with its weights; without any weight all alike. */
export function variantsOf(flag: Pick<Flag, 'flag_type' | 'variants'>): Weighted[] {
  const weights = new Map(flag.variants.map(({ key, weight }) => [key, weight]));
  const isWeighted = flag.variants.some(({ weight }) => weight > 0);
  return variantKeysOf(flag).map((key) => ({ key, weight: isWeighted ? (weights.get(key) ?? 0) : 50 }));
}

/** The shares of variants, as `control 90 %, wide 10 %`. */
export function sharesText(variants: readonly Weighted[]): string {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  return variants.map(({ key, weight }) => `${key} ${shareText(weight, total)}`).join(', ');
}

/** As `33.3 %`, and `50 %` without a digit behind it. */
export const shareText = (weight: number, total: number): string =>
  total === 0 ? TEXTS.none : `${Number(((100 * weight) / total).toFixed(1))}\u00A0%`;

/** Whether an active experiment is past its planned end. */
export function isOverdue({ state, plan }: Pick<Experiment, 'state' | 'plan'>, nowMs: number): boolean {
  const { ends_at: endsAt = null } = plan;
  return isActive({ state }) && endsAt !== null && Date.parse(endsAt) <= nowMs;
}

/** What of a definition cannot change any more. */
export function fixedIn(state: State): ReadonlySet<FixedPath> {
  return new Set(fixedPaths(state));
}

/** The number of the phase that a change begins; undefined: it begins none. */
export function phaseBegunBy(held: Experiment, document: Document): number | undefined {
  const next = variantsIn(document);
  if (!isActive(held) || isSameDraw(held.variants, next)) return undefined;
  return (held.phases.at(-1)?.phase ?? 0) + 1;
}

/** The variants of an active experiment that a change takes away. */
export function takenAway(held: Experiment, document: Document): string[] {
  const kept = variantsIn(document).map(({ key }) => key);
  return isActive(held) ? held.variants.map(({ key }) => key).filter((key) => !kept.includes(key)) : [];
}

/** Why the conditions of the audience cannot be saved; undefined: they can. Empty ones were begun and not finished. */
export function conditionsFault(document: Document): 'empty' | 'unfinished' | undefined {
  const { conditions } = partOf(document, 'audience');
  if (!isObject(conditions)) return undefined;
  if (Object.keys(conditions).length === 0) return 'empty';
  return unfinishedOf(conditions).length > 0 ? 'unfinished' : undefined;
}
