import type { Counter } from 'prom-client';

/** Label sets of one label. */
export function labelled(label: string, values: readonly string[]): Record<string, string>[] {
  return values.map((value) => ({ [label]: value }));
}

/**
 * Shows series of a counter before they count anything. Prometheus' `increase` compares with an earlier sample of the
 * same series, so an alert would miss the first event of a series that begins with it.
 */
export function fromZero(series: readonly Record<string, string>[], counter: Counter): Counter {
  for (const labels of series) counter.inc(labels, 0);
  return counter;
}
