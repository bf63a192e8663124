/** A newer version of this program wrote something that this one cannot read. */
export class UnknownVersionError extends Error {}
