import type { Mutant } from './mutant.ts';

/** Bugs of lifecycle stages and churn risk, which change with time. */
export const LIFECYCLE_MUTANTS: readonly Mutant[] = [
  {
    name: "a command does not catch up on its player's overdue timers",
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
    name: "an update before the due time clears the player's timer",
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
    name: 'the state does not keep a high churn risk',
    faults: ['night'],
    changes: [
      {
        file: 'actors/player/evolve-player.ts',
        original: 'return { ...state, churnHigh: high };',
        mutated: 'void high;\n  return state;',
      },
    ],
  },
];
