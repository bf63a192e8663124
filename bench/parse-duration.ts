/** Seconds per unit. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds of a text like `30s`, `10m`, `1h` or `45` (seconds); undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}
