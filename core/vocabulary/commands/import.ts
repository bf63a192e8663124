import type { FieldFault } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/text/json.ts';
import type { PackedEvents } from '../facts/packed-events.ts';
import type { PlayedWith } from '../state/device.ts';
import type { Environment } from '../documents/scope.ts';
import type { Exchange } from './recorded.ts';

/* Imported history: the command and its reply. Amounts are in ten-thousandths, times epoch milliseconds. */

/** Import lines of one file that belong to players of one partition. */
export interface ImportHistory {
  kind: 'ImportHistory';
  /** Identifies the file and what is made of it. */
  importId: string;
  /** The last line that the sender sent to this partition before; 0: none. */
  after: number;
  /** The last line of this command. */
  to: number;
  /** Lines of each player, players in the order of their first lines. */
  players: PlayerHistory[];
}

/** Lines of one player. Either each of them is an event, or none is. */
export interface PlayerHistory {
  playerId: string;
  externalId: string;
  /** Their numbers in the file, ascending. */
  lines: number[];
  /** When the player was first and last active in them; infinite (later than ever, earlier than ever) without. */
  firstAt: number;
  lastAt: number;
  /** One for each line. */
  events?: PlayerEvents;
  /** What lines are beside their events, in the order of the lines. */
  others: OtherLine[];
}

export interface PlayerEvents {
  packed: PackedEvents;
  /** The earliest and the latest of their times. */
  fromAt: number;
  toAt: number;
  tallies: EventTally[];
  /** What the file says of all of them. Absent: nothing. */
  playedWith?: PlayedWith;
  country?: string;
}

/** How many events of a name a UTC day has. */
export type EventTally = [eventName: string, day: number, count: number];

export interface OtherLine {
  /** The index of its line among the player's. */
  place: number;
  /** When it happened. For a player: when it was last seen. */
  at: number;
  session?: ImportedSession;
  purchase?: ImportedPurchase;
  refund?: ImportedRefund;
  player?: ImportedProfile;
  /** Nothing else is present then. */
  quarantined?: QuarantinedLine;
}

/** One line of a file: something that a player did, or the player itself. */
export interface ImportItem {
  /** Counts from 1, and identifies the line in its file. */
  line: number;
  playerId: string;
  externalId: string;
  /** When it happened. For a player: when it was last seen, `NEVER_SEEN` if the line has no time. */
  at: number;
  event?: ImportedEvent;
  session?: ImportedSession;
  purchase?: ImportedPurchase;
  refund?: ImportedRefund;
  player?: ImportedProfile;
  /** Nothing else is present then. */
  quarantined?: QuarantinedLine;
}

/** An event that does not fit: it was cut, and goes to the player's quarantine. */
export interface QuarantinedLine extends Omit<ImportedEvent, 'playedWith' | 'country'> {
  faults: FieldFault[];
}

export interface ImportedEvent {
  eventId: string;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  /** What the file says of the device, and its country. Absent: nothing. */
  playedWith?: PlayedWith;
  country?: string;
}

export interface ImportedSession extends PlayedWith {
  sessionId: string;
  durationSeconds: number;
}

export interface ImportedPurchase {
  /** As the file has it; `exchange` as in `RecordPurchase`. */
  amount: number;
  exchange?: Exchange;
  /** ISO 4217. */
  currency: string | null;
  productId: string | null;
  transactionId: string | null;
}

export interface ImportedRefund {
  /** In the currency in which the amount of the purchase was sent. */
  amount: number;
  transactionId: string;
  refundId: string | null;
}

export interface ImportedProfile {
  firstSeenAt?: number;
  deviceId?: string;
  email?: string;
  attributes?: JsonText;
}

/**
 * The ledger that remembers how far a file is imported, one for some files of a game and environment. No API key's id
 * contains a colon.
 */
export function importLedgerIdOf(game: string, environment: Environment, importId: string): string {
  return `ledger:imports:${game}/${environment}/${importId.slice(0, LEDGER_DIGITS)}`;
}

/** Hexadecimal digits: 4,096 ledgers. */
const LEDGER_DIGITS = 3;

export interface ImportedReply {
  kind: 'imported';
  /** The last line that is decided. If it is below `after`, nothing was decided: an earlier line is missing. */
  importedTo: number;
  /** Lines that this command imported. */
  imported: number;
  /** Lines of sessions or purchases that the player has. */
  repeated: number;
  /** Lines that an earlier command decided. */
  earlier: number;
  rejected: RejectedLine[];
}

export interface RejectedLine {
  line: number;
  message: string;
}
