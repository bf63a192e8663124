/** What a progress line shows. */
export interface Progress {
  lines: number;
  /** Lines read by this run, and its time. */
  linesOfRun: number;
  elapsedMs: number;
  /** 0 to 1; `undefined`: unknown. */
  share: number | undefined;
  rejected: number;
}

const BAR_CELLS = 24;

/** A bar with the share, the rate and the time left; without the bar for logs. */
export function progressLine({ lines, linesOfRun, elapsedMs, share, rejected }: Progress, withBar: boolean): string {
  const rate = elapsedMs === 0 ? 0 : Math.round((linesOfRun * 1_000) / elapsedMs);
  const parts = [`${grouped(lines)} lines`, `${grouped(rate)}/s`];
  if (share !== undefined && share > 0 && share < 1) {
    parts.unshift(`${Math.floor(share * 100)} %`);
    parts.push(`${duration((elapsedMs * (1 - share)) / share)} left`);
  }
  if (rejected > 0) parts.push(`${grouped(rejected)} rejected`);
  const text = parts.join(', ');
  if (!withBar || share === undefined) return text;
  const full = Math.min(BAR_CELLS, Math.round(share * BAR_CELLS));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${text}`;
}

export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
