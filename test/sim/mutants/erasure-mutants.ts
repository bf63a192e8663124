import type { Mutant } from './mutant.ts';

/** Bugs of erasures: something of the life before is left, or something of the next one is lost. */
export const ERASURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a tombstone that stands for the record of the erasure too',
    changes: [
      {
        file: 'clickhouse-schema/rows/player-tables.ts',
        original: 'const lastSeq = origin.sequence - 1;',
        mutated: 'const lastSeq = origin.sequence;',
      },
    ],
  },
  {
    name: 'a rebuild that applies what the erasure in the same record wipes',
    changes: [
      {
        file: 'actors/runtime/entities.ts',
        original: 'if (erasures !== undefined && index < (erasures.get(fact.entityId) ?? 0)) continue;',
        mutated: '',
      },
    ],
  },
  {
    name: 'a late repeat of an erasure ends the next life',
    changes: [
      {
        file: 'actors/player/evolve.ts',
        original: "keys: state?.kind === 'erased' ? state.keys : [],",
        mutated: 'keys: [],',
      },
    ],
  },
];
