import type { Mutant } from './mutant.ts';

/** Bugs of what time does to players. */
export const LIFECYCLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a player who returns before time was heard never left',
    faults: ['night'],
    changes: [
      {
        file: 'actors/decide.ts',
        original: 'catchUp(draft, playersOf(command.body), context, definitions);',
        mutated: 'void [catchUp, playersOf];',
      },
    ],
  },
  {
    name: 'a player who was looked at too early is never looked at again',
    faults: ['night'],
    changes: [
      {
        file: 'actors/player/update-lifecycle.ts',
        original: 'schedule(draft, current, nextChangeAt(draft, current, thresholds, nowMs, dueAt), dueAt);',
        mutated: 'schedule(draft, current, 0, dueAt);',
      },
    ],
  },
  {
    name: 'a high risk that is told and forgotten',
    faults: ['night'],
    changes: [
      {
        file: 'actors/player/evolve.ts',
        original: 'return { ...state, churnHigh: high };',
        mutated: 'void high;\n  return state;',
      },
    ],
  },
];
