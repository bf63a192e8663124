/**
 * ClickHouse's codes of temporary failures: time-outs, memory, too many parts or statements, network, shutdown, disk,
 * start. Any other code means that the statement is wrong.
 */
export const TRANSIENT_CODES: ReadonlySet<number> = new Set([
  159, 160, 202, 203, 209, 210, 236, 241, 242, 243, 252, 279, 394, 425, 999, 1000, 1001, 1002,
]);
