import type { Mutant } from './mutant.ts';

/** Bugs of quarantined events: each is tracked once, in the life it came in. */
export const QUARANTINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'what was released of a quarantine forgotten by a rebuild',
    changes: [
      {
        file: 'streams/wire/state-layout.ts',
        original: 'quarantine: quarantineFromTuple(tuple[36] ?? [0]),',
        mutated: 'quarantine: quarantineFromTuple([tuple[36]?.[0] ?? 0]),',
      },
    ],
  },
  {
    name: 'a quarantined event released into the life after an erasure',
    changes: [
      {
        file: 'actors/player/evolve.ts',
        original: "quarantine: state?.kind === 'erased' ? afterErasure(state.quarantined) : NO_QUARANTINE,",
        mutated: 'quarantine: NO_QUARANTINE,',
      },
    ],
  },
];
