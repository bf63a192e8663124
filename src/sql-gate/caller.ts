/** The role of a statement's caller. */
export type Caller = 'service' | 'analyst';
