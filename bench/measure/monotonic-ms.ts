/**
 * Milliseconds, with fractions, of the machine's monotonic clock. Unlike `performance.now()` it counts from the same moment in
 * every process, so that one process can say when something happened and another how long ago that was.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
