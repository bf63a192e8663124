import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import type { FlagServe } from '../../core/vocabulary/documents/flag-serve.ts';
import { effectiveVersion } from '../../core/vocabulary/labels.ts';

/*
 * What shipping a winner does to the flag, and what takes it back.
 *
 * Invariants
 * 1. The audience of the experiment gets the winner, whatever other rules say: they had come after the experiment too.
 * 2. Taking it back gives the flag as it was. The flag holds what that needs, so no history is read.
 */

/** The flag that serves the winner to the audience of the experiment. */
export function shippedFlag(
  flag: FlagDocument,
  { key, name, audience: { segmentId, conditions = {} } }: ExperimentDocument,
  variant: string,
): FlagDocument {
  const serve: FlagServe = flag.flagType === 'boolean' ? { value: variant === 'true' } : { variant };
  const version = flag.version + 1;
  const isForAll = segmentId === null && Object.keys(conditions).length === 0;
  if (isForAll && flag.rules.length === 0) {
    const { defaultServe: before = null } = flag;
    return { ...flag, defaultServe: serve, shippedBy: { experiment: key, variant, version, by: 'default', before } };
  }
  const rule: FlagRule = {
    name: `Shipped: ${name}`.slice(0, TEXT_LIMITS.nameLength).toWellFormed(),
    segmentId,
    ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
    value: true,
    serve,
    percentage: 100,
    // Rules with the same priority keep their order.
    priority: Math.min(0, ...flag.rules.map(({ priority }) => priority)),
    startAt: null,
    endAt: null,
  };
  const rules = [rule, ...flag.rules];
  return { ...flag, rules, shippedBy: { experiment: key, variant, version, by: 'rule' } };
}

/** The flag as it was before; undefined: it serves no winner of the experiment, or was changed since. */
export function unshippedFlag(flag: FlagDocument, experiment: string): FlagDocument | undefined {
  const { shippedBy, ...rest } = flag;
  if (shippedBy?.experiment !== experiment || shippedBy.version !== effectiveVersion(flag)) return undefined;
  if (shippedBy.by === 'rule') return { ...rest, rules: rest.rules.slice(1) };
  const { defaultServe: _, ...without } = rest;
  return shippedBy.before === null ? without : { ...without, defaultServe: shippedBy.before };
}
