import type { FlagDocument } from '../../streams/config/documents.ts';
import type { FlagEvaluation } from '../replies.ts';
import type { Definitions, Flag, Subject } from '../targeting.ts';
import { definitionsOf } from '../testing.ts';

/** A flag's document for tests: enabled, boolean, without rules. */
export function aFlagDocument(some: Partial<FlagDocument> = {}): FlagDocument {
  return {
    key: 'shop',
    name: 'Shop',
    description: '',
    flagType: 'boolean',
    enabled: true,
    defaultValue: false,
    salt: 'salt',
    variants: [],
    rules: [],
    prerequisites: [],
    createdAt: 1_000,
    updatedAt: 1_000,
    archivedAt: null,
    version: 1,
    ...some,
  };
}

/** What a flag of `flagsOf` serves; `version` is the flag's. */
export interface Served extends Partial<FlagEvaluation> {
  version?: number;
}

/** Definitions whose flags serve what they are told: by key, what it is, or how it comes of whom it is for. */
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
          return { flagKey: key, value: 'false', variantKey: null, reason: 'default', ...some };
        },
      },
    ];
  });
  return definitionsOf({ flags: new Map(flags) });
}
