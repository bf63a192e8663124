/* Events that the service makes itself. Callers may track events with these names. */

/** The event of a recorded purchase. */
export const PURCHASE_EVENT = 'purchase';
/** The event of a refund. */
export const REFUND_EVENT = 'purchase_refunded';
/** The event of a server's amount of a purchase for which a client reported another one. */
export const CORRECTION_EVENT = 'purchase_corrected';
/** The event of a purchase whose receipt the store confirmed. */
export const VERIFIED_EVENT = 'purchase_verified';
/** The event of a purchase whose receipt was rejected. */
export const REJECTED_EVENT = 'purchase_rejected';
/** The event of a recorded session. */
export const SESSION_EVENT = 'session_recorded';

export const SERVICE_EVENTS: ReadonlySet<string> = new Set([
  PURCHASE_EVENT,
  CORRECTION_EVENT,
  REFUND_EVENT,
  VERIFIED_EVENT,
  REJECTED_EVENT,
  SESSION_EVENT,
]);

/** No activity of the player, unless a caller tracks them: a store refunds weeks after the player left. */
export const PASSIVE_EVENTS: readonly string[] = [CORRECTION_EVENT, REFUND_EVENT, VERIFIED_EVENT, REJECTED_EVENT];
