import type { FlagEvaluation } from '../../actors/vocabulary/replies.ts';
import { LIMITS } from '../kernel/limits.ts';

/**
 * Writes evaluations as JSON text, each shared one only once: an owner of this process hands the same frozen object to
 * everybody whom a flag serves alike, and writing 20 of them anew was a fifth of a bulk evaluation.
 */
export function rememberedText(write: (evaluation: FlagEvaluation) => string): (evaluation: FlagEvaluation) => string {
  const texts = new WeakMap<FlagEvaluation, string>();
  return (evaluation) => {
    const held = texts.get(evaluation);
    if (held !== undefined) return held;
    const text = write(evaluation);
    // One that came by message is seen once, and one that is not frozen may yet say something else.
    if (text.length <= LIMITS.rememberedEvaluationChars && Object.isFrozen(evaluation)) texts.set(evaluation, text);
    return text;
  };
}
