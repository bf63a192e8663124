import type { Mutant } from './mutant.ts';

/** Bugs of recorded sessions and purchases: each must count once for its id. */
export const PLAY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a rebuilt state loses the ids of recorded sessions',
    changes: [
      {
        file: 'core/codec/state/player-layout.ts',
        original: 'recordedSessions: rest[12].map',
        mutated: 'recordedSessions: rest[12].slice(0, 0).map',
      },
    ],
  },
  {
    name: 'a purchase with an Idempotency-Key counts again for the same transaction',
    changes: [
      {
        file: 'actors/purchases/record-purchase.ts',
        original: 'const earlier = digest === null ?',
        mutated: 'const earlier = digest === null || command.idempotency !== undefined ?',
      },
    ],
  },
  {
    name: "a server's purchase does not replace a client's purchase of the same transaction",
    changes: [
      {
        file: 'actors/purchases/record-purchase.ts',
        original: "earlier?.byClient !== undefined && context.by === 'server'",
        mutated: "earlier?.byClient === null && context.by === 'server'",
      },
    ],
  },
  {
    name: 'a rebuilt state loses that a client recorded a purchase',
    changes: [
      {
        file: 'core/codec/state/remembered-layout.ts',
        original: 'if (byClient) purchase.byClient = byClient;',
        mutated: 'if (byClient && digest === null) purchase.byClient = byClient;',
      },
    ],
  },
  {
    name: 'a refund counts again for the same refund_id',
    changes: [
      {
        file: 'actors/purchases/refund-purchase.ts',
        original: 'state.recordedRefunds?.find((refund) => refund.digest === refundDigest)',
        mutated: 'state.recordedRefunds?.find((refund) => refund.digest === null)',
      },
    ],
  },
  {
    name: 'a rebuilt state loses what was refunded of a purchase',
    changes: [
      {
        file: 'core/codec/state/remembered-layout.ts',
        original: 'if (refunded > 0) purchase.refunded = refunded;',
        mutated: 'if (refunded > 0 && digest === null) purchase.refunded = refunded;',
      },
    ],
  },
  {
    name: 'a refund is activity of the player',
    changes: [
      {
        file: 'core/vocabulary/facts/event-tracked.ts',
        original: 'return !PASSIVE_EVENTS.includes(eventName) &&',
        mutated: "return !PASSIVE_EVENTS.includes('') &&",
      },
    ],
  },
  {
    name: 'a refund of a part takes the whole purchase out of the count',
    changes: [
      {
        file: 'actors/purchases/evolve-purchases.ts',
        original: 'state.purchaseCount - (remaining === 0 ? 1 : 0)',
        mutated: 'state.purchaseCount - (remaining >= 0 ? 1 : 0)',
      },
    ],
  },
  {
    name: 'client and server keys share ids and Idempotency-Keys',
    changes: [
      {
        file: 'core/vocabulary/documents/scope.ts',
        original: 'return one === undefined || other === undefined || one === other;',
        mutated: 'return one !== null || other !== null;',
      },
    ],
  },
  {
    name: "a repeated session is answered with current totals instead of the first reply's",
    changes: [
      {
        file: 'actors/sessions/record-session.ts',
        original: 'return { ...replyOf(earlier), replayed: true };',
        mutated: 'return { ...replyOf(state), replayed: true };',
      },
    ],
  },
];
