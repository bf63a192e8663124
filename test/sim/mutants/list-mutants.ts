import type { Mutant } from './mutant.ts';

/** Bugs of lists: players are in a list that is not current, or their places are lost. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'an owner changes a list that is no longer in force',
    changes: [
      {
        file: 'actors/segments/list-players.ts',
        original: 'if (inForce !== undefined && inForce !== active) {',
        mutated: "if (inForce === '') {",
      },
    ],
  },
  {
    name: 'stored states lose the lists of their players',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'state.lists?.map(listToTuple) ?? null,',
        mutated: 'state.lists?.slice(0, 0).map(listToTuple) ?? null,',
      },
    ],
  },
  {
    name: 'an excluded player stays a member',
    changes: [
      {
        file: 'actors/segments/list-condition.ts',
        original: 'for (const id of excludes) exceptions.set(id, false);',
        mutated: '',
      },
    ],
  },
];
