import { Type } from 'typebox';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import { inUnits } from '../../../../core/kernel/money.ts';

/** Amounts are decimal text up to the owner, never floats. Validated as text, so that no digit is lost in a float. */
export function amountField(description: string) {
  return Type.Unsafe<string>({
    type: 'string',
    format: 'amount',
    description,
    'x-shown': {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: inUnits(SHARED_LIMITS.purchaseAmount),
      description,
    },
  });
}

export const money = (description: string) => Type.Number({ description: `${description}, in the game's currency.` });
