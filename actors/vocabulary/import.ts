import type { JsonText } from '../../src/kernel/json.ts';

/* Imported history: the command and its reply. Amounts are in ten-thousandths, times epoch milliseconds. */

/** Import lines of one file that belong to players of one partition. */
export interface ImportHistory {
  kind: 'ImportHistory';
  /** The ledger that remembers how far the file is imported in this partition (`importLedgerIdOf`). */
  ledgerId: string;
  /** The last line that the sender sent to this partition before; 0: none that it knows of. */
  after: number;
  /** In the order of their lines. */
  items: ImportItem[];
}

/** One line: something that a player did, or the player itself. */
export interface ImportItem {
  /** Counts from 1, and identifies the line in its file. */
  line: number;
  playerId: string;
  externalId: string;
  /** When it happened. For a player: when it was last seen. */
  at: number;
  event?: ImportedEvent;
  session?: ImportedSession;
  purchase?: ImportedPurchase;
  player?: ImportedProfile;
}

export interface ImportedEvent {
  eventId: string;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
}

export interface ImportedSession {
  sessionId: string;
  durationSeconds: number;
}

export interface ImportedPurchase {
  amount: number;
  /** ISO 4217. */
  currency: string | null;
  productId: string | null;
  transactionId: string | null;
}

export interface ImportedProfile {
  firstSeenAt?: number;
  deviceId?: string;
  email?: string;
  attributes?: JsonText;
}

/** The id of the ledger of one imported file. No API key's id contains a colon. */
export function importLedgerIdOf(importId: string): string {
  return `ledger:import:${importId}`;
}

export interface ImportedReply {
  kind: 'imported';
  /** The last line that is decided. If it is below `after`, nothing was decided: an earlier line is missing. */
  importedTo: number;
  /** Lines that this command imported, and lines that were decided before. */
  imported: number;
  repeated: number;
  rejected: RejectedLine[];
}

export interface RejectedLine {
  line: number;
  message: string;
}
