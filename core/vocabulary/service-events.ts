/* Events that the service makes itself. Callers may track events with these names. */

/** The event of a recorded purchase. */
export const PURCHASE_EVENT = 'purchase';
/** The event of a refund. It is no activity of the player: a store refunds weeks after the player left. */
export const REFUND_EVENT = 'purchase_refunded';
/** The event of a recorded session. */
export const SESSION_EVENT = 'session_recorded';

export const SERVICE_EVENTS: ReadonlySet<string> = new Set([PURCHASE_EVENT, REFUND_EVENT, SESSION_EVENT]);
