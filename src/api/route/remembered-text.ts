import { ROUTE_LIMITS } from './limits.ts';

/**
 * Caches the JSON text of evaluations. An owner in this process returns the same frozen object to all players whom a
 * flag serves alike; serializing 20 of them took a fifth of a bulk evaluation.
 */
export function rememberedText<Evaluation extends object>(
  write: (evaluation: Evaluation) => string,
): (evaluation: Evaluation) => string {
  const texts = new WeakMap<Evaluation, string>();
  return (evaluation) => {
    const held = texts.get(evaluation);
    if (held !== undefined) return held;
    const text = write(evaluation);
    // Evaluations from other processes are not frozen and never seen again, so they are not cached.
    if (text.length <= ROUTE_LIMITS.rememberedEvaluationChars && Object.isFrozen(evaluation))
      texts.set(evaluation, text);
    return text;
  };
}
