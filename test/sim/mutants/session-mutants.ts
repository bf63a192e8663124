import type { Mutant } from './mutant.ts';

/** Bugs of game clients' sessions. */
export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'session expiry counts from the init, not from the last call',
    changes: [
      {
        file: 'actors/sessions/expire.ts',
        original: "function expiresAt({ lastCallAt, ttlMs }: Pick<OpenSession, 'lastCallAt' | 'ttlMs'>)",
        mutated: 'function expiresAt({ openedAt: lastCallAt, ttlMs }: OpenSession)',
      },
    ],
  },
  {
    name: 'no timer runs for sessions that expire',
    changes: [
      {
        file: 'actors/timers.ts',
        original: 'return earliest(orNull(state.lifecycleDueAt), sessionsDueAt(state));',
        mutated: 'return earliest(orNull(state.lifecycleDueAt), sessionsDueAt({ ...state, sessions: [] }));',
      },
    ],
  },
  {
    name: 'a rebuilt state loses open sessions',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'sessions: rest[10].map',
        mutated: 'sessions: rest[10].slice(0, 0).map',
      },
    ],
  },
  {
    name: 'the state does not keep the flags that a session received',
    changes: [
      {
        file: 'actors/sessions/evolve-sessions.ts',
        original: 'if (before.length === 0) return flags;',
        mutated: 'if (before.length >= 0) return before;',
      },
    ],
  },
  {
    name: 'a session is not told a new value of the same variant',
    changes: [
      {
        file: 'actors/sessions/flags/session-flags.ts',
        original: 'held.variant === variant && held.mark === mark',
        mutated: 'held.variant === variant && held.mark.length + mark.length > 0',
      },
    ],
  },
  {
    name: 'the reported duration of a session may exceed the time that passed',
    changes: [
      {
        file: 'actors/sessions/close.ts',
        original: 'Math.min(durationSeconds, wholeSeconds(openedAt, at))',
        mutated: 'Math.max(durationSeconds, wholeSeconds(openedAt, at))',
      },
    ],
  },
];
