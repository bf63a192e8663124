import type { FlagDocument } from '../vocabulary/documents.ts';
import type { FlagEvaluation } from '../vocabulary/replies.ts';
import type { Flag } from '../targeting.ts';

/**
 * Stands in for a flag that does not compile: it serves its default as disabled, whatever else is wrong with it.
 * @param key the document's own may be missing, as a document of another version may have any shape
 */
export function disabledFlag(key: string, document: FlagDocument): Flag {
  const disabled = disabledAnswer(key, document);
  // What it waits for is looked at by whoever waits for it, and may be of any shape too.
  return { key, document: { ...document, prerequisites: [] }, evaluate: () => disabled };
}

/**
 * The flag, but where its evaluation throws (a bug in an operator, a state nobody foresaw) it serves its default as
 * disabled. Elsewhere it goes on: were it disabled for everybody, a caller who finds a context that makes it throw could
 * turn it off.
 * @param onThrow told the first time only
 */
export function guardedFlag(flag: Flag, onThrow: (error: unknown) => void): Flag {
  const { key, document } = flag;
  const disabled = disabledAnswer(key, document);
  let isTold = false;
  return {
    key,
    document,
    evaluate(subject, targeting, served) {
      try {
        return flag.evaluate(subject, targeting, served);
      } catch (error) {
        if (!isTold) onThrow(error);
        isTold = true;
        return disabled;
      }
    },
  };
}

/** The default value, as a disabled flag serves it. */
export function disabledAnswer(flagKey: string, { defaultValue }: Partial<FlagDocument>): FlagEvaluation {
  const value = JSON.stringify(defaultValue ?? null);
  return Object.freeze({ flagKey, value, variantKey: null, reason: 'flag_disabled' });
}
