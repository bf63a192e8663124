import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument, FlagPrerequisite } from '../../../core/vocabulary/documents/documents.ts';
import { valueFaults } from './value-faults.ts';

type FlagByKey = (key: string) => FlagDocument | undefined;

/** Finds prerequisites that can never be met: missing flags, values of the wrong type, repeats and cycles. */
export function prerequisiteFaults({ key, prerequisites }: FlagDocument, flag: FlagByKey): FieldFault[] {
  const active: FlagByKey = (other) => {
    const document = flag(other);
    return document?.archivedAt === null ? document : undefined;
  };
  const keys = prerequisites.map(({ flagKey }) => flagKey);
  return prerequisites.flatMap((prerequisite, index) => {
    const path = `/prerequisites/${index}`;
    const message = keys.indexOf(prerequisite.flagKey) < index ? REPEATED : keyFault(key, prerequisite, active);
    if (message !== undefined) return [{ path: `${path}/flag_key`, message }];
    const other = active(prerequisite.flagKey);
    if (other === undefined) return [];
    if ('variantKey' in prerequisite) return variantFaults(prerequisite.variantKey, other, path);
    // A flag of any type but boolean may serve null by default.
    return valueFaults(`${path}/value`, prerequisite.value, other.flagType, other.flagType !== 'boolean');
  });
}

function variantFaults(variantKey: string, { key, variants }: FlagDocument, path: string): FieldFault[] {
  if (variants.some((variant) => variant.key === variantKey)) return [];
  return [{ path: `${path}/variant_key`, message: `must be the key of a variant of the flag \`${key}\`` }];
}

export const CYCLE = 'prerequisites must not form a cycle';

const REPEATED = 'repeats an earlier prerequisite; name each flag once';

function keyFault(key: string, { flagKey }: FlagPrerequisite, flag: FlagByKey): string | undefined {
  if (flagKey === key) return 'must be the key of another flag';
  if (flag(flagKey) === undefined) return 'must be the key of a flag of this game that is not archived';
  if (!dependsOn(flagKey, key, flag)) return undefined;
  return `depends on \`${key}\` itself; ${CYCLE}`;
}

/** Whether a flag depends on another, directly or not. Terminates even if definitions already form a cycle. */
function dependsOn(flagKey: string, wanted: string, flag: FlagByKey): boolean {
  const seen = new Set([flagKey]);
  // Iteration of a Set includes members that are added during it.
  for (const key of seen) {
    if (key === wanted) return true;
    for (const next of flag(key)?.prerequisites ?? []) seen.add(next.flagKey);
  }
  return false;
}
