import type { PurchaseRefunded } from './purchase-facts.ts';
import type { PlayedFrom } from './session-facts.ts';
import type { ComputedEvents, ComputedUpdate } from '../documents/computed.ts';
import type { FactBase } from './fact-base.ts';
import type { EventTally, ImportedEvent, ImportedPurchase, ImportedSession } from '../commands/import.ts';
import type { PackedEvents } from './packed-events.ts';
import type { PlayedWith } from '../state/device.ts';
import type { LifecycleStage } from '../state/lifecycle-stages.ts';
import type { Paid, PlayerView } from '../state/player.ts';

/*
 * The facts of imported history.
 *
 * `at` of the facts with rows of their own is the time at which something happened, not the time of the import: rows,
 * totals and days count it there. No sink but ClickHouse reads these facts.
 */

/** A player was imported: registered, or given fields that it lacked. `at` is the time of the import. */
export interface PlayerImported extends FactBase {
  kind: 'PlayerImported';
  player: PlayerView;
  /** When another product saw the player first, if the line says so. */
  begunAt?: number;
}

/** Written by versions of format 3, one for each event. */
export interface EventImported extends FactBase, ImportedEvent {
  kind: 'EventImported';
  externalId: string;
  isPayer: boolean;
  country: string;
  /** What it adds to computed properties. Absent without any. */
  computed?: readonly ComputedUpdate[];
}

/** Events of a player were imported. `at` is the time of the import; each event has its own. */
export interface EventsImported extends FactBase {
  kind: 'EventsImported';
  externalId: string;
  /** That the file names, else the player's. */
  country: string;
  /** What the file says of their device. Absent: nothing. */
  playedWith?: PlayedWith;
  packed: PackedEvents;
  /** The earliest and the latest of their times. */
  fromAt: number;
  toAt: number;
  /** The index of the first event after which the player had paid. */
  payerFrom: number;
  tallies: EventTally[];
  /** What they add to computed properties. Absent without any. */
  computed?: ComputedEvents;
}

export interface SessionImported extends FactBase, ImportedSession, PlayedFrom {
  kind: 'SessionImported';
  /** Digest of the session id; see `RecordedSession`. */
  digest: string;
  externalId: string;
}

export interface PurchaseImported extends FactBase, Omit<ImportedPurchase, 'exchange'> {
  kind: 'PurchaseImported';
  /** Present if `amount` was converted. */
  paid?: Paid;
  /** Digest of the transaction id; see `RecordedPurchase`. `null` without one. */
  digest: string | null;
  externalId: string;
}

export interface RefundImported extends Omit<PurchaseRefunded, 'kind'> {
  kind: 'RefundImported';
}

/** What a player's imported history makes of its lifecycle. `at` is the time of the import. */
export interface HistoryImported extends FactBase {
  kind: 'HistoryImported';
  firstSeenAt: number;
  lastSeenAt: number;
  stage: LifecycleStage;
  stageChangedAt: number;
  churnHigh: boolean;
  /** The next evaluation of stage and churn risk; 0: never. */
  dueAt: number;
}

/** A file is imported up to this line in this partition. `entityId` is the ledger. */
export interface ImportAdvanced extends FactBase {
  kind: 'ImportAdvanced';
  line: number;
  importId: string;
  /** The file that the ledger forgets for it. */
  forgets?: string;
}

export type ImportFact =
  | PlayerImported
  | EventImported
  | EventsImported
  | SessionImported
  | PurchaseImported
  | RefundImported
  | HistoryImported
  | ImportAdvanced;
