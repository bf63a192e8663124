/** Why a command cannot be done, in words for the operator; the process ends with 1 and shows only the message. */
export class CliError extends Error {}
