import { countedAmount } from '../purchases/counted-amount.ts';
import { refundOf } from '../purchases/refund-purchase.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type { Context, Draft } from '../decision/decision.ts';
import { mergeAttributes, playedFrom } from '../player/attributes.ts';
import type { OtherLine, PlayerHistory } from '../../core/vocabulary/commands/import.ts';
import type { PlayerView } from '../../core/vocabulary/state/player.ts';
import { viewOf, type PlayerState } from '../../core/vocabulary/state/state.ts';

/** What became of lines that are more than an event, by their index among the player's lines. */
export interface ImportedOthers {
  /** Why a line cannot be imported. */
  refused: ReadonlyMap<number, string>;
  /** Purchases and refunds that the player has. */
  repeated: ReadonlySet<number>;
  /** The first line at which the player had paid; the number of lines if it never had. */
  payerFrom: number;
}

/** Emits what lines are beside their events: sessions, purchases and so on. Their player exists in the draft. */
export function importOthers(draft: Draft, history: PlayerHistory, context: Context): ImportedOthers {
  const { playerId, lines, others, events } = history;
  const refused = new Map<number, string>();
  const repeated = new Set<number>();
  let state = playerIn(draft, playerId);
  let payerFrom = state.isPayer ? 0 : lines.length;
  for (const other of others) {
    const outcome = importOther(draft, state, other, context, events?.country);
    if (outcome === REPEATED) repeated.add(other.place);
    else if (outcome !== undefined) refused.set(other.place, outcome);
    state = playerIn(draft, playerId);
    if (state.isPayer) payerFrom = Math.min(payerFrom, other.place);
  }
  return { refused, repeated, payerFrom };
}

const REPEATED = Symbol('repeated');

const NO_RATE = 'The purchase cannot be converted.';
const NO_REFUND = 'The refund does not fit its purchase.';

/** Emits the facts of one line, or returns why not. @param country that the line names */
function importOther(
  draft: Draft,
  state: PlayerState,
  { at, session, purchase, refund, player, quarantined }: OtherLine,
  { game, environment, at: importedAt }: Context,
  country: string = state.country,
): string | typeof REPEATED | undefined {
  const base = { entityId: state.id, game, environment, at, externalId: state.externalId } as const;
  if (purchase !== undefined) {
    const { exchange: _, ...bought } = purchase;
    const { transactionId } = bought;
    const digest = transactionId === null ? null : digestOf(transactionId);
    const isKnown = digest !== null && state.recordedPurchases.some((earlier) => earlier.digest === digest);
    if (isKnown) return REPEATED;
    const counted = countedAmount(purchase);
    if (counted.kind === 'failure') return counted.message ?? NO_RATE;
    const { kind: _kind, ...money } = counted;
    if (state.totalRevenue + money.amount > STATE_LIMITS.totalRevenue) {
      return "The player's total_revenue would exceed its maximum.";
    }
    draft.emit({ kind: 'PurchaseImported', ...base, ...bought, ...money, digest });
  }
  if (refund !== undefined) {
    const { amount, transactionId, refundId } = refund;
    const digest = digestOf(transactionId);
    // Without an id, one time and amount of a transaction is one refund: files overlap.
    const refundDigest = digestOf(refundId ?? `${transactionId}\n${at}\n${amount}`);
    if (state.recordedRefunds?.some((earlier) => earlier.digest === refundDigest) === true) return REPEATED;
    const outcome = refundOf(state, digest, amount);
    if (outcome.kind === 'failure') return outcome.message ?? NO_REFUND;
    const { kind: _, ...money } = outcome;
    draft.emit({ kind: 'RefundImported', ...base, ...money, transactionId, digest, refundId, refundDigest });
  }
  if (session !== undefined) {
    const digest = digestOf(session.sessionId);
    // The event of a known session is imported all the same: only the session counts once.
    if (!state.recordedSessions.some((earlier) => earlier.digest === digest)) {
      draft.emit({ kind: 'SessionImported', ...base, ...session, ...playedFrom(country), digest });
    }
  }
  if (quarantined !== undefined) {
    const { faults, ...event } = quarantined;
    const number = state.quarantine.last + 1;
    const reason = { schemaVersion: 0, faults };
    const kept = { ...event, remember: false, timestamp: at, number, reason };
    draft.emit({ kind: 'EventQuarantined', ...base, ...kept, at: importedAt });
  }
  if (player !== undefined) {
    const view = withProfile(state, player);
    if (view === undefined) return "The player's attributes would be too large.";
    const begun = player.firstSeenAt === undefined ? {} : { begunAt: player.firstSeenAt };
    const entity = { entityId: state.id, game, environment, at: importedAt } as const;
    draft.emit({ kind: 'PlayerImported', ...entity, player: view, ...begun });
  }
  return undefined;
}

/** The player with what it lacks. What is known already is newer and stays. */
function withProfile(state: PlayerState, player: NonNullable<OtherLine['player']>): PlayerView | undefined {
  const { deviceId = null, email = null, attributes: imported = '{}' } = player;
  const attributes = mergeAttributes(imported, state.attributes);
  if (attributes === undefined) return undefined;
  return { ...viewOf(state), deviceId: state.deviceId ?? deviceId, email: state.email ?? email, attributes };
}

function playerIn(draft: Draft, playerId: string): PlayerState {
  const state = draft.get(playerId);
  if (state?.kind !== 'player') throw new Error(`player ${playerId} is gone from its own draft`);
  return state;
}
