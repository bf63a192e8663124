import type { Mutant } from './mutant.ts';

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
    name: "a client's purchase that a server's does not replace",
    changes: [
      {
        file: 'actors/purchases/record-purchase.ts',
        original: "earlier?.byClient !== undefined && context.by === 'server'",
        mutated: "earlier?.byClient === null && context.by === 'server'",
      },
    ],
  },
  {
    name: "a client's purchase that a rebuilt state takes for a server's",
    changes: [
      {
        file: 'streams/wire/remembered-layout.ts',
        original: 'if (byClient === undefined) return purchase;',
        mutated: 'if (byClient === undefined || digest !== null) return purchase;',
      },
    ],
  },
  {
    name: 'ids and Idempotency-Keys that client and server keys share',
    changes: [
      {
        file: 'actors/vocabulary/scope.ts',
        original: 'return one === undefined || other === undefined || one === other;',
        mutated: 'return one !== null || other !== null;',
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
