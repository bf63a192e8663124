import type { Flag } from '../definitions.ts';

/** Whether a rule gives players different variants. */
function isWeighted(serve: Flag['targeting_rules'][number]['serve'], variants: Flag['variants']): boolean {
  const weights = serve === undefined ? variants : (serve.weights ?? []);
  return weights.filter(({ weight }) => weight > 0).length > 1;
}

/** Whether a flag that is on gives different players different values, by chance. */
export function isSplit(flag: Flag): boolean {
  const { enabled, targeting_rules: rules, variants, flag_type: type, default_serve: byDefault } = flag;
  if (!enabled) return false;
  if (byDefault !== undefined && isWeighted(byDefault, variants)) return true;
  if (rules.some(({ value, serve }) => value !== false && isWeighted(serve, variants))) return true;
  return type === 'boolean' && rules.some(({ percentage = 100 }) => percentage > 0 && percentage < 100);
}
