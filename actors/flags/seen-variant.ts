import type { JsonText } from '../../src/kernel/json.ts';

/** What tells apart what players saw of one version of a flag: the variant, or of a boolean flag, which has none, the value. */
export function seenVariant({ variantKey, value }: { variantKey: string | null; value: JsonText }): string | null {
  return variantKey ?? (value === 'true' || value === 'false' ? value : null);
}
