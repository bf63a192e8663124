import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import type { Flag } from '../../definitions.ts';
import { contentOf } from '../edited-flag.ts';

/**
 * The flag with one variant for every player that its rules select: the weights of the others become 0, rules with
 * weights of their own serve it, and rules include all of their players. For a boolean flag the rules include all
 * players, or with `false` none.
 */
export function shipped(flag: Flag, variant: string): JsonObject {
  const isOff = flag.flag_type === 'boolean' && variant === 'false';
  const rules = flag.targeting_rules.map((rule) =>
    rule.value === false ? rule : { ...rule, ...chosen(rule.serve, variant), percentage: isOff ? 0 : 100 },
  );
  const variants = flag.variants.map((each) => ({ ...each, weight: each.key === variant ? 100 : 0 }));
  const { serve: byDefault = flag.default_serve } = chosen(flag.default_serve, variant);
  const whole = byDefault === undefined ? flag : { ...flag, default_serve: byDefault };
  return contentOf({ ...whole, targeting_rules: rules, variants });
}

/** The variant in the place of weights. */
function chosen(serve: Flag['default_serve'], variant: string): { serve?: { variant: string } } {
  return serve?.weights === undefined ? {} : { serve: { variant } };
}
