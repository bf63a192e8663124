import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { Flag, Targeting } from '../../decision/targeting.ts';

/* Client keys are public: a flag with `clientVisible: false` does not exist for them. */

/** The flag with this key, as far as the caller may learn of it. */
export function flagFor(
  by: CallerKind | undefined,
  key: string,
  { flags }: Pick<Targeting, 'flags'>,
): Flag | undefined {
  const flag = flags.get(key);
  return flag !== undefined && by === 'client' && isHidden(flag) ? undefined : flag;
}

export function isHidden({ document }: Pick<Flag, 'document'>): boolean {
  return document.clientVisible === false;
}

/** The evaluation of a visible flag without the name of a prerequisite that the caller may not learn of. */
export function withoutHidden(
  by: CallerKind | undefined,
  evaluation: FlagEvaluation,
  targeting: Pick<Targeting, 'flags'>,
): FlagEvaluation {
  const { prerequisiteKey, ...rest } = evaluation;
  if (by !== 'client' || prerequisiteKey === undefined) return evaluation;
  const flag = targeting.flags.get(prerequisiteKey);
  // It is unknown whether a missing flag was hidden.
  return flag === undefined || isHidden(flag) ? rest : evaluation;
}
