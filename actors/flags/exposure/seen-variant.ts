import type { JsonText } from '../../../core/kernel/text/json.ts';

/** Identifies what a player saw of a flag: the variant, or the value of a boolean flag, which has no variants. */
export function seenVariant({ variantKey, value }: { variantKey: string | null; value: JsonText }): string | null {
  return variantKey ?? (value === 'true' || value === 'false' ? value : null);
}
