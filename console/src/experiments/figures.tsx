import { Badge, Table } from '@mantine/core';
import { experimentMetric, type ExperimentMetricName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import type { AnswerOf } from '../frame/api.ts';
import { percent } from '../parts/charts/units.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';
import { IntervalBar } from './interval-bar.tsx';

/* The figures of a comparison, as tables of results show them. */

const texts = TEXTS.experiment;

interface Bounds {
  ci_low: number | null;
  ci_high: number | null;
  /** Why there are none. */
  too_small?: string | null;
}

type Results = AnswerOf<'GET /v1/flags/flags/{key}/results'>;
type VariantFigures = Results['variants'][number];
type SequentialFigures = Results['sequential']['variants'][number];

interface FigureCellsProps {
  variant: VariantFigures;
  /** The comparison that holds at any time. */
  anytime: SequentialFigures | undefined;
  aggregate: ExperimentMetricName;
  /** The largest bound of all intervals of the table. */
  most: number;
}

/** The cells of a variant, in the order of the columns after its name. */
export function FigureCells({ variant, anytime, aggregate, most }: FigureCellsProps) {
  return (
    <>
      <Table.Td>{number(variant.players)}</Table.Td>
      <Table.Td>{number(variant.conversions)}</Table.Td>
      <Table.Td>{meanText(variant.mean, aggregate)}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{percentText(variant.lift)}</Table.Td>
      <Table.Td>
        <Interval of={variant} most={most} />
      </Table.Td>
      <Table.Td>{pText(variant.p_value)}</Table.Td>
      <Table.Td>{anytime === undefined ? '—' : <Interval of={anytime} most={most} />}</Table.Td>
      <Table.Td>{pText(anytime?.p_value ?? null)}</Table.Td>
    </>
  );
}

function Interval({ of: { ci_low: low, ci_high: high, too_small: reason }, most }: { of: Bounds; most: number }) {
  if (low === null || high === null) return <>{reason === null || reason === undefined ? '—' : reasonText(reason)}</>;
  return (
    <>
      <span style={{ whiteSpace: 'nowrap' }}>
        {percentText(low)} … {percentText(high)}
      </span>
      <IntervalBar low={low} high={high} most={most} />
    </>
  );
}

/** The largest bound of some intervals, at least 1 %: how wide their bars are. */
export const mostOf = (intervals: readonly Bounds[]): number =>
  Math.max(0.01, ...intervals.flatMap(({ ci_low: low, ci_high: high }) => [Math.abs(low ?? 0), Math.abs(high ?? 0)]));

/** Whether a variant differs from the control, by the comparison that holds at any time, for all variants together. */
export function Verdict({ anytime }: { anytime: SequentialFigures | undefined }) {
  const verdict = anytime?.decision ?? 'undecided';
  return (
    <Badge
      variant="outline"
      tt="none"
      size="sm"
      miw="max-content"
      color={{ higher: 'green', lower: 'red', undecided: 'gray' }[verdict]}
    >
      {texts.verdicts[verdict]}
    </Badge>
  );
}

export function ControlBadge() {
  return (
    <Badge variant="default" tt="none" size="sm" miw="max-content">
      {texts.control}
    </Badge>
  );
}

/** Why a comparison has no interval, in words. */
function reasonText(reason: string): string {
  return Object.entries(texts.tooSmall).find(([key]) => key === reason)?.[1] ?? reason;
}

function percentText(share: number | null): string {
  if (share === null) return '—';
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)}\u00A0%`;
}

export function pText(p: number | null): string {
  if (p === null) return '—';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** A share as percent, anything else as a number. */
function meanText(mean: number | null, aggregate: ExperimentMetricName): string {
  if (mean === null) return '—';
  return experimentMetric(aggregate).unit === 'share' ? percent(mean) : mean.toPrecision(4);
}
