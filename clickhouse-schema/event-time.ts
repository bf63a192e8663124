/** A device's time counts if it is at most this long before the receipt, and not after it. */
export const LATE_DAYS = 7;
export const LATE_MS = LATE_DAYS * 86_400_000;

/**
 * When a row happened, as the column `happened_at` of `events`, `sessions` and `purchases`: by the device's clock if
 * that is likely, otherwise by the receipt. So it lies in the `LATE_DAYS` up to `received_at`.
 */
export function happenedAt(deviceTime: string): string {
  const isLikely = `${deviceTime} <= received_at AND ${deviceTime} > received_at - INTERVAL ${LATE_DAYS} DAY`;
  return `if(ifNull(${isLikely}, 0), assumeNotNull(${deviceTime}), received_at)`;
}
