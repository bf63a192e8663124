import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import type { Flag, Subject } from '../decision/targeting.ts';
import { definitionsOf } from '../testing-players.ts';
import { aFlag } from './evaluate/testing-flag.ts';
import type { Definitions } from '../decision/definitions.ts';

/** The document of a flag whose evaluation a test stubs. */
export function aFlagDocument(some: Partial<FlagDocument> = {}): FlagDocument {
  return aFlag({ key: 'shop', name: 'Shop', defaultValue: false, salt: 'salt', ...some });
}

/** The evaluation of a flag of `flagsOf`; `version` is the flag's version. */
export interface Served extends Partial<FlagEvaluation> {
  version?: number;
}

/** Definitions whose flags return the given evaluations: by key, an evaluation or a function of the subject. */
export function flagsOf(served: Readonly<Record<string, Served | ((subject: Subject) => Served)>>): Definitions {
  const flags = Object.entries(served).map(([key, given]): [string, Flag] => {
    const serve = (subject: Subject): Served => (typeof given === 'function' ? given(subject) : given);
    const version = typeof given === 'function' ? 1 : (given.version ?? 1);
    return [
      key,
      {
        key,
        document: aFlagDocument({ key, version }),
        evaluate(subject) {
          const { version: _, ...some } = serve(subject);
          return { flagKey: key, value: 'false', variantKey: null, reason: 'default', period: 1, ...some };
        },
      },
    ];
  });
  return definitionsOf({ flags: new Map(flags) });
}
