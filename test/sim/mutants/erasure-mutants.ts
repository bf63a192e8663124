import type { Mutant } from './mutant.ts';

/** Bugs of erasures: data from before remains, or data from after is lost. */
export const ERASURE_MUTANTS: readonly Mutant[] = [
  {
    name: "the tombstone's version includes the record of the erasure",
    changes: [
      {
        file: 'clickhouse-schema/rows/tables/player-tables.ts',
        original: 'const lastSeq = origin.sequence - 1;',
        mutated: 'const lastSeq = origin.sequence;',
      },
    ],
  },
  {
    name: 'replay applies facts that an erasure in the same record removes',
    changes: [
      {
        file: 'actors/runtime/term/entities.ts',
        original: 'if (erasures !== undefined && index < (erasures.get(fact.entityId) ?? 0)) continue;',
        mutated: '',
      },
    ],
  },
  {
    name: 'a registration drops the Idempotency-Keys of the erasure before it',
    changes: [
      {
        file: 'actors/player/evolve-player.ts',
        original: "keys: state?.kind === 'erased' ? state.keys : [],",
        mutated: 'keys: [],',
      },
    ],
  },
];
