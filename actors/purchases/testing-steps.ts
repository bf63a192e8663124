import { decodeState, encodeState } from '../../core/codec/state/state-codec.ts';
import type { DecideReceipt, RecordPurchase, RefundPurchase } from '../../core/vocabulary/commands/recorded.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { decide } from '../decide.ts';
import { createDraft } from '../runtime/term/draft.ts';
import { aCommand, definitionsOf } from '../testing-players.ts';

export interface PurchaseStep {
  body: RecordPurchase | RefundPurchase | DecideReceipt;
  by: CallerKind;
}

/** Decides commands in order, a minute apart; the state is stored and read between them. */
export function decideSteps(player: PlayerState | undefined, steps: readonly PurchaseStep[]) {
  let state = player;
  const facts = [];
  const replies = [];
  for (const [n, { body, by }] of steps.entries()) {
    const draft = createDraft(() => state);
    replies.push(decide(draft, aCommand(body, { receivedAt: 2_000 + n * 60_000, by }), definitionsOf()));
    const next = draft.get(body.playerId);
    const stored = next === undefined ? undefined : decodeState(encodeState(next));
    state = stored?.kind === 'player' ? stored : undefined;
    facts.push(...draft.facts);
  }
  return { replies, facts, state, totals: [state?.totalRevenue, state?.purchaseCount, state?.isPayer] };
}
