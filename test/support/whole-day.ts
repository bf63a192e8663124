import { setTimeout as delay } from 'node:timers/promises';

const DAY_MS = 86_400_000;
/**
 * The start of the current day in UTC, as Unix milliseconds. If the day ends too soon, waits for the next one: what a
 * file compares by day then belongs to one day.
 *
 * @param roomMs how long the file needs the day; called outside of tests and hooks, because their time is bounded
 */
export async function startOfToday(roomMs = 60_000): Promise<number> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < roomMs) await delay(leftMs + 1);
  return Math.floor(Date.now() / DAY_MS) * DAY_MS;
}
