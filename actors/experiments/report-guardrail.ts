import type { ReportGuardrail } from '../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { GuardrailTripped } from '../../core/vocabulary/facts/flag-facts.ts';
import type { EntityState, LedgerState } from '../../core/vocabulary/state/state.ts';
import type { Step } from '../decision/decision.ts';
import { ledgerOf } from '../decision/evolve-player.ts';

/** Records what a guardrail found. */
export function reportGuardrail({ ledgerId, found }: ReportGuardrail, { draft, context }: Step): Reply {
  const { game, environment, at } = context;
  draft.emit({ kind: 'GuardrailTripped', entityId: ledgerId, game, environment, at, ...found });
  return { kind: 'claimed' };
}

/** The ledger remembers the key alone. */
export function guardrailTripped(state: EntityState | undefined, fact: GuardrailTripped): LedgerState {
  return ledgerOf(state, fact);
}
