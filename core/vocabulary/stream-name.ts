/** The streams of the log; `streams/log/stream-definitions.ts` defines each. */
export type StreamName = 'REQUESTS' | 'FACTS' | 'RECORDS' | 'AUDIT' | 'DELIVERIES' | 'RECEIPTS';
