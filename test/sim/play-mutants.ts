import type { Mutant } from './mutants.ts';

/** Bugs of recorded sessions and purchases: each counts once for its id, whatever happens between two requests. */
export const PLAY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a session counted again after a rebuild',
    changes: [
      {
        file: 'streams/wire/state-layout.ts',
        original: 'recordedSessions: (tuple[29] ?? [])',
        mutated: 'recordedSessions: (tuple[29]?.slice(0, 0) ?? [])',
      },
    ],
  },
  {
    name: 'a purchase counted for each Idempotency-Key, not once for its transaction',
    changes: [
      {
        file: 'actors/purchases/record-purchase.ts',
        original: 'const earlier = digest === null ?',
        mutated: 'const earlier = digest === null || command.idempotency !== undefined ?',
      },
    ],
  },
  {
    name: "a repeated session answered with today's totals",
    changes: [
      {
        file: 'actors/sessions/record-session.ts',
        original: 'return { ...replyOf(earlier), replayed: true };',
        mutated: 'return { ...replyOf(state), replayed: true };',
      },
    ],
  },
];
