import { Badge, Table, Text } from '@mantine/core';
import type { ExperimentMetricName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import type { AnswerOf } from '../frame/api.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';
import { meanText, percentText, pText, reasonText } from './figure-texts.ts';
import { IntervalBar } from './interval-bar.tsx';

/* The figures of a comparison, as tables of results show them. */

const texts = TEXTS.results;

interface Bounds {
  ci_low: number | null;
  ci_high: number | null;
  /** Why there are none. */
  too_small?: string | null;
}

type Results = AnswerOf<'GET /v1/flags/flags/{key}/results'>;
export type VariantFigures = Results['variants'][number];
export type SequentialFigures = Results['sequential']['variants'][number];

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
      <Table.Td>
        <PValue of={variant} />
      </Table.Td>
      <Table.Td>{anytime === undefined ? '—' : <Interval of={anytime} most={most} />}</Table.Td>
      <Table.Td>{anytime === undefined ? '—' : <PValue of={anytime} />}</Table.Td>
    </>
  );
}

/** A p-value, and the one that Holm adjusts for the number of variants where it is another. */
function PValue({ of: { p_value: p, p_adjusted: adjusted } }: { of: Pick<VariantFigures, 'p_value' | 'p_adjusted'> }) {
  return (
    <>
      {pText(p)}
      {adjusted === null || adjusted === p ? null : (
        <Text size="xs" c="dimmed" miw="max-content">
          {texts.adjusted(pText(adjusted))}
        </Text>
      )}
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

/** The heads of the columns of `FigureCells`. */
export function figureHeads(confidence = 0.95): string[] {
  const { players, conversions, mean, lift, interval, pValue, sequential, sequentialP } = texts.columns;
  const share = `${Number((100 * confidence).toFixed(1))}\u00A0%`;
  return [players, conversions, mean, lift, interval(share), pValue, sequential, sequentialP];
}
