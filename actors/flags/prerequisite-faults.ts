import type { FieldFault } from '../../src/kernel/errors.ts';
import type { FlagDocument, FlagPrerequisite } from '../vocabulary/documents.ts';
import { valueFaults } from './value-faults.ts';

type FlagByKey = (key: string) => FlagDocument | undefined;

/** Prerequisites that can never be met, or never end: missing flags, values of the wrong type, repeats and cycles. */
export function prerequisiteFaults({ key, prerequisites }: FlagDocument, flag: FlagByKey): FieldFault[] {
  const there: FlagByKey = (other) => {
    const document = flag(other);
    return document?.archivedAt === null ? document : undefined;
  };
  const keys = prerequisites.map(({ flagKey }) => flagKey);
  return prerequisites.flatMap((prerequisite, index) => {
    const path = `/prerequisites/${index}`;
    const message = keys.indexOf(prerequisite.flagKey) < index ? 'is there twice' : keyFault(key, prerequisite, there);
    if (message !== undefined) return [{ path: `${path}/flag_key`, message }];
    const type = there(prerequisite.flagKey)?.flagType;
    // A flag of any type but boolean may serve null by default.
    return type === undefined ? [] : valueFaults(`${path}/value`, prerequisite.value, type, type !== 'boolean');
  });
}

function keyFault(key: string, { flagKey }: FlagPrerequisite, flag: FlagByKey): string | undefined {
  if (flagKey === key) return 'must be the key of another flag';
  if (flag(flagKey) === undefined) return 'must be the key of a flag of this game';
  return waitsFor(flagKey, key, flag) ? `must not depend on the flag ${key} itself` : undefined;
}

/** Whether a flag's answer depends on another's, however far down. Ends even where definitions already form a cycle. */
function waitsFor(flagKey: string, wanted: string, flag: FlagByKey): boolean {
  const seen = new Set([flagKey]);
  // What is added while a Set is walked is walked too.
  for (const key of seen) {
    if (key === wanted) return true;
    for (const next of flag(key)?.prerequisites ?? []) seen.add(next.flagKey);
  }
  return false;
}
