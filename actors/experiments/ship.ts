import { isDeepStrictEqual } from 'node:util';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument, ShippedBy } from '../../core/vocabulary/documents/experiments.ts';
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
export function shippedFlag(edited: FlagDocument, experiment: ExperimentDocument, variant: string): FlagDocument {
  const { key, audience } = experiment;
  const flag = withoutRemains(edited, key);
  const version = flag.version + 1;
  const isForAll = audience.segmentId === null && Object.keys(audience.conditions ?? {}).length === 0;
  if (isForAll && flag.rules.length === 0) {
    const { defaultServe: before = null } = flag;
    const mark: ShippedBy = { experiment: key, variant, version, by: 'default', before };
    return { ...flag, defaultServe: serveOf(flag, variant), shippedBy: mark };
  }
  const rules = [ruleOf(flag, experiment, variant), ...flag.rules];
  return { ...flag, rules, shippedBy: { experiment: key, variant, version, by: 'rule', audience } };
}

const serveOf = ({ flagType }: FlagDocument, variant: string): FlagServe =>
  flagType === 'boolean' ? { value: variant === 'true' } : { variant };

type Shipped = Pick<ExperimentDocument, 'name' | 'audience'>;

function ruleOf(flag: FlagDocument, { name, audience }: Shipped, variant: string): FlagRule {
  const { segmentId, conditions = {} } = audience;
  return {
    name: `Shipped: ${name}`.slice(0, TEXT_LIMITS.nameLength).toWellFormed(),
    segmentId,
    ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
    value: true,
    serve: serveOf(flag, variant),
    percentage: 100,
    // Rules with the same priority keep their order.
    priority: Math.min(0, ...flag.rules.map(({ priority }) => priority)),
    startAt: null,
    endAt: null,
  };
}

/** The flag without what an interrupted request left of shipping the experiment. Whatever people edited since stays. */
export function withoutRemains(flag: FlagDocument, experiment: string): FlagDocument {
  const { shippedBy, ...rest } = flag;
  if (shippedBy?.experiment !== experiment) return flag;
  if (shippedBy.by === 'default') {
    const isAsShipped = isDeepStrictEqual(flag.defaultServe, serveOf(flag, shippedBy.variant));
    return isAsShipped ? withDefault(rest, shippedBy.before) : rest;
  }
  const shipped = ruleOf(flag, { name: '', audience: shippedBy.audience }, shippedBy.variant);
  const place = rest.rules.findIndex((rule) =>
    isDeepStrictEqual({ ...rule, name: shipped.name, priority: shipped.priority }, shipped),
  );
  return place < 0 ? rest : { ...rest, rules: rest.rules.toSpliced(place, 1) };
}

function withDefault(flag: FlagDocument, serve: FlagServe | null): FlagDocument {
  const { defaultServe: _, ...without } = flag;
  return serve === null ? without : { ...without, defaultServe: serve };
}

/** The flag as it was before; undefined: it serves no winner of the experiment, or was changed since. */
export function unshippedFlag(flag: FlagDocument, experiment: string): FlagDocument | undefined {
  const { shippedBy, ...rest } = flag;
  if (shippedBy?.experiment !== experiment || shippedBy.version !== effectiveVersion(flag)) return undefined;
  if (shippedBy.by === 'rule') return { ...rest, rules: rest.rules.slice(1) };
  return withDefault(rest, shippedBy.before);
}
