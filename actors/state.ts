import type { JsonText } from '../src/kernel/json.ts';
import type { Environment } from './commands.ts';
import type { Reply } from './replies.ts';

/** Stages of a player's life. */
export type LifecycleStage = 'new' | 'active' | 'at_risk' | 'churned' | 'reactivated';

/** What analysts, webhooks and callers see of a player. Times are epoch milliseconds, money ten-thousandths. */
export interface PlayerView {
  id: string;
  externalId: string;
  deviceId: string | null;
  email: string | null;
  lifecycleStage: LifecycleStage;
  sessionCount: number;
  totalRevenue: number;
  isPayer: boolean;
  firstSeenAt: number;
  lastSeenAt: number;
  attributes: JsonText;
}

/** A caller-supplied event id and the answer it got, oldest first in `PlayerState.recentEvents`. */
export interface RecentEvent {
  eventId: string;
  eventName: string;
  timestamp: number;
  receivedAt: number;
}

/** An Idempotency-Key, what it came with and what was answered. */
export interface RememberedKey {
  key: string;
  bodyHash: string;
  at: number;
  reply: Reply;
}

/** Everything held about one player. Immutable: `evolve` makes a new one. */
export interface PlayerState extends PlayerView {
  kind: 'player';
  game: string;
  environment: Environment;
  lifecycleChangedAt: number;
  purchaseCount: number;
  totalPlaytimeSeconds: number;
  /** The `country` attribute if it is a string, else '': it stands on every event row. */
  country: string;
  recentEvents: readonly RecentEvent[];
  keys: readonly RememberedKey[];
  /** FACTS sequence of the last record that touched this player; records at or below it are not applied again. */
  lastSeq: number;
}

/** Idempotency-Keys of one API key, for writes that belong to no single player. */
export interface LedgerState {
  kind: 'ledger';
  id: string;
  game: string;
  environment: Environment;
  keys: readonly RememberedKey[];
  lastSeq: number;
}

/** What a partition holds under an id. */
export type EntityState = PlayerState | LedgerState;

/** The part of a player that others may see. */
export function viewOf(state: PlayerState): PlayerView {
  return {
    id: state.id,
    externalId: state.externalId,
    deviceId: state.deviceId,
    email: state.email,
    lifecycleStage: state.lifecycleStage,
    sessionCount: state.sessionCount,
    totalRevenue: state.totalRevenue,
    isPayer: state.isPayer,
    firstSeenAt: state.firstSeenAt,
    lastSeenAt: state.lastSeenAt,
    attributes: state.attributes,
  };
}
