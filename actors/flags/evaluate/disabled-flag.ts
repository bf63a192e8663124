import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { Flag } from '../../decision/targeting.ts';
import { NO_PERIOD } from '../periods.ts';

/**
 * Replaces a flag that does not compile: serves its default with the reason `flag_disabled`.
 * @param key passed separately, because a document of another version may have any shape
 */
export function disabledFlag(key: string, document: FlagDocument): Flag {
  const disabled = disabledAnswer(key, document);
  // Dependent flags read the prerequisites, which may have any shape too.
  return { key, document: { ...document, prerequisites: [] }, evaluate: () => disabled };
}

/**
 * Wraps a flag: an evaluation that throws (a bug in an operator, an unexpected state) serves the default with the
 * reason `flag_disabled`. Other evaluations are unaffected; otherwise a caller could disable the flag for all players
 * with a context that makes it throw.
 * @param onThrow called for the first error only
 */
export function guardedFlag(flag: Flag, onThrow: (error: unknown) => void): Flag {
  const { key, document } = flag;
  const disabled = disabledAnswer(key, document);
  let isReported = false;
  return {
    key,
    document,
    evaluate(subject, targeting, served) {
      try {
        return flag.evaluate(subject, targeting, served);
      } catch (error) {
        if (!isReported) onThrow(error);
        isReported = true;
        return disabled;
      }
    },
  };
}

/** The evaluation of a disabled flag: its default value. */
export function disabledAnswer(flagKey: string, document: Partial<FlagDocument>): FlagEvaluation {
  const value = JSON.stringify(document.defaultValue ?? null);
  return Object.freeze({
    flagKey,
    value,
    variantKey: null,
    reason: 'flag_disabled',
    period: NO_PERIOD,
  });
}
