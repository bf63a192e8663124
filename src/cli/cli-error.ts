/** A failure that the operator can act on. The process prints only the message and exits with 1. */
export class CliError extends Error {}
