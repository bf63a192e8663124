import { experimentMetric, type ExperimentMetricName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { percent } from '../parts/charts/units.ts';
import { TEXTS } from '../texts.ts';

/* The figures of a comparison as texts. */

const texts = TEXTS.results;

/** Why a comparison has no interval, in words. */
export function reasonText(reason: string): string {
  return Object.entries(texts.tooSmall).find(([key]) => key === reason)?.[1] ?? reason;
}

export function percentText(share: number | null): string {
  if (share === null) return '—';
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)}\u00A0%`;
}

export function pText(p: number | null): string {
  if (p === null) return '—';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** A share as percent, anything else as a number. */
export function meanText(mean: number | null, aggregate: ExperimentMetricName): string {
  if (mean === null) return '—';
  return experimentMetric(aggregate).unit === 'share' ? percent(mean) : mean.toPrecision(4);
}

/** A p-value in a sentence. */
export const pWords = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`);
