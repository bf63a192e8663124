import type { Mutant } from './mutant.ts';

/** Bugs of quarantined events: each must be tracked once, in the player's life in which it arrived. */
export const QUARANTINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a rebuilt state loses which quarantined events were released',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'quarantine: quarantineFromTuple(rest[18]),',
        mutated: 'quarantine: quarantineFromTuple([rest[18][0]]),',
      },
    ],
  },
  {
    name: 'a quarantined event from before an erasure can be released after it',
    changes: [
      {
        file: 'actors/player/evolve-player.ts',
        original: "quarantine: state?.kind === 'erased' ? afterErasure(state.quarantined) : NO_QUARANTINE,",
        mutated: 'quarantine: NO_QUARANTINE,',
      },
    ],
  },
];
