import type { Fact } from '../../../../core/vocabulary/facts/facts.ts';
import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';

export type FactsByKind = { [F in Fact as F['kind']]: F };

/** What every sample fact carries: a player that does not exist. */
export interface SampleBase {
  game: string;
  environment: Environment;
  entityId: string;
  externalId: string;
  /** Epoch milliseconds. */
  at: number;
}

/** How facts of one kind become deliveries of one webhook kind. */
export interface FactOccurrence<F extends Fact> {
  /** Whether the fact is reported; all are unless given. */
  isReported?: (fact: F) => boolean;
  /** When it happened, epoch milliseconds. */
  timestamp: (fact: F) => number;
  /** The payload's `data`. Made only when some webhook wants it. */
  data: (fact: F) => JsonText;
  /** A fact that never happened, for test deliveries. */
  sample: (base: SampleBase) => F;
}

/** The same for facts of any kind: `read` passes over those of other kinds. */
export interface AnyOccurrence {
  readonly fact: Fact['kind'];
  read(fact: Fact): { timestamp: number; data: () => JsonText } | undefined;
  sample(base: SampleBase): Fact;
}

export function ofFact<K extends Fact['kind']>(kind: K, occurrence: FactOccurrence<FactsByKind[K]>): AnyOccurrence {
  const isKind = (fact: Fact): fact is FactsByKind[K] => fact.kind === kind;
  const { isReported, timestamp, data, sample } = occurrence;
  return {
    fact: kind,
    read(fact) {
      if (!isKind(fact) || isReported?.(fact) === false) return undefined;
      return { timestamp: timestamp(fact), data: () => data(fact) };
    },
    sample,
  };
}
