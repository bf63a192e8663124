import type { Mutant } from './mutant.ts';

/** Bugs of game clients' sessions. */
export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'a session that expires although calls come',
    changes: [
      {
        file: 'actors/sessions/expire.ts',
        original: 'function expiresAt({ lastCallAt, ttlMs }: OpenSession)',
        mutated: 'function expiresAt({ openedAt: lastCallAt, ttlMs }: OpenSession)',
      },
    ],
  },
  {
    name: 'sessions that are over only when something happens',
    changes: [
      {
        file: 'actors/timers.ts',
        original: 'return earliest(orNull(state.lifecycleDueAt), sessionsDueAt(state));',
        mutated: 'return earliest(orNull(state.lifecycleDueAt), sessionsDueAt({ ...state, sessions: [] }));',
      },
    ],
  },
  {
    name: 'open sessions that a rebuilt state forgets',
    changes: [
      {
        file: 'streams/wire/state-layout.ts',
        original: 'sessions: (tuple[27] ?? [])',
        mutated: 'sessions: (tuple[27]?.slice(0, 0) ?? [])',
      },
    ],
  },
  {
    name: 'a session told of the same flags again and again',
    changes: [
      {
        file: 'actors/sessions/evolve.ts',
        original: 'if (before.length === 0) return flags;',
        mutated: 'if (before.length >= 0) return before;',
      },
    ],
  },
  {
    name: 'a client believed about time that never went by',
    changes: [
      {
        file: 'actors/sessions/close.ts',
        original: 'Math.min(durationSeconds, wholeSeconds(openedAt, at))',
        mutated: 'Math.max(durationSeconds, wholeSeconds(openedAt, at))',
      },
    ],
  },
];
